// The integer optimum: branch and bound with AD3's dual bounds.
#pragma once

#include "ramify/inference/ad3.hpp"

namespace ramify::inference {

struct ExactOptions {
  Ad3Options relaxation;  // of the root; its time limit is that of the whole search
  Index node_iterations;  // AD3 iterations at every other node
  Index max_nodes;
  bool clusters;  // graphs of small tables are searched by clusters: a slow start, and far fewer nodes
};

struct ExactResult {
  Ad3Result relaxation;  // of the root, with the search's value, bound, assignment and status
  Index nodes = 0;
};

/// Best bound first, diving from each node it picks; states that cannot beat the incumbent are fixed by the factors'
/// max-marginals. state is left at the root's relaxation.
[[gnu::visibility("default")]] ExactResult solve_exact(const ScoredGraph& problem, const ExactOptions& options,
                                                       Ad3State& state);

}  // namespace ramify::inference
