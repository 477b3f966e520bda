// Which sets of words a fractional tree forgets to connect to the root.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ramify::inference {

/// Sets of words into which arcs of less than one unit (minus tolerance) lead, as one flag per word 0..num_words and
/// set; at most one set per word, no set twice. Empty exactly if x, with one unit of arcs into every word, lies in the
/// arborescence polytope (within the tolerance). By reachability where that already shows a set, else by minimum cuts.
std::vector<std::vector<std::uint8_t>> violated_cuts(std::span<const std::int32_t> heads,
                                                     std::span<const std::int32_t> modifiers, std::int32_t num_words,
                                                     std::span<const double> x, double tolerance);

}  // namespace ramify::inference
