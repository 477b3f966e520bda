// A word, its head and the head's head. Templates: Carreras (2007), Martins et al. (2013).
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/relations.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateLine kTemplates[] = {
    {"grand", "g.p h.p m.p"},
    {"grand", "g.t h.t m.t"},
    {"grand", "g.p h.p m.p dist"},
    {"grand", "g.p m.p"},
    {"grand", "g.t m.t"},
    {"grand", "g.w m.p"},
    {"grand", "g.p m.w"},
    {"grand", "g.w m.w"},
    {"grand", "g.w h.p m.p"},
    {"grand", "g.p h.w m.p"},
    {"grand", "g.p h.p m.w"},
    {"grand", "g.w h.w m.p"},
    {"grand", "g.w h.p m.w"},
    {"grand", "g.p h.w m.w"},
    {"grand", "g.l h.t m.t"},
    {"grand", "g.t h.l m.t"},
    {"grand", "g.t h.t m.l"},
    {"grand", "g.l m.l"},
    {"grand", "g.c h.c m.p"},
    {"grand", "g.c h.p m.c"},
    {"grand", "g.p h.c m.c"},
    {"grand", "g.p h.p m.F"},
    {"grand", "g.F h.F m.F"},
    {"grand", "g.p h.p m.p-1 m.p m.p+1"},
    {"grand", "g.p h.p-1 h.p h.p+1 m.p"},
    {"grand", "g.p-1 g.p g.p+1 h.p m.p"},
};

int relation(const Roles& r, std::int32_t num_words) { return grand_relation(r[0], r[1], r[2], num_words); }
std::string describe(unsigned directions) { return describe_grand(directions, "m"); }

}  // namespace

constinit const Kind kinds::kGrand = {
    .name = "grand",
    .roles = "ghm",
    .words = "{g} → {h} → {m}",
    .templates = kTemplates,
    .shape = Shape::kGrand,
    .relation = relation,
    .describe = describe,
};

}  // namespace ramify::parsing
