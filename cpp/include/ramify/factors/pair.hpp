// Two binary variables and a score for having both on.
#pragma once

#include <memory>

#include "ramify/factors/factor_group.hpp"

namespace ramify::factors {

/// One part per factor, scored when both variables are on.
std::unique_ptr<FactorGroup> make_pair_group(Index num_factors);

}  // namespace ramify::factors
