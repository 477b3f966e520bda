// Any two modifiers of a head, m left of s.
#include <cstdlib>

#include "ramify/numeric/index.hpp"
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/pools.hpp"
#include "ramify/parsing/kinds/relations.hpp"
#include "ramify/parsing/problem_builder.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateGroup kTemplates[] = {
    {"any-sibling", "h.p m.p s.p, h.t m.t s.t, m.p s.p dist, h.w m.p s.p, m.w s.p, m.p s.w, m.w s.w, h.p m.F s.F"},
};

int relation(const Roles& r, std::int32_t) {
  return pack_relation(distance_bin(std::abs(r[1] - r[2])), order(r[0], r[1]) + 2 * order(r[0], r[2]));
}

std::string describe(unsigned directions) { return head_order(directions) + " " + order_text("h", "s", directions, 1); }

void read(const TreeView& tree, std::vector<Part>& out) {
  for (std::size_t i = 0; i < tree.modifiers.size(); ++i) {
    for (std::size_t j = i + 1; j < tree.modifiers.size(); ++j) {
      out.push_back({PartKind::kAnySibling, 0, {tree.word, tree.modifiers[i], tree.modifiers[j], 0}});
    }
  }
}

void add_factors(ProblemBuilder& builder) {
  const Candidates& candidates = builder.candidates();
  for (const std::vector<std::int32_t>& arcs : builder.arcs_by_head()) {
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      for (std::size_t j = i + 1; j < arcs.size(); ++j) {
        const std::size_t a = at(arcs[i]);
        const std::int32_t s = candidates.modifiers[at(arcs[j])];
        const Part part{PartKind::kAnySibling, 0, {candidates.heads[a], candidates.modifiers[a], s, 0}};
        builder.add_pair(arcs[i], arcs[j], part, builder.scorer().score(part));
      }
    }
  }
}

}  // namespace

constinit const Kind kinds::kAnySibling = {.names = {"any-sibling", "hms", "{h} → {m}, {s}"},
                                           .templates = kTemplates,
                                           .relation = {relation, describe},
                                           .pool = triple_pool,
                                           .reading = {Place::kHead, read},
                                           .factors = {add_factors, true}};

}  // namespace ramify::parsing
