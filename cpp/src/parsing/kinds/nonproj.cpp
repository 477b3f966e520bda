// An arc over a word that is not below its head. Martins, Smith & Xing (2009), section 3.5.
#include <cstdlib>

#include "ramify/numeric/index.hpp"
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/relations.hpp"
#include "ramify/parsing/problem_builder.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateGroup kTemplates[] = {
    {"nonproj", "dist, h.p, m.p, h.p m.p, h.p m.p dist, h.t m.t, h.w, m.w, h.w m.p, h.p m.w, m.F, h.p b m.p"},
};

void read(const TreeView& tree, std::vector<Part>& out) {
  if (tree.nonprojective) out.push_back({PartKind::kNonProj, 0, {tree.head_of(tree.word), tree.word, 0, 0}});
}

/// Every arc that may be non-projective counts as such, and a variable takes it back where it is not.
void add_factors(ProblemBuilder& builder) {
  const Candidates& candidates = builder.candidates();
  PathFactors& paths = builder.paths();
  ParseProblem& problem = builder.problem();
  const auto part = [&](std::int32_t a) -> Part {
    return {PartKind::kNonProj, 0, {candidates.heads[at(a)], candidates.modifiers[at(a)], 0, 0}};
  };
  std::vector<std::pair<std::int32_t, std::int32_t>> maybe;  // arcs with their variables
  std::vector<std::int32_t> always;                          // arcs over words that cannot be below their heads
  for (std::int32_t a = 0; a < candidates.size(); ++a) {
    const std::int32_t h = candidates.heads[at(a)];
    if (h == 0 || std::abs(h - candidates.modifiers[at(a)]) == 1) continue;  // all words are below the root
    const std::int64_t projective = paths.add_projective_arc(a);
    if (projective < 0) {
      always.push_back(a);
    } else {
      maybe.emplace_back(a, static_cast<std::int32_t>(projective));
      builder.scorer().ask(PartKind::kNonProj, part(a).roles);
    }
  }
  const double* next = builder.scorer().answers().data();
  for (const auto& [a, variable] : maybe) {
    const double score = *next++;
    problem.extra_scores[at(variable) - problem.arc_scores.size()] = -score;
    problem.arc_scores[at(a)] += score;
    problem.variable_parts.push_back({variable, -1.0, part(a)});
    problem.variable_parts.push_back({a, 1.0, part(a)});
  }
  for (const std::int32_t a : always) {
    problem.arc_scores[at(a)] += builder.scorer().score(part(a));
    problem.variable_parts.push_back({a, 1.0, part(a)});
  }
}

}  // namespace

constinit const Kind kinds::kNonProj = {.names = {"nonproj", "hm", "{h} → {m}"},
                                        .templates = kTemplates,
                                        .relation = {pair_relation, head_order},
                                        .reading = {Place::kWordAgain, read},
                                        .factors = {add_factors}};

}  // namespace ramify::parsing
