#include "ramify/parsing/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "ramify/inference/branch_and_bound.hpp"
#include "ramify/parsing/arc_beliefs.hpp"

namespace ramify::parsing {

namespace {

constexpr double kForbidden = factors::kForbidden;
constexpr std::int64_t kNodeIterations = 20;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

Decoder::Decoder(const Candidates& candidates, const ArcScores& arcs, Scorer& scorer, const DecoderOptions& options,
                 DecoderScratch& scratch)
    : candidates_(candidates),
      arcs_(arcs),
      scorer_(scorer),
      options_(options),
      scratch_(scratch),
      arcs_only_(!scorer.choice().any() && options.tree == TreeKind::kNonProjective) {}

const ParseProblem& Decoder::problem(Factorization factorization) {
  std::optional<ParseProblem>& problem = problems_[static_cast<std::size_t>(factorization)];
  if (!problem) {
    problem = build_problem(candidates_, arcs_.scores, scorer_, options_.tree, options_.single_root, factorization);
  }
  return *problem;
}

Tree Decoder::label(std::vector<std::int32_t> heads) const {
  Tree tree{std::move(heads), {}, 0.0};
  tree.labels.assign(tree.heads.size(), -1);
  for (std::int32_t m = 1; m <= candidates_.num_words; ++m) {
    tree.labels[at(m)] = arcs_.labels[at(candidates_.find(tree.heads[at(m)], m))];
  }
  return tree;
}

Tree Decoder::read(std::span<const std::int32_t> on, double value) const {
  std::vector<std::int32_t> heads(at(candidates_.num_words) + 1, -1);
  for (std::size_t a = 0; a < on.size(); ++a) {
    if (on[a] != 0) heads[at(candidates_.modifiers[a])] = candidates_.heads[a];
  }
  Tree tree = label(std::move(heads));
  tree.value = value;
  return tree;
}

Solution Decoder::solve() {
  if (options_.method == Method::kBeliefPropagation) return solve_mbr();
  return solve(arcs_.scores);
}

Solution Decoder::solve(std::span<const double> unary) {
  if (arcs_only_) return solve_arcs(unary);
  const ParseProblem& tight = problem(Factorization::kTight);
  const inference::ScoredGraph graph{*tight.graph, unary, tight.part_scores};
  inference::Ad3State state;
  const inference::Ad3Result result =
      options_.method == Method::kExact
          ? inference::solve_exact(graph, {options_.ad3, kNodeIterations, options_.max_nodes, false}, state).relaxation
          : inference::solve_ad3(graph, options_.ad3, state);
  if (result.y.empty()) return {};
  return {read(result.y, result.value + tight.constant), result.bound + tight.constant,
          result.status == inference::Ad3Status::kCertified, static_cast<std::int32_t>(result.iterations)};
}

Solution Decoder::solve_arcs(std::span<const double> unary) {
  std::vector<std::int32_t> heads(at(candidates_.num_words) + 1);
  const trees::ArcListView view{candidates_.heads.data(), candidates_.modifiers.data(), unary.data(),
                                candidates_.size(), candidates_.num_words};
  if (!trees::max_arborescence(view, options_.single_root, heads.data(), scratch_.arborescence)) return {};
  Solution solution{label(std::move(heads)), 0.0, true, 0};
  for (std::int32_t m = 1; m <= candidates_.num_words; ++m) {
    solution.tree.value += unary[at(candidates_.find(solution.tree.heads[at(m)], m))];
  }
  solution.bound = solution.tree.value;
  return solution;
}

Solution Decoder::solve_mbr() {
  const std::vector<double> probability = expect().arcs;
  std::vector<std::int32_t> heads(at(candidates_.num_words) + 1);
  const trees::ArcListView view{candidates_.heads.data(), candidates_.modifiers.data(), probability.data(),
                                candidates_.size(), candidates_.num_words};
  if (!trees::max_arborescence(view, options_.single_root, heads.data(), scratch_.arborescence)) return {};
  std::vector<std::int32_t> on(at(candidates_.size()), 0);
  for (std::int32_t m = 1; m <= candidates_.num_words; ++m) on[at(candidates_.find(heads[at(m)], m))] = 1;
  double value = 0.0;
  if (arcs_only_) {
    for (std::size_t a = 0; a < on.size(); ++a) value += on[a] != 0 ? arcs_.scores[a] : 0.0;
  } else {
    const ParseProblem& loose = problem(Factorization::kLoose);
    value = inference::value_of({*loose.graph, loose.arc_scores, loose.part_scores}, on) + loose.constant;
  }
  return {read(on, value), std::numeric_limits<double>::infinity(), false, 0};
}

Expectation Decoder::expect() {
  if (arcs_only_) {
    std::vector<double> unary(arcs_.scores);
    for (double& s : unary) s *= 1.0 / options_.temperature;
    const std::size_t stride = at(candidates_.num_words) + 1;
    std::vector<double> scores(stride * stride, kForbidden);
    std::vector<double> dense(stride * stride, 0.0);
    const auto place = [&](std::size_t a) { return at(candidates_.heads[a]) * stride + at(candidates_.modifiers[a]); };
    for (std::size_t a = 0; a < unary.size(); ++a) scores[place(a)] = unary[a];
    const double log_z = trees::marginals(scores.data(), candidates_.num_words, options_.single_root, dense.data(),
                                          nullptr, scratch_.matrix_tree);
    for (std::size_t a = 0; a < unary.size(); ++a) unary[a] = dense[place(a)];
    return {log_z * options_.temperature, std::move(unary), {}};
  }
  const ParseProblem& loose = problem(Factorization::kLoose);
  inference::BpAnswer answer = ArcBeliefs(loose, {options_.temperature, options_.bp_iterations, false}).answer();
  return {answer.log_partition * options_.temperature + loose.constant, std::move(answer.marginals),
          std::move(answer.part_marginals)};
}

std::vector<Tree> Decoder::k_best(std::int64_t k) {
  // A cell of the partition: trees that have the fixed heads of the words before `first` and avoid some arcs.
  struct Cell {
    Tree tree;
    std::vector<double> unary;
    std::int32_t first = 1;
  };
  const auto worse = [](const Cell& a, const Cell& b) { return a.tree.value < b.tree.value; };
  std::priority_queue<Cell, std::vector<Cell>, decltype(worse)> cells(worse);
  std::vector<double> all(arcs_.scores);
  if (Solution best = solve(all); !best.tree.heads.empty()) cells.push({std::move(best.tree), std::move(all), 1});
  std::vector<Tree> out;
  while (!cells.empty() && static_cast<std::int64_t>(out.size()) < k) {
    Cell cell = cells.top();
    cells.pop();
    out.push_back(cell.tree);
    if (static_cast<std::int64_t>(out.size()) == k) break;
    for (std::int32_t m = cell.first; m <= candidates_.num_words; ++m) {
      const std::int32_t begin = candidates_.begin[at(m) - 1];
      const std::int32_t end = candidates_.begin[at(m)];
      const std::int32_t chosen = candidates_.find(cell.tree.heads[at(m)], m);
      std::vector<double> unary(cell.unary);
      unary[at(chosen)] = kForbidden;
      const bool choice_left =
          std::any_of(unary.begin() + begin, unary.begin() + end, [](double s) { return s != kForbidden; });
      if (choice_left) {
        Solution next = solve(unary);
        if (!next.tree.heads.empty()) cells.push({std::move(next.tree), std::move(unary), m});
      }
      for (std::int32_t a = begin; a < end; ++a) {
        if (a != chosen) cell.unary[at(a)] = kForbidden;
      }
    }
  }
  return out;
}

}  // namespace ramify::parsing
