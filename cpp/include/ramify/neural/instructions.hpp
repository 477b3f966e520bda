// Which instructions multiply bytes. All give the same numbers; tests and benchmarks compare them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ramify::neural {

/// Returns the instruction sets of this processor, the fastest first, which is the default.
std::vector<std::string> available_instructions();
/// Selects the instructions for all networks from now on. Throws std::invalid_argument if they are not available.
void use_instructions(std::string_view name);

}  // namespace ramify::neural
