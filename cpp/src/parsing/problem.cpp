#include "ramify/parsing/problem.hpp"

#include "ramify/factors/pair.hpp"
#include "ramify/numeric/index.hpp"
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/problem_builder.hpp"

namespace ramify::parsing {

ProblemBuilder::ProblemBuilder(const Candidates& candidates, std::span<const double> arc_scores, Scorer& scorer,
                               Factorization factorization)
    : candidates_(candidates), scorer_(scorer), factorization_(factorization) {
  problem_.arc_scores.assign(arc_scores.begin(), arc_scores.end());
  problem_.name_begin.assign(1, 0);
}

/// The order of the factors is that in which sequential belief propagation visits them.
ParseProblem ProblemBuilder::build(TreeKind tree, bool single_root) {
  if (tree == TreeKind::kFlow && factorization_ == Factorization::kLoose) tree = TreeKind::kNonProjective;
  add_tree_factors(*this, tree, single_root);
  std::vector<PendingFactors> sides = make_side_factors(*this);
  add_kinds(true);
  for (auto& [group, family] : sides) add(std::move(group), family);
  if (pairs_.size() > 0) add(factors::make_pair_group(pairs_.size()), pairs_);
  add_kinds(false);
  if (tree == TreeKind::kFlow) paths().forbid_detours(problem_.arc_scores);
  if (paths_) paths_->close(*this);
  connect();
  return std::move(problem_);
}

void ProblemBuilder::add_kinds(bool share_pairs) {
  for (const PartKind kind : scorer_.choice().chosen()) {
    const Kind::Factors& factors = kind_of(kind).factors;
    if (factors.add != nullptr && factors.share_pairs == share_pairs) factors.add(*this);
  }
}

void ProblemBuilder::add(std::unique_ptr<factors::FactorGroup> group, Family& family) {
  problem_.groups.push_back(std::move(group));
  problem_.part_scores.insert(problem_.part_scores.end(), family.scores.begin(), family.scores.end());
  problem_.variables.push_back(std::move(family.variables));
  problem_.names.insert(problem_.names.end(), family.names.begin(), family.names.end());
  for (const std::int32_t n : family.num_names) problem_.name_begin.push_back(problem_.name_begin.back() + n);
}

void ProblemBuilder::add_constant(const Part& part) {
  problem_.constant += scorer_.score(part);
  problem_.constant_parts.push_back(part);
}

void ProblemBuilder::add_pair(std::int32_t a, std::int32_t b, const Part& part, double score) {
  pairs_.variables.push_back(a);
  pairs_.variables.push_back(b);
  pairs_.scores.push_back(score);
  pairs_.name({part});
  pairs_.close();
}

const std::vector<std::vector<std::int32_t>>& ProblemBuilder::arcs_by_head() {
  if (arcs_by_head_.empty()) {
    arcs_by_head_.resize(at(candidates_.num_words) + 1);
    for (std::int32_t a = 0; a < candidates_.size(); ++a) arcs_by_head_[at(candidates_.heads[at(a)])].push_back(a);
  }
  return arcs_by_head_;
}

PathFactors& ProblemBuilder::paths() {
  if (!paths_) {
    const bool loose = factorization_ == Factorization::kLoose;
    paths_.emplace(candidates_, arcs_by_head(), loose ? PathRules::kDefinitions : PathRules::kFlows, problem_);
  }
  return *paths_;
}

void ProblemBuilder::connect() {
  std::vector<const factors::FactorGroup*> groups;
  for (const auto& group : problem_.groups) groups.push_back(group.get());
  std::vector<std::span<const std::int64_t>> variables(problem_.variables.begin(), problem_.variables.end());
  const std::size_t num_variables = at(candidates_.size()) + problem_.consequences.size();
  problem_.graph.emplace(std::vector<std::int32_t>(num_variables, 2), std::move(groups), variables);
}

ParseProblem build_problem(const Candidates& candidates, std::span<const double> arc_scores, Scorer& scorer,
                           TreeKind tree, bool single_root, Factorization factorization) {
  return ProblemBuilder(candidates, arc_scores, scorer, factorization).build(tree, single_root);
}

}  // namespace ramify::parsing
