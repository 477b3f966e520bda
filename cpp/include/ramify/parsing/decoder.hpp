// From a scored sentence to its best tree.
#pragma once

#include "ramify/inference/ad3.hpp"
#include "ramify/parsing/problem.hpp"
#include "ramify/trees/arborescence.hpp"

namespace ramify::parsing {

struct DecoderOptions {
  TreeKind tree;
  bool single_root;
  inference::Ad3Options ad3;
};

struct Parse {
  std::vector<std::int32_t> heads;   // n + 1, -1 first; empty if there is no tree
  std::vector<std::int32_t> labels;  // n + 1, -1 first
  double value = 0.0;                // score of the tree, costs included
  double bound = 0.0;
  bool certified = false;
  std::int32_t iterations = 0;
};

struct DecoderScratch {
  trees::ArborescenceWorkspace arborescence;
};

/// Exact where arcs are all there is (and the tree is non-projective); AD3 otherwise.
Parse decode(const Candidates& candidates, const ArcScores& arcs, Scorer& scorer, const DecoderOptions& options,
             DecoderScratch& scratch);

}  // namespace ramify::parsing
