// Do scores fit a graph?
#pragma once

#include "arrays.hpp"
#include "checks.hpp"
#include "ramify/graph/factor_graph.hpp"

namespace ramify::bindings {

inline void expect_scores(const graph::FactorGraph& graph, const In<double>& unary, const In<double>& parts) {
  expect_numbers("scores", unary, graph.num_coords());
  expect_numbers("part_scores", parts, graph.num_parts());
}

inline void expect_gradients(const graph::FactorGraph& graph, const In<double>& marginals, const In<double>& parts) {
  expect_numbers("grad_marginals", marginals, graph.num_coords());
  expect_numbers("grad_part_marginals", parts, graph.num_parts());
}

}  // namespace ramify::bindings
