// A word and one anywhere below it, the root aside. Martins, Smith & Xing (2009), section 3.5.
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/relations.hpp"
#include "ramify/parsing/problem_builder.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateGroup kTemplates[] = {
    {"path", "h.p k.p, h.p k.p dist, h.t k.t, h.w k.p, h.p k.w, h.l k.t, h.t k.l, h.p k.F"},
};

std::string describe(unsigned directions) { return order_text("h", "k", directions, 0); }

void read(const TreeView& tree, std::vector<Part>& out) {
  for (std::int32_t h = tree.head_of(tree.word); h > 0; h = tree.head_of(h)) {
    out.push_back({PartKind::kPath, 0, {h, tree.word, 0, 0}});
  }
}

/// The score of a path is that of its variable.
void add_factors(ProblemBuilder& builder) {
  builder.paths();
  ParseProblem& problem = builder.problem();
  const auto is_path = [&](std::size_t i) { return problem.consequences[i].kind == Consequence::Kind::kPath; };
  const auto roles = [&](std::size_t i) -> Roles {
    return {problem.consequences[i].first, problem.consequences[i].second, 0, 0};
  };
  const std::size_t count = problem.consequences.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (is_path(i)) builder.scorer().ask(PartKind::kPath, roles(i));
  }
  const double* next = builder.scorer().answers().data();
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_path(i)) continue;
    problem.extra_scores[i] = *next++;
    const auto variable = static_cast<std::int32_t>(problem.arc_scores.size() + i);
    problem.variable_parts.push_back({variable, 1.0, {PartKind::kPath, 0, roles(i)}});
  }
}

}  // namespace

constinit const Kind kinds::kPath = {.names = {"path", "hk", "{h} above {k}"},
                                     .templates = kTemplates,
                                     .relation = {pair_relation, describe},
                                     .reading = {Place::kWordAgain, read},
                                     .factors = {add_factors}};

}  // namespace ramify::parsing
