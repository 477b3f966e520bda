// Arcs, which every model scores. Templates: McDonald, Crammer & Pereira (2005).
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/pools.hpp"
#include "ramify/parsing/kinds/relations.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateGroup kTemplates[] = {
    {"word", "h.w, h.w h.p, h.p dist, h.t dist, h.w dist, m.w, m.w m.p, m.p dist, m.t dist, m.w dist"},
    {"lemma", "h.l dist, m.l dist"},
    {"affix", "h.c h.p dist, m.c m.p dist, h.s h.p, m.s m.p, h.x m.x h.p m.p"},
    {"morphology", "h.F dist, m.F dist"},
    // two words
    {"pair",
     "h.p m.p, h.p m.p dist, h.t m.t, h.t m.t dist, h.w m.w, h.w m.w dist, h.w h.p m.w m.p, h.w m.p, "
     "h.w m.p dist, h.p m.w, h.p m.w dist, h.w h.p m.p, h.p m.w m.p, h.w m.t dist, h.t m.w dist"},
    {"lemma", "h.l m.l, h.l m.l dist, h.l m.p dist, h.p m.l dist, h.l m.t, h.t m.l"},
    {"affix", "h.c m.c, h.c m.p dist, h.p m.c dist, h.c m.t, h.t m.c, h.s m.s, h.s m.p, h.p m.s"},
    {"morphology",
     "h.F m.F, h.F m.F dist, h.p h.F m.p m.F, h.p m.p m.F dist, h.p h.F m.p dist, h.l m.F, h.F m.l, "
     "h.p h.f m.p m.f, h.p m.p m.f dist, h.p h.f m.p dist"},
    // words around
    {"around",
     "h.p h.p+1 m.p-1 m.p, h.p-1 h.p m.p-1 m.p, h.p h.p+1 m.p m.p+1, h.p-1 h.p m.p m.p+1, "
     "h.p h.p+1 m.p-1 m.p dist, h.p-1 h.p m.p-1 m.p dist, h.p h.p+1 m.p m.p+1 dist, h.p-1 h.p m.p m.p+1 dist, "
     "h.t h.t+1 m.t-1 m.t, h.t-1 h.t m.t-1 m.t, h.t h.t+1 m.t m.t+1, h.t-1 h.t m.t m.t+1, h.p m.p-1 m.p dist, "
     "h.p m.p m.p+1 dist, h.p h.p+1 m.p dist, h.p-1 h.p m.p dist, h.t m.t-1 m.t, h.t m.t m.t+1, "
     "h.t h.t+1 m.t, h.t-1 h.t m.t, h.p m.p-1 m.p m.p+1, h.p-1 h.p h.p+1 m.p, h.p m.p-2 m.p-1 m.p, "
     "h.p m.p m.p+1 m.p+2, h.p h.p+1 h.p+2 m.p, h.p-2 h.p-1 h.p m.p, m.p-1 m.p m.p+1 dist, "
     "h.p-1 h.p h.p+1 dist"},
    {"around-words",
     "h.p m.p m.w-1, h.p m.p m.w+1, h.p h.w-1 m.p, h.p h.w+1 m.p, h.w m.p m.w-1, h.w m.p m.w+1, "
     "h.p m.w m.w-1, h.p m.w m.w+1"},
    // words between
    {"between",
     "h.p m.p btw, h.t m.t btw, h.w m.p btw, h.p m.w btw, h.p m.p dist btw, h.p b m.p, h.t b m.t, h.w b m.p, "
     "h.p b m.w"},
};

void read(const TreeView& tree, std::vector<Part>& out) {
  out.push_back({PartKind::kArc, 0, {tree.head_of(tree.word), tree.word, 0, 0}});
}

}  // namespace

constinit const Kind kinds::kArc = {.names = {"arc", "hm", "{h} → {m}"},
                                    .templates = kTemplates,
                                    .relation = {pair_relation, head_order},
                                    .use = Use::kAlways,
                                    .pool = arc_pool,
                                    .reading = {Place::kWord, read}};

}  // namespace ramify::parsing
