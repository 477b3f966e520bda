// Neighbouring modifiers of a head on one side. Templates: Carreras (2007), Martins et al. (2013).
#include <algorithm>
#include <cstdlib>

#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/relations.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateLine kTemplates[] = {
    {"sibling", "h.p m.p s.p"},
    {"sibling", "h.p m.p s.p dist"},
    {"sibling", "h.t m.t s.t"},
    {"sibling", "m.p s.p dist"},
    {"sibling", "m.t s.t"},
    {"sibling", "h.w m.p s.p"},
    {"sibling", "h.p m.w s.p"},
    {"sibling", "h.p m.p s.w"},
    {"sibling", "m.w s.p"},
    {"sibling", "m.p s.w"},
    {"sibling", "m.w s.w"},
    {"sibling", "h.p m.w s.w"},
    {"sibling", "h.w m.w s.p"},
    {"sibling", "h.w m.p s.w"},
    {"sibling", "h.l m.t s.t"},
    {"sibling", "h.t m.l s.t"},
    {"sibling", "h.t m.t s.l"},
    {"sibling", "m.l s.l"},
    {"sibling", "h.c m.c s.p"},
    {"sibling", "h.c m.p s.c"},
    {"sibling", "h.p m.c s.c"},
    {"sibling", "h.p m.F s.F"},
    {"sibling", "h.F m.F s.F"},
    {"sibling", "h.p m.p m.p+1 s.p-1 s.p"},
    {"sibling", "h.p m.p s.p-1 s.p s.p+1"},
    {"sibling", "h.p m.p-1 m.p m.p+1 s.p"},
    {"sibling", "h.p-1 h.p h.p+1 m.p s.p"},
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

constinit const Kind kinds::kSibling = {
    .name = "sibling",
    .roles = "hms",
    .words = "{h} → {m}, {s} ({side})",
    .templates = kTemplates,
    .shape = Shape::kPair,
    .extra = Extra::kSide,
    .relation = relation,
    .describe = describe,
};

}  // namespace ramify::parsing
