// Distances and directions of the words of a part, packed into one number.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace ramify::parsing {

inline constexpr int kDistances = 11;  // ranges; the last one stands for "none" where a kind has no distance
inline constexpr int kOrders = 8;      // directions of up to three pairs of words, or another small number
inline constexpr int kRelations = kDistances * kOrders;

inline int distance_bin(std::int32_t d) {
  if (d <= 5) return d < 1 ? 0 : d - 1;
  if (d <= 7) return 5;
  if (d <= 10) return 6;
  if (d <= 15) return 7;
  if (d <= 20) return 8;
  return d <= 30 ? 9 : 10;
}

inline int pack_relation(int distance, int directions) { return distance * kOrders + directions; }

/// 1 if a stands left of b.
inline int order(std::int32_t a, std::int32_t b) { return a < b ? 1 : 0; }

/// What pack_relation took, the distance as its range.
struct RelationFacts {
  const char* distance;
  unsigned directions;
};
RelationFacts describe_relation(int relation);

/// The relation of the first two words: how far apart, and whether the first one stands left.
int pair_relation(const std::array<std::int32_t, 4>& roles, std::int32_t num_words);

/// "a<b" where the bit of the directions says so, "b<a" otherwise.
std::string order_text(const char* a, const char* b, unsigned directions, unsigned bit);
/// Of a head's head, a head and a modifier: the distance of the outer two, and the order of each two.
int grand_relation(std::int32_t g, std::int32_t h, std::int32_t m, std::int32_t num_words);
std::string describe_grand(unsigned directions, const char* modifier);
inline std::string head_order(unsigned directions) { return order_text("h", "m", directions, 0); }

}  // namespace ramify::parsing
