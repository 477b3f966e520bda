// Which words of a parsed sentence are left out; a word is always left out with its whole subtree.
#pragma once

#include <memory>

#include "ramify/factors/factor_group.hpp"

namespace ramify::factors {

/// A word stays only if its head stays. One part per word, scored when the word is cut off from a head that stays
/// (or from the root). Almeida & Martins (2013), section 3.2. heads: within the factor, -1 for the root; any forest.
std::unique_ptr<FactorGroup> make_compression_tree(Index num_factors, Offsets slots, std::vector<std::int32_t> heads);

}  // namespace ramify::factors
