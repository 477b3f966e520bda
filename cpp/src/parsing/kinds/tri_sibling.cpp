// Three neighbouring modifiers of a head on one side. Templates: Koo & Collins (2010).
#include <cstdlib>

#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/relations.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateLine kTemplates[] = {
    {"tri-sibling", "h.p m.p s.p t.p"}, {"tri-sibling", "h.t m.t s.t t.t"}, {"tri-sibling", "m.p s.p t.p"},
    {"tri-sibling", "h.w m.p s.p t.p"}, {"tri-sibling", "h.p m.w s.p t.p"}, {"tri-sibling", "h.p m.p s.w t.p"},
    {"tri-sibling", "h.p m.p s.p t.w"}, {"tri-sibling", "m.w s.p t.p"},     {"tri-sibling", "m.p s.w t.p"},
    {"tri-sibling", "m.p s.p t.w"},     {"tri-sibling", "m.p t.p"},
};

int relation(const Roles& r, std::int32_t num_words) {
  const std::int32_t word = r[2] <= num_words ? r[2] : r[3];
  return pack_relation(distance_bin(std::abs(r[0] - word)), order(r[0], word));
}

std::string describe(unsigned directions) { return (directions & 1U) != 0 ? "right" : "left"; }

}  // namespace

constinit const Kind kinds::kTriSibling = {
    .name = "tri-sibling",
    .roles = "hmst",
    .words = "{h} → {m}, {s}, {t}",
    .templates = kTemplates,
    .shape = Shape::kTriple,
    .relation = relation,
    .describe = describe,
};

}  // namespace ramify::parsing
