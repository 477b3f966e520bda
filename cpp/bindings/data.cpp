#include "bindings.hpp"

namespace ramify::bindings {

void register_data(nanobind::module_&) {}

}  // namespace ramify::bindings
