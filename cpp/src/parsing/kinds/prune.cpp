// Arcs in the eyes of the small model that prunes: few templates, because it looks at every arc.
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/relations.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateLine kTemplates[] = {
    {"prune", "h.p m.p dist"},
    {"prune", "h.t m.t dist"},
    {"prune", "h.p m.p"},
    {"prune", "h.p h.w"},
    {"prune", "m.p m.w"},
    {"prune", "m.w dist"},
    {"prune", "h.w dist"},
    {"prune", "h.w m.p"},
    {"prune", "h.p m.w"},
    {"prune", "h.c m.c"},
    {"prune", "h.c m.p dist"},
    {"prune", "h.p m.c dist"},
    {"prune", "h.t m.w"},
    {"prune", "h.w m.t"},
    {"prune", "h.l m.l"},
    {"prune", "h.F m.F"},
    {"prune", "h.p m.F dist"},
    {"prune", "h.F m.p dist"},
    {"prune", "h.p h.p+1 m.p-1 m.p"},
    {"prune", "h.p-1 h.p m.p-1 m.p"},
    {"prune", "h.p h.p+1 m.p m.p+1"},
    {"prune", "h.p-1 h.p m.p m.p+1"},
    {"prune", "h.p m.p-1 m.p m.p+1"},
    {"prune", "h.p-1 h.p h.p+1 m.p"},
    {"prune", "h.t m.t-1 m.t m.t+1"},
    {"prune", "h.t-1 h.t h.t+1 m.t"},
    {"prune", "m.p-2 m.p-1 m.p m.p+1 m.p+2"},
    {"prune", "h.p m.p m.w-1"},
    {"prune", "h.p m.p m.w+1"},
    {"prune", "h.p m.p btw"},
    {"prune", "h.t m.t btw"},
    {"prune", "h.p b m.p"},
};

}  // namespace

constinit const Kind kinds::kPrune = {
    .name = "prune",
    .roles = "hm",
    .words = "{h} → {m}",
    .templates = kTemplates,
    .use = Use::kPruner,
    .relation = pair_relation,
    .describe = head_order,
};

}  // namespace ramify::parsing
