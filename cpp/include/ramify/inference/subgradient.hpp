// Dual decomposition by subgradient steps, the baseline: Koo, Rush, Collins, Jaakkola & Sontag (2010).
#pragma once

#include "ramify/inference/ad3.hpp"

namespace ramify::inference {

struct SubgradientOptions {
  Index max_iterations;
  double step;        // first step size, relative to the spread of the scores
  Index check_every;  // iterations between roundings
  double time_limit;  // seconds
};

/// duals: one per edge; in: the start (empty: zeros), out: those of the best bound.
Ad3Result solve_subgradient(const ScoredGraph& problem, const SubgradientOptions& options, std::vector<double>& duals);

}  // namespace ramify::inference
