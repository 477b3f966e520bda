// The best tree with each arc and without each arc, all in O(n^3). Derivation: docs/engine/max_marginals.md.
#pragma once

#include <cstdint>
#include <vector>

#include "ramify/trees/arborescence.hpp"

namespace ramify::trees {

struct MaxMarginalsWorkspace {
  template <class Score>
  struct Tables {
    std::vector<Score> loss, inside, outside, distance, potential, path;
  };
  ArborescenceWorkspace arborescence;
  Tables<double> plain;
  Tables<Lexicographic> counted;
  std::vector<std::int32_t> heads, order, first_child, next_sibling, entry, exit;
};

/// with_arc[h, m]: value of the best tree that contains the arc, -inf if none does (also in column 0 and on
/// the diagonal); without_arc[h, m], unless null: of the best that does not. Shapes and conventions as for
/// max_arborescence. Returns false, and leaves the outputs undefined, where no tree exists; heads receives
/// the best tree.
bool max_marginals(const double* scores, int num_words, bool single_root, double* with_arc, double* without_arc,
                   std::int32_t* heads, MaxMarginalsWorkspace& workspace);

}  // namespace ramify::trees
