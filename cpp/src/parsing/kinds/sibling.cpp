// Neighbouring modifiers of a head on one side. Templates: Carreras (2007), Martins et al. (2013).
#include <algorithm>
#include <cstdlib>

#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/pools.hpp"
#include "ramify/parsing/kinds/relations.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateGroup kTemplates[] = {
    {"sibling",
     "h.p m.p s.p, h.p m.p s.p dist, h.t m.t s.t, m.p s.p dist, m.t s.t, h.w m.p s.p, h.p m.w s.p, "
     "h.p m.p s.w, m.w s.p, m.p s.w, m.w s.w, h.p m.w s.w, h.w m.w s.p, h.w m.p s.w, h.l m.t s.t, "
     "h.t m.l s.t, h.t m.t s.l, m.l s.l, h.c m.c s.p, h.c m.p s.c, h.p m.c s.c, h.p m.F s.F, h.F m.F s.F, "
     "h.p m.p m.p+1 s.p-1 s.p, h.p m.p s.p-1 s.p s.p+1, h.p m.p-1 m.p m.p+1 s.p, h.p-1 h.p h.p+1 m.p s.p"},
};

/// The distance of the two modifiers; of the head where only one of them is a word.
int relation(const Roles& r, std::int32_t n) {
  int distance = kDistances - 1;  // no modifier on this side
  if (r[1] <= n && r[2] <= n) {
    distance = distance_bin(std::abs(r[1] - r[2]));
  } else if (r[1] <= n || r[2] <= n) {
    distance = distance_bin(std::abs(r[0] - std::min(r[1], r[2])));
  }
  return pack_relation(distance, r[3] + (r[1] > n && r[2] > n ? 2 : 0));
}

std::string describe(unsigned directions) {
  return std::string((directions & 1U) != 0 ? "right" : "left") + ((directions & 2U) != 0 ? " none" : "");
}

}  // namespace

constinit const Kind kinds::kSibling = {.names = {"sibling", "hms", "{h} → {m}, {s} ({side})"},
                                        .templates = kTemplates,
                                        .relation = {relation, describe},
                                        .shape = Shape::kPair,
                                        .extra = Extra::kSide,
                                        .pool = triple_pool};

}  // namespace ramify::parsing
