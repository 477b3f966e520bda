// Three neighbouring modifiers of a head on one side. Templates: Koo & Collins (2010).
#include <cstdlib>

#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/pools.hpp"
#include "ramify/parsing/kinds/relations.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateGroup kTemplates[] = {
    {"tri-sibling",
     "h.p m.p s.p t.p, h.t m.t s.t t.t, m.p s.p t.p, h.w m.p s.p t.p, h.p m.w s.p t.p, h.p m.p s.w t.p, "
     "h.p m.p s.p t.w, m.w s.p t.p, m.p s.w t.p, m.p s.p t.w, m.p t.p"},
};

int relation(const Roles& r, std::int32_t num_words) {
  const std::int32_t word = r[2] <= num_words ? r[2] : r[3];
  return pack_relation(distance_bin(std::abs(r[0] - word)), order(r[0], word));
}

std::string describe(unsigned directions) { return (directions & 1U) != 0 ? "right" : "left"; }

}  // namespace

constinit const Kind kinds::kTriSibling = {.names = {"tri-sibling", "hmst", "{h} → {m}, {s}, {t}"},
                                           .templates = kTemplates,
                                           .relation = {relation, describe},
                                           .shape = Shape::kTriple,
                                           .pool = quadruple_pool};

}  // namespace ramify::parsing
