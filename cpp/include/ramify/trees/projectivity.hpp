// Shape of a given tree: is it one, is it projective, how far is it from projective.
//
// heads[m] is the head of word m = 1..n; heads[0] is not read. Everything but is_tree expects a tree.
#pragma once

#include <cstdint>
#include <span>

namespace ramify::trees {

using Heads = std::span<const std::int32_t>;

/// Every word reaches the root 0; with single_root, exactly one word (of a non-empty sentence) is its
/// modifier.
bool is_tree(Heads heads, bool single_root);

/// mask[m] = 1 if some word strictly between m and its head is not a descendant of that head. Arcs from the
/// root never are.
void nonprojective_arcs(Heads heads, std::uint8_t* mask);

/// mask[m] = 1 if the arc into m crosses another arc, with the root placed left of the first word.
void crossing_arcs(Heads heads, std::uint8_t* mask);

/// The largest number of gaps in the yield of a word (Kuhlmann & Nivre 2006): 0 for projective trees.
int gap_degree(Heads heads);

/// Lifts the shortest non-projective arc (the leftmost of several) to its head's head until the tree is
/// projective (Nivre & Nilsson 2005). Returns the number of lifts.
int projectivize(std::span<std::int32_t> heads);

}  // namespace ramify::trees
