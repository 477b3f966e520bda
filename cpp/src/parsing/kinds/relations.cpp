#include "ramify/parsing/kinds/relations.hpp"

#include <cstdlib>

namespace ramify::parsing {

RelationFacts describe_relation(int relation) {
  static constexpr std::array<const char*, kDistances> kRanges = {"1",    "2",     "3",     "4",     "5",  "6-7",
                                                                  "8-10", "11-15", "16-20", "21-30", "31+"};
  return {kRanges[static_cast<std::size_t>(relation / kOrders)], static_cast<unsigned>(relation % kOrders)};
}

int pair_relation(const std::array<std::int32_t, 4>& r, std::int32_t) {
  return pack_relation(distance_bin(std::abs(r[0] - r[1])), order(r[0], r[1]));
}

std::string order_text(const char* a, const char* b, unsigned directions, unsigned bit) {
  const bool first = ((directions >> bit) & 1U) != 0;
  return first ? std::string(a) + "<" + b : std::string(b) + "<" + a;
}

int grand_relation(std::int32_t g, std::int32_t h, std::int32_t m, std::int32_t num_words) {
  if (m > num_words) return pack_relation(kDistances - 1, order(g, h));
  return pack_relation(distance_bin(std::abs(g - m)), order(g, h) + 2 * order(h, m) + 4 * order(g, m));
}

std::string describe_grand(unsigned directions, const char* modifier) {
  return order_text("g", "h", directions, 0) + " " + order_text("h", modifier, directions, 1) + " " +
         order_text("g", modifier, directions, 2);
}

}  // namespace ramify::parsing
