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
  ramify::bindings::register_data(m);
  ramify::bindings::register_trees(m);
  ramify::bindings::register_projective(m);
  ramify::bindings::register_factors(m);
  ramify::bindings::register_graph(m);
  ramify::bindings::register_programs(m);
  ramify::bindings::register_inference_ad3(m);
  ramify::bindings::register_inference_bp(m);
  ramify::bindings::register_learn(m);
  ramify::bindings::register_parsing(m);
  ramify::bindings::register_segmentation(m);
  ramify::bindings::register_tagging(m);
}
