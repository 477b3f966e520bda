// Do scores fit a graph?
#pragma once

#include <cstddef>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"
#include "ramify/graph/factor_graph.hpp"

namespace ramify::bindings {

inline void expect_scores(const graph::FactorGraph& graph, const In<double>& unary, const In<double>& parts) {
  expect_numbers("scores", unary, graph.num_coords());
  expect_numbers("part_scores", parts, graph.num_parts());
}

/// Checked scores of a graph, as copies: a factor written in Python or another thread may change the arrays during the
/// call, and what was checked must be what is read.
struct CheckedScores {
  std::vector<double> unary, parts;
  CheckedScores(const graph::FactorGraph& graph, const In<double>& unary_scores, const In<double>& part_scores)
      : unary(copy(unary_scores)), parts(copy(part_scores)) {
    expect_size("scores", unary.size(), static_cast<std::size_t>(graph.num_coords()));
    expect_numbers("scores", unary);
    expect_size("part_scores", parts.size(), static_cast<std::size_t>(graph.num_parts()));
    expect_numbers("part_scores", parts);
  }
};

inline void expect_gradients(const graph::FactorGraph& graph, const In<double>& marginals, const In<double>& parts) {
  expect_numbers("grad_marginals", marginals, graph.num_coords());
  expect_numbers("grad_part_marginals", parts, graph.num_parts());
}

}  // namespace ramify::bindings
