// Sums over all assignments of a small graph, one after the other.
#pragma once

#include <vector>

#include "ramify/graph/factor_graph.hpp"

namespace ramify::inference {

using factors::Index;
using factors::Point;
using factors::Scores;

/// Number of assignments, or -1 if above the limit.
Index count_assignments(const graph::FactorGraph& graph, Index limit);

/// Score of every assignment, the last variable varying fastest; -inf where forbidden. A unary score of +inf forces a
/// binary variable on and counts as 0.
std::vector<double> log_weights(const graph::FactorGraph& graph, Scores unary, Scores parts);

/// For every assignment, the sum of `coords` over the states that it takes and of `parts` over its parts.
std::vector<double> dot_products(const graph::FactorGraph& graph, Scores coords, Scores parts);

/// Sums of the assignments' indicators, each times its number in `weights`: of coordinates and of parts.
void weighted_sums(const graph::FactorGraph& graph, Scores weights, Point coords, Point parts);

}  // namespace ramify::inference
