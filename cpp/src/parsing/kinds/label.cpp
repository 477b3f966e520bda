// Labels of arcs, which every model scores: each feature is conjoined with the label.
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/relations.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateLine kTemplates[] = {
    {"word", "m.w"},
    {"word", "m.p"},
    {"word", "m.t"},
    {"word", "m.w m.p"},
    {"word", "h.w"},
    {"word", "h.p dist"},
    {"word", "m.p dist"},
    {"word", "m.w dist"},
    {"lemma", "m.l"},
    {"lemma", "h.l"},
    {"affix", "m.c"},
    {"affix", "m.s m.p"},
    {"affix", "m.x m.p"},
    {"pair", "h.p m.p"},
    {"pair", "h.p m.p dist"},
    {"pair", "h.t m.t"},
    {"pair", "h.t m.t dist"},
    {"pair", "h.w m.w"},
    {"pair", "h.w m.p"},
    {"pair", "h.p m.w"},
    {"pair", "h.w m.t"},
    {"pair", "h.t m.w"},
    {"lemma", "h.l m.l"},
    {"lemma", "h.l m.p"},
    {"lemma", "h.p m.l"},
    {"affix", "h.c m.c"},
    {"affix", "h.c m.p"},
    {"affix", "h.p m.c"},
    {"affix", "h.p m.p m.s"},
    {"morphology", "h.p m.F"},
    {"morphology", "h.F m.F"},
    {"morphology", "h.l m.F"},
    {"morphology", "h.p m.p m.f dist"},
    {"morphology", "h.p h.f m.p m.f"},
    {"around", "h.p m.p-1 m.p"},
    {"around", "h.p m.p m.p+1"},
    {"around", "h.p-1 h.p m.p"},
    {"around", "h.p h.p+1 m.p"},
    {"around", "h.p m.p-1 m.p m.p+1"},
    {"around", "h.p h.p+1 m.p-1 m.p"},
    {"around", "h.p-1 h.p m.p m.p+1"},
    {"around", "m.t-1 m.t m.t+1"},
    {"around", "h.p m.p-2 m.p-1 m.p"},
    {"around", "h.p m.p m.p+1 m.p+2"},
    {"around-words", "h.p m.p m.w-1"},
    {"around-words", "h.p m.p m.w+1"},
    {"around-words", "m.p m.w m.w-1"},
    {"around-words", "m.p m.w m.w+1"},
    {"between", "h.p m.p btw"},
    {"between", "h.p b m.p"},
};

void read(const TreeView& tree, std::vector<Part>& out) {
  const std::int32_t label = tree.labels[static_cast<std::size_t>(tree.word)];
  out.push_back({PartKind::kLabel, label, {tree.head_of(tree.word), tree.word, 0, 0}});
}

}  // namespace

constinit const Kind kinds::kLabel = {
    .name = "label",
    .roles = "hm",
    .words = "{h} → {m}: {label}",
    .templates = kTemplates,
    .use = Use::kAlways,
    .relation = pair_relation,
    .describe = head_order,
    .place = Place::kWord,
    .read = read,
};

}  // namespace ramify::parsing
