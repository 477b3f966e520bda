// Neighbouring modifiers of a head with the head's head. Templates: Koo & Collins (2010).
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/pools.hpp"
#include "ramify/parsing/kinds/relations.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateGroup kTemplates[] = {
    {"grand-sibling",
     "g.p h.p m.p s.p, g.t h.t m.t s.t, g.p m.p s.p, g.w h.p m.p s.p, g.p h.w m.p s.p, g.p h.p m.w s.p, "
     "g.p h.p m.p s.w, g.w m.p s.p, g.p m.w s.p, g.p m.p s.w, g.c h.c m.p s.p, g.p h.c m.c s.p, "
     "g.p h.c m.p s.c"},
};

int relation(const Roles& r, std::int32_t num_words) {
  return grand_relation(r[0], r[1], r[3] <= num_words ? r[3] : r[2], num_words);
}
std::string describe(unsigned directions) { return describe_grand(directions, "s"); }

}  // namespace

constinit const Kind kinds::kGrandSibling = {.names = {"grand-sibling", "ghms", "{g} → {h} → {m}, {s}"},
                                             .templates = kTemplates,
                                             .relation = {relation, describe},
                                             .shape = Shape::kGrandPair,
                                             .pool = quadruple_pool};

}  // namespace ramify::parsing
