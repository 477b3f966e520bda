// A word, its head and the head's head. Templates: Carreras (2007), Martins et al. (2013).
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/pools.hpp"
#include "ramify/parsing/kinds/relations.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateGroup kTemplates[] = {
    {"grand",
     "g.p h.p m.p, g.t h.t m.t, g.p h.p m.p dist, g.p m.p, g.t m.t, g.w m.p, g.p m.w, g.w m.w, g.w h.p m.p, "
     "g.p h.w m.p, g.p h.p m.w, g.w h.w m.p, g.w h.p m.w, g.p h.w m.w, g.l h.t m.t, g.t h.l m.t, g.t h.t m.l, "
     "g.l m.l, g.c h.c m.p, g.c h.p m.c, g.p h.c m.c, g.p h.p m.F, g.F h.F m.F, g.p h.p m.p-1 m.p m.p+1, "
     "g.p h.p-1 h.p h.p+1 m.p, g.p-1 g.p g.p+1 h.p m.p"},
};

int relation(const Roles& r, std::int32_t num_words) { return grand_relation(r[0], r[1], r[2], num_words); }
std::string describe(unsigned directions) { return describe_grand(directions, "m"); }

}  // namespace

constinit const Kind kinds::kGrand = {.names = {"grand", "ghm", "{g} → {h} → {m}"},
                                      .templates = kTemplates,
                                      .relation = {relation, describe},
                                      .shape = Shape::kGrand,
                                      .pool = triple_pool};

}  // namespace ramify::parsing
