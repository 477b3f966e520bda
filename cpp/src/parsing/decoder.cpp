#include "ramify/parsing/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

#include "ramify/inference/branch_and_bound.hpp"
#include "ramify/inference/subgradient.hpp"
#include "ramify/numeric/forbidden.hpp"
#include "ramify/numeric/index.hpp"
#include "ramify/parsing/arc_beliefs.hpp"
#include "ramify/parsing/projective_program.hpp"
#include "ramify/trees/projective.hpp"

namespace ramify::parsing {

namespace {

using numeric::kForbidden;

}  // namespace

Decoder::Decoder(const Candidates& candidates, const ArcScores& arcs, Scorer& scorer, const DecoderOptions& options,
                 DecoderScratch& scratch)
    : candidates_(candidates),
      arcs_(arcs),
      scorer_(scorer),
      options_(options),
      scratch_(scratch),
      arcs_only_(scorer.choice().chosen().empty() && options.tree == TreeKind::kNonProjective) {}

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
  for (std::size_t a = 0; a < at(candidates_.size()); ++a) {
    if (on[a] != 0) heads[at(candidates_.modifiers[a])] = candidates_.heads[a];
  }
  Tree tree = label(std::move(heads));
  tree.value = value;
  return tree;
}

Solution Decoder::solve() {
  const bool expected = options_.method == Method::kBeliefPropagation || options_.method == Method::kRelax;
  return expected || options_.mbr ? solve_mbr() : solve(arcs_.scores);
}

Solution Decoder::solve(std::span<const double> unary) {
  if (arcs_only_) return solve_arcs(unary);
  return has_program() ? solve_program(unary) : solve_graph(unary);
}

bool Decoder::has_program() const {
  return options_.method == Method::kDynamicProgram && options_.tree == TreeKind::kProjective &&
         has_projective_program(scorer_.choice(), candidates_.num_words);
}

std::vector<double> Decoder::variable_scores(const ParseProblem& problem, std::span<const double> unary) const {
  std::vector<double> scores = problem.unary();
  for (std::size_t a = 0; a < unary.size(); ++a) {
    if (unary[a] == kForbidden) scores[a] = kForbidden;
  }
  return scores;
}

/// Trees have the largest sum of marginals; what follows from them is written behind.
inference::Completion Decoder::completion_of(const ParseProblem& problem) {
  return {candidates_.size(),
          [&](factors::AssignmentOut y) { std::ranges::copy(with_consequences(candidates_, problem, y), y.begin()); },
          [&](factors::Scores unary, factors::Scores u, factors::AssignmentOut y) {
            std::vector<double> scores(at(candidates_.size()));
            const double forced = candidates_.num_words + 1.0;  // more than all others have together
            for (std::size_t a = 0; a < scores.size(); ++a) {
              scores[a] = unary[a] == kForbidden ? kForbidden : (std::isinf(unary[a]) ? forced : u[a]);
            }
            std::vector<std::int32_t> heads;
            if (!best_tree(scores, heads)) return false;
            std::ranges::copy(indicators(heads), y.begin());
            return true;
          }};
}

Solution Decoder::solve_graph(std::span<const double> unary) {
  const ParseProblem& tight = problem(Factorization::kTight);
  const std::vector<double> scores = variable_scores(tight, unary);
  const inference::Completion completion = completion_of(tight);
  const inference::ScoredGraph graph{*tight.graph, scores, tight.part_scores,
                                     tight.consequences.empty() ? nullptr : &completion};
  inference::Ad3State state;
  inference::Ad3Result result;
  if (options_.method == Method::kExact || options_.method == Method::kDynamicProgram) {
    result = inference::solve_exact(graph, {options_.ad3, options_.node_iterations, options_.max_nodes, false}, state)
                 .relaxation;
  } else if (options_.method == Method::kSubgradient) {
    const inference::Ad3Options& limits = options_.ad3;
    result = inference::solve_subgradient(
        graph, {limits.max_iterations, options_.subgradient_step, limits.check_every, limits.time_limit}, state.duals);
  } else {
    result = inference::solve_ad3(graph, options_.ad3, state);
  }
  if (result.y.empty()) return {};
  bool certified = result.status == inference::Ad3Status::kCertified;
  if (!is_tree(options_.tree)) {
    std::vector<std::int32_t> heads;
    if (!best_tree(std::span(result.u).first(unary.size()), heads)) return {};
    std::vector<std::int32_t> on = with_consequences(candidates_, tight, indicators(heads));
    certified = certified && on == result.y;
    result.y = std::move(on);
    result.value = inference::value_of(graph, result.y);
  }
  return {read(result.y, result.value + tight.constant), result.bound + tight.constant, certified,
          static_cast<std::int32_t>(result.iterations)};
}

