// Arborescences over a set of candidate arcs, all of them or the projective ones.
#pragma once

#include <memory>

#include "ramify/factors/factor_group.hpp"

namespace ramify::factors {

/// The candidate arcs of each factor, one binary variable each; heads from 0 (the root), modifiers from 1.
struct ArcSets {
  Index num_factors;
  Offsets slots;
  std::vector<std::int32_t> heads;
  std::vector<std::int32_t> modifiers;
  std::vector<std::int32_t> num_words;  // one per factor
  bool single_root;
};

/// The arcs that are on form an arborescence with root 0 over the words 1..n. Smith & Eisner (2008), section 5.3:
/// TREE by the matrix-tree theorem; constraints() is the multi-commodity flow, which is exact.
std::unique_ptr<FactorGroup> make_tree(ArcSets arcs);

/// The same and no two arcs cross, nor does an arc cover the root: PTREE by inside-outside.
std::unique_ptr<FactorGroup> make_projective_tree(ArcSets arcs);

/// Trees as a single-commodity flow: far fewer columns than make_tree's constraints, but a relaxation (Martins, Smith
/// & Xing 2009, section 3.1).
Constraints single_commodity_constraints(std::span<const std::int32_t> heads, std::span<const std::int32_t> modifiers,
                                         std::int32_t num_words, bool single_root);

/// One head per word (and one word under the root): the constraints with which a tree starts when cycles are cut off
/// one by one.
Constraints one_head_constraints(std::span<const std::int32_t> heads, std::span<const std::int32_t> modifiers,
                                 std::int32_t num_words, bool single_root);

}  // namespace ramify::factors
