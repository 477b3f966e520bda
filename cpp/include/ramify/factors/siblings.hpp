// Head automata: scores for the sequence of modifiers that one head takes on one side.
#pragma once

#include <memory>

#include "ramify/factors/factor_group.hpp"

namespace ramify::factors {

/// All: the binary variables of a factor's modifiers come in order away from the head, n of them, and
/// positions 0 (start) and n + 1 (stop) stand around them.

/// Parts (m, s), 0 <= m < s <= n + 1, row by row: neighbours in the sequence, start and stop included.
/// CHILDSEQ of Smith & Eisner (2008), section 5.3, one side; O(n^2).
std::unique_ptr<FactorGroup> make_consecutive_siblings(Index num_factors, Offsets slots);

/// The polytope of such a factor over n variables by the "dynamic" constraints of Martins, Smith & Xing (2009), section
/// 3.3, looser than the convex hull that its automaton gives: first children, next siblings, and last children
/// likewise. Theirs share a word's auxiliaries among its heads, which is looser once more.
Constraints dynamic_sibling_constraints(Index n);

/// The first num_heads[f] variables are the arcs into the head, of which exactly one is on (0 of them: none is
/// needed); for each of these (for none: once) the parts (m, s) as above. Martins, Almeida & Smith (2013), section 3.
std::unique_ptr<FactorGroup> make_grand_siblings(Index num_factors, Offsets slots, std::vector<std::int32_t> num_heads);

/// The first variable is one arc into the head; the parts (m, s) as above count only where it is on. Unlike
/// make_grand_siblings it repeats no constraint of the tree, which belief propagation would count twice.
std::unique_ptr<FactorGroup> make_gated_siblings(Index num_factors, Offsets slots);

/// Parts (l, m, s), 0 <= l < m < s <= n + 1, row by row: three neighbours in the sequence, so none for an empty one.
/// Martins, Almeida & Smith (2013), section 3.
std::unique_ptr<FactorGroup> make_tri_siblings(Index num_factors, Offsets slots);

/// The last two in one: for each head's head a part for "no modifier", then the parts (l, m, s). Tighter than two
/// factors that have to agree.
std::unique_ptr<FactorGroup> make_grand_tri_siblings(Index num_factors, Offsets slots,
                                                     std::vector<std::int32_t> num_heads);

}  // namespace ramify::factors
