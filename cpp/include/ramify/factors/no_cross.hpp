// A penalty (or reward) for two words whose arcs from their heads cross.
#pragma once

#include <memory>

#include "ramify/factors/factor_group.hpp"

namespace ramify::factors {

/// Whether one end of the second arc lies strictly between the ends of the first, and the other strictly outside.
bool arcs_cross(std::int32_t a1, std::int32_t a2, std::int32_t b1, std::int32_t b2);

/// Arcs into two words of a sentence, first those of the one, then those of the other; exactly one of either is on.
/// One part per factor, scored when the two arcs cross.
struct CrossingWords {
  Index num_factors;
  Offsets slots;
  std::vector<std::int32_t> heads;       // one per slot
  std::vector<std::int32_t> first_word;  // one per factor
  std::vector<std::int32_t> second_word;
  std::vector<std::int32_t> num_first;  // arcs into the first word
};

/// NOCROSS of Smith & Eisner (2008), sections 3.4 and 5.3: O(n log n), by partial sums.
std::unique_ptr<FactorGroup> make_no_cross(CrossingWords words);

}  // namespace ramify::factors
