// Arcs in the eyes of the small model that prunes: few templates, because it looks at every arc.
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/relations.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateGroup kTemplates[] = {
    {"prune",
     "h.p m.p dist, h.t m.t dist, h.p m.p, h.p h.w, m.p m.w, m.w dist, h.w dist, h.w m.p, h.p m.w, h.c m.c, "
     "h.c m.p dist, h.p m.c dist, h.t m.w, h.w m.t, h.l m.l, h.F m.F, h.p m.F dist, h.F m.p dist, "
     "h.p h.p+1 m.p-1 m.p, h.p-1 h.p m.p-1 m.p, h.p h.p+1 m.p m.p+1, h.p-1 h.p m.p m.p+1, "
     "h.p m.p-1 m.p m.p+1, h.p-1 h.p h.p+1 m.p, h.t m.t-1 m.t m.t+1, h.t-1 h.t h.t+1 m.t, "
     "m.p-2 m.p-1 m.p m.p+1 m.p+2, h.p m.p m.w-1, h.p m.p m.w+1, h.p m.p btw, h.t m.t btw, h.p b m.p"},
};

}  // namespace

constinit const Kind kinds::kPrune = {.names = {"prune", "hm", "{h} → {m}"},
                                      .templates = kTemplates,
                                      .relation = {pair_relation, head_order},
                                      .use = Use::kPruner};

}  // namespace ramify::parsing
