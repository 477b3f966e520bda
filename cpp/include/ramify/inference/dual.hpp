// Dual decomposition: what the factors reach on their own bounds what they can reach together.
#pragma once

#include <functional>
#include <vector>

#include "ramify/graph/factor_graph.hpp"

namespace ramify::inference {

using factors::AssignmentOut;
using factors::Index;
using factors::Point;
using factors::Scores;
using graph::FactorGraph;

/// Where the first variables settle all others: roundings and branching are about those. fill() writes the rest;
/// round() writes first states near a point of the relaxation that scores and graph allow; false if there are none.
struct Completion {
  Index num_given;
  std::function<void(AssignmentOut y)> fill;
  std::function<bool(Scores unary, Scores u, AssignmentOut y)> round;
};

/// A graph with the scores of its coordinates (+-inf: evidence) and of its parts.
struct ScoredGraph {
  const FactorGraph& graph;
  Scores unary;
  Scores parts;
  const Completion* completion = nullptr;
};

/// Why a problem has no solution, where that is known.
struct Conflict {
  Index group = -1;
  Index factor = -1;    // within the group
  Index variable = -1;  // a variable that is in no factor and has no state left
  bool any() const { return group >= 0 || variable >= 0; }
};

/// Every factor's best assignment under scores of its edges. slots: one state per slot; values: one per factor.
/// Returns the sum of the values.
double maximise_factors(const FactorGraph& graph, Scores edge_scores, Scores parts, AssignmentOut slots, Point values,
                        factors::Workspace& ws);

/// What a dual bound can be too low by: the shares of a coordinate (times unit) should sum to its score, and drift away
/// from it by rounding; and the factors' own sums are rounded.
double rounding_of_bound(const ScoredGraph& problem, Scores shares, double unit);

/// The same for variables that no factor has: writes their indicators to u, returns the sum of their scores.
double maximise_free_variables(const ScoredGraph& problem, Point u, Conflict& conflict);

/// Objective of an assignment; a coordinate at +inf counts as 0 if it is on, and forbids all if it is off.
double value_of(const ScoredGraph& problem, factors::Assignment y);

/// Objective of a point of the relaxation: indicators of the coordinates and of the parts. Evidence counts as 0.
double relaxed_value(const ScoredGraph& problem, Scores u, Scores nu);

/// No feasible assignment scores less: an upper bound below it proves that there is none.
double lowest_value(const ScoredGraph& problem);

/// Mean size of the finite scores that are not zero: steps and penalties are relative to it.
double score_spread(const ScoredGraph& problem);

}  // namespace ramify::inference
