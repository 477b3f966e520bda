// Maximum arborescence (Chu & Liu 1965, Edmonds 1967, Tarjan 1977): O(n^2) on a matrix, O(a log a) on a arcs.
#pragma once

#include <cstdint>
#include <vector>

#include "ramify/trees/lexicographic.hpp"

namespace ramify::trees {

/// Scratch of max_arborescence; reuse it over a batch. What it holds between calls has no meaning.
struct ArborescenceWorkspace {
  template <class Score>
  struct Store {
    std::vector<Score> columns, best, keys, pending;
  };
  Store<double> plain;
  Store<Lexicographic> counted;
  std::vector<std::int32_t> modifiers, groups, best_head, slots, left, right, heaps, sets, queue;
  std::vector<std::int32_t> entering_head, entering_modifier, outer, state, path, members;
};

/// Candidate arcs, one entry each; modifiers are words (1..num_words), heads are words or the root 0.
struct ArcListView {
  const std::int32_t* heads;
  const std::int32_t* modifiers;
  const double* scores;
  std::int64_t num_arcs;
  int num_words;
};

/// Best tree over scores[head * (num_words + 1) + modifier]; column 0 and the diagonal are not read.
/// Writes heads[0..num_words], heads[0] = -1. With single_root exactly one word has the root as its head.
/// Returns false, and leaves heads undefined, where no tree exists.
bool max_arborescence(const double* scores, int num_words, bool single_root, std::int32_t* heads,
                      ArborescenceWorkspace& workspace);
bool max_arborescence(const ArcListView& arcs, bool single_root, std::int32_t* heads, ArborescenceWorkspace& workspace);

/// Sum of the scores of the arcs of a tree.
double tree_score(const double* scores, int num_words, const std::int32_t* heads);

}  // namespace ramify::trees
