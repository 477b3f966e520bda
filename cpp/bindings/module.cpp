#include <nanobind/nanobind.h>

#include "bindings.hpp"
#include "checks.hpp"

namespace nb = nanobind;

NB_MODULE(_core, m) {
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
  for (const auto add : {register_data, register_trees, register_projective, register_factors, register_graph,
                         register_programs, register_inference_ad3, register_inference_bp, register_learn,
                         register_parsing, register_segmentation, register_tagging}) {
    add(m);
  }
}
