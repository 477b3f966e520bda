// What a user knows about a sentence before it is parsed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ramify::parsing {

struct Constraint {
  enum class Kind : std::uint8_t { kHead, kNotHead, kLabel };
  Kind kind;
  std::int32_t word;
  std::int32_t value;  // head or label
};

/// The arcs and labels that constraints leave.
struct Allowed {
  std::vector<std::uint8_t> arcs;                 // 0/1 at [head * (n + 1) + modifier]; empty: all
  std::vector<std::vector<std::int32_t>> labels;  // by word, empty list: any; empty: no word has any
};
Allowed apply(std::span<const Constraint> constraints, std::int32_t num_words);

/// Of constraints that allow no tree, a subset that allows none either but would without any one of it; indices.
std::vector<std::int32_t> find_conflict(std::span<const Constraint> constraints, std::int32_t num_words,
                                        bool single_root, bool projective);

}  // namespace ramify::parsing
