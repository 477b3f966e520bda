// The k best trees, each once, by Lawler's partition of the space of trees (Lawler 1972).
#pragma once

#include <cstdint>
#include <vector>

#include "ramify/trees/arborescence.hpp"

namespace ramify::trees {

struct RankedTree {
  double value;
  std::vector<std::int32_t> heads;
};

/// At most k trees, from the best on; fewer where there are fewer. O(k n^3).
std::vector<RankedTree> k_best(const double* scores, int num_words, std::int64_t k, bool single_root,
                               ArborescenceWorkspace& workspace);

}  // namespace ramify::trees
