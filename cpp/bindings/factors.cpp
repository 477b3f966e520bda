#include "bindings.hpp"

namespace ramify::bindings {

void register_factors(nanobind::module_&) {}

}  // namespace ramify::bindings
