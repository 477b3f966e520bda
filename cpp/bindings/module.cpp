#include <nanobind/nanobind.h>

#include "bindings.hpp"

namespace nb = nanobind;

NB_MODULE(_core, m) {
  m.doc() = "The C++ core of ramify. Private: use the packages of ramify instead.";
  nb::dict build;
  build["type"] = RAMIFY_BUILD_TYPE;
  build["compiler"] = RAMIFY_COMPILER;
  build["target"] = RAMIFY_TARGET;
  build["sanitizers"] = RAMIFY_SANITIZERS;
  m.attr("build_facts") = build;

  ramify::bindings::register_data(m);
  ramify::bindings::register_trees(m);
  ramify::bindings::register_projective(m);
  ramify::bindings::register_factors(m);
}
