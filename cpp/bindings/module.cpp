#include <nanobind/nanobind.h>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "bindings.hpp"
#include "checks.hpp"

namespace nb = nanobind;

namespace {

volatile std::sig_atomic_t interrupted = 0;

/// Puts ctrl-C off. While types are made, nanobind runs Python code that must not fail: an exception ends the process.
class WithoutInterruption {
 public:
  WithoutInterruption() {
    struct sigaction note{};
    note.sa_handler = [](int) { interrupted = 1; };
    sigaction(SIGINT, &note, &before_);
  }
  ~WithoutInterruption() {
    sigaction(SIGINT, &before_, nullptr);
    if (interrupted == 0) return;
    // A little later, when the import is done: if it were broken off and tried again, all types would be made twice.
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      kill(getpid(), SIGINT);
    }).detach();
  }
  WithoutInterruption(const WithoutInterruption&) = delete;
  WithoutInterruption& operator=(const WithoutInterruption&) = delete;

 private:
  struct sigaction before_{};
};

}  // namespace

NB_MODULE(_core, m) {
  const WithoutInterruption registering;
  m.doc() = "The C++ core of ramify. Private: use the packages of ramify instead.";
  // Objects that a caller's own globals keep alive until the interpreter ends are no leak of ours.
  nb::set_leak_warnings(false);
  m.def(
      "build_facts",
      [] {
        nb::dict facts;
        facts["build"] = RAMIFY_BUILD_TYPE;
        facts["compiler"] = RAMIFY_COMPILER;
        facts["target"] = RAMIFY_TARGET;
        facts["sanitizers"] = RAMIFY_SANITIZERS;
        return facts;
      },
      nb::sig("def build_facts() -> dict[str, str]"));

  ramify::bindings::register_errors();
  using namespace ramify::bindings;
  for (const auto add :
       {register_data, register_trees, register_projective, register_factors, register_graph, register_programs,
        register_inference_ad3, register_inference_bp, register_learn, register_neural, register_parsing,
        register_segmentation, register_tagging, register_summarization}) {
    add(m);
  }
}
