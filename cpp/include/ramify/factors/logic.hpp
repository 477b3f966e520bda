// Hard constraints of first-order logic over binary variables, any of them negated.
#pragma once

#include <memory>

#include "ramify/factors/factor_group.hpp"

namespace ramify::factors {

/// Smith & Eisner (2008), section 3.3; Martins et al. (2010), Table 1. Negation gives the rest: XOR-OUT is
/// EXACTLY-ONE with the output negated, NAND and IMPLY are OR, AND-OUT is OR-OUT with everything negated.
enum class LogicRule {
  kExactlyOne,
  kAtMostOne,
  kOr,
  kOrOut,  // the last variable is on exactly if some other is
};

/// negated: one flag per slot, or empty.
std::unique_ptr<FactorGroup> make_logic(std::string family, LogicRule rule, Index num_factors, Offsets slots,
                                        std::vector<std::uint8_t> negated);

}  // namespace ramify::factors
