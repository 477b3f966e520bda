// Counts: how many variables may be on, what their number scores, or how much they may cost together.
#pragma once

#include <memory>

#include "ramify/factors/factor_group.hpp"
#include "ramify/factors/projections.hpp"

namespace ramify::factors {

/// The number of true literals is at most, exactly or at least budgets[f].
std::unique_ptr<FactorGroup> make_budget(Index num_factors, Offsets slots, std::vector<std::uint8_t> negated,
                                         std::vector<std::int32_t> budgets, Relation relation);

/// The costs of the variables that are on sum to at most capacities[f]. Exact for everything but project() and
/// constraints(), which use the linear relaxation, as Almeida & Martins (2013), Appendix A.
std::unique_ptr<FactorGroup> make_knapsack(Index num_factors, Offsets slots, std::vector<std::int32_t> costs,
                                           std::vector<std::int32_t> capacities);

/// A score for the number of variables that are on: 0, 1, …, num_scores[f] - 2, and one for all larger numbers.
/// Valency indicators of Martins, Smith & Xing (2009), section 3.4.
std::unique_ptr<FactorGroup> make_count(Index num_factors, Offsets slots, std::vector<std::int32_t> num_scores);

}  // namespace ramify::factors
