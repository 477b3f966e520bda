// From marginals to an assignment that every factor allows.
#pragma once

#include <vector>

#include "ramify/inference/dual.hpp"

namespace ramify::inference {

/// Each variable at its largest marginal; a binary one is on above one half.
void round_variables(const FactorGraph& graph, Scores u, AssignmentOut y);

/// Where plain rounding is forbidden: factor by factor, the largest first, the best assignment that its variables'
/// marginals allow, given the variables that are settled. Returns the value, -inf where nothing was found.
double round_to_feasible(const ScoredGraph& problem, Scores u, AssignmentOut y, factors::Workspace& ws);

}  // namespace ramify::inference