Solution Decoder::solve_program(std::span<const double> unary) {
  std::optional<ProjectiveProgram> best = solve_projective_program(candidates_, unary, scorer_, options_.single_root);
  if (!best) return {};
  Tree tree = label(std::move(best->heads));
  tree.value = best->value;
  return {std::move(tree), best->value, true, 0};
}

/// The tree of the kind asked for (where that is weaker, any tree) with the largest sum of scores.
bool Decoder::best_tree(std::span<const double> scores, std::vector<std::int32_t>& heads) {
  const std::int32_t n = candidates_.num_words;
  heads.resize(at(n) + 1);
  if (options_.tree != TreeKind::kProjective) {
    const trees::ArcListView view{candidates_.heads.data(), candidates_.modifiers.data(), scores.data(),
                                  candidates_.size(), n};
    return trees::max_arborescence(view, options_.single_root, heads.data(), scratch_.arborescence);
  }
  const std::size_t stride = at(n) + 1;
  std::vector<double> dense(stride * stride, kForbidden);
  for (std::size_t a = 0; a < scores.size(); ++a) {
    dense[at(candidates_.heads[a]) * stride + at(candidates_.modifiers[a])] = scores[a];
  }
  double value = kForbidden;
  trees::best_trees({trees::ProjectiveOrder::kArc, options_.single_root, n + 1, {&n, 1}, dense.data(), 1}, heads.data(),
                    &value);
  return value != kForbidden;
}

std::vector<std::int32_t> Decoder::indicators(std::span<const std::int32_t> heads) const {
  std::vector<std::int32_t> on(at(candidates_.size()), 0);
  for (std::int32_t m = 1; m <= candidates_.num_words; ++m) on[at(candidates_.find(heads[at(m)], m))] = 1;
  return on;
}

Solution Decoder::solve_arcs(std::span<const double> unary) {
  std::vector<std::int32_t> heads;
  if (!best_tree(unary, heads)) return {};
  Solution solution{label(std::move(heads)), 0.0, true, 0};
  for (std::int32_t m = 1; m <= candidates_.num_words; ++m) {
    solution.tree.value += unary[at(candidates_.find(solution.tree.heads[at(m)], m))];
  }
  solution.bound = solution.tree.value;
  return solution;
}

Solution Decoder::solve_mbr() {
  const std::vector<double> probability = expect().arcs;
  std::vector<std::int32_t> heads;
  if (!best_tree(probability, heads)) return {};
  const std::vector<std::int32_t> on = indicators(heads);
  double value = 0.0;
  if (arcs_only_) {
    for (std::size_t a = 0; a < on.size(); ++a) value += on[a] != 0 ? arcs_.scores[a] : 0.0;
  } else {
    const ParseProblem& all = problem(Factorization::kLoose);
    const std::vector<double> scores = variable_scores(all, arcs_.scores);
    value = inference::value_of({*all.graph, scores, all.part_scores}, with_consequences(candidates_, all, on)) +
            all.constant;
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
    return {log_z * options_.temperature, std::move(unary), {}, {}};
  }
  if (has_program()) {
    const ProjectiveBeliefs beliefs(candidates_, arcs_.scores, scorer_, options_.single_root, options_.temperature);
    return {beliefs.log_partition() * options_.temperature, beliefs.arcs(), {}, beliefs.parts()};
  }
  const ParseProblem& loose = problem(Factorization::kLoose);
  std::optional<ArcBeliefs::Relaxation> relaxation;
  if (options_.method == Method::kRelax) relaxation = {options_.relax_gain, options_.relax_rounds};
  inference::BpAnswer answer =
      ArcBeliefs(loose, {options_.temperature, options_.bp_iterations, options_.bp_tolerance, false, relaxation})
          .answer();
  WeightedParts named;
  for (const Part& part : loose.constant_parts) named.emplace_back(part, 1.0);
  for (const auto& [variable, sign, part] : loose.variable_parts) {
    named.emplace_back(part, sign * answer.marginals[at(variable)]);
  }
  answer.marginals.resize(loose.arc_scores.size());
  return {answer.log_partition * options_.temperature + loose.constant, std::move(answer.marginals),
          std::move(answer.part_marginals), std::move(named)};
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
  // Where a tree is not certified to be the best of its cell, a better one can lie in a part of it.
  std::ranges::stable_sort(out, std::greater{}, &Tree::value);
  return out;
}

}  // namespace ramify::parsing
