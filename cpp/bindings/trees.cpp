#include "bindings.hpp"

namespace ramify::bindings {

void register_trees(nanobind::module_&) {}

}  // namespace ramify::bindings
