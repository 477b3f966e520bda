// Labels of arcs, which every model scores: each feature is conjoined with the label.
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/pools.hpp"
#include "ramify/parsing/kinds/relations.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateGroup kTemplates[] = {
    {"word", "m.w, m.p, m.t, m.w m.p, h.w, h.p dist, m.p dist, m.w dist"},
    {"lemma", "m.l, h.l"},
    {"affix", "m.c, m.s m.p, m.x m.p"},
    {"pair", "h.p m.p, h.p m.p dist, h.t m.t, h.t m.t dist, h.w m.w, h.w m.p, h.p m.w, h.w m.t, h.t m.w"},
    {"lemma", "h.l m.l, h.l m.p, h.p m.l"},
    {"affix", "h.c m.c, h.c m.p, h.p m.c, h.p m.p m.s"},
    {"morphology", "h.p m.F, h.F m.F, h.l m.F, h.p m.p m.f dist, h.p h.f m.p m.f"},
    {"around",
     "h.p m.p-1 m.p, h.p m.p m.p+1, h.p-1 h.p m.p, h.p h.p+1 m.p, h.p m.p-1 m.p m.p+1, h.p h.p+1 m.p-1 m.p, "
     "h.p-1 h.p m.p m.p+1, m.t-1 m.t m.t+1, h.p m.p-2 m.p-1 m.p, h.p m.p m.p+1 m.p+2"},
    {"around-words", "h.p m.p m.w-1, h.p m.p m.w+1, m.p m.w m.w-1, m.p m.w m.w+1"},
    {"between", "h.p m.p btw, h.p b m.p"},
};

void read(const TreeView& tree, std::vector<Part>& out) {
  const std::int32_t label = tree.labels[static_cast<std::size_t>(tree.word)];
  out.push_back({PartKind::kLabel, label, {tree.head_of(tree.word), tree.word, 0, 0}});
}

}  // namespace

constinit const Kind kinds::kLabel = {.names = {"label", "hm", "{h} → {m}: {label}"},
                                      .templates = kTemplates,
                                      .relation = {pair_relation, head_order},
                                      .use = Use::kAlways,
                                      .pool = label_pool,
                                      .reading = {Place::kWord, read}};

}  // namespace ramify::parsing
