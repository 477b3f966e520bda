// How many modifiers a head has. The number is in every feature. Martins, Smith & Xing (2009), section 3.4.
#include <algorithm>

#include "ramify/factors/budget.hpp"
#include "ramify/numeric/index.hpp"
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/relations.hpp"
#include "ramify/parsing/problem_builder.hpp"

namespace ramify::parsing {

namespace {

constexpr std::int32_t kMostModifiers = 5;  // stands for all larger numbers
static_assert(kMostModifiers < kOrders);

constexpr TemplateGroup kTemplates[] = {
    {"valency", "h.p, h.t, h.w, h.l, h.c h.p, h.F, h.p-1 h.p, h.p h.p+1, h.p-1 h.p h.p+1"},
};

int relation(const Roles& r, std::int32_t) { return pack_relation(0, r[3]); }

std::string describe(unsigned count) {
  return "modifiers=" + std::to_string(count) + (count == kMostModifiers ? "+" : "");
}

void read(const TreeView& tree, std::vector<Part>& out) {
  std::vector<std::int32_t> counts(tree.heads.size(), 0);
  for (std::int32_t m = 1; m <= tree.num_words(); ++m) ++counts[at(tree.head_of(m))];
  for (std::int32_t h = 0; h <= tree.num_words(); ++h) {
    out.push_back({PartKind::kValency, 0, {h, 0, 0, std::min(counts[at(h)], kMostModifiers)}});
  }
}

/// One factor per head over all arcs that leave it.
void add_factors(ProblemBuilder& builder) {
  ProblemBuilder::Family family;
  const auto& arcs = builder.arcs_by_head();
  for (std::int32_t h = 0; h <= builder.candidates().num_words; ++h) {
    const std::vector<std::int32_t>& mine = arcs[at(h)];
    if (mine.empty()) {
      builder.add_constant({PartKind::kValency, 0, {h, 0, 0, 0}});
      continue;
    }
    const std::int32_t most = std::min(static_cast<std::int32_t>(mine.size()), kMostModifiers);
    for (std::int32_t count = 0; count <= most; ++count) {
      const Part part{PartKind::kValency, 0, {h, 0, 0, count}};
      family.scores.push_back(builder.scorer().score(part));
      family.name({part});
    }
    family.counts.push_back(most + 1);
    family.variables.insert(family.variables.end(), mine.begin(), mine.end());
    family.close();
  }
  if (family.size() == 0) return;
  builder.add(factors::make_count(family.size(), factors::Offsets(family.slots), family.counts), family);
}

}  // namespace

constinit const Kind kinds::kValency = {.names = {"valency", "h", "{h}: {count} modifiers"},
                                        .templates = kTemplates,
                                        .relation = {relation, describe},
                                        .extra = Extra::kCount,
                                        .reading = {Place::kTree, read},
                                        .factors = {add_factors}};

}  // namespace ramify::parsing
