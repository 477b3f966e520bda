#include "ramify/inference/subgradient.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "ramify/inference/rounding.hpp"
#include "ramify/numeric/index.hpp"
#include "unit_scale.hpp"

namespace ramify::inference {

namespace {

using factors::kForbidden;

class Solver {
 public:
  Solver(const ScoredGraph& problem, const SubgradientOptions& options, std::vector<double>& best_duals)
      : problem_(problem), graph_(problem.graph), options_(options), best_duals_(best_duals) {
    best_duals_.resize(at(graph_.num_edges()), 0.0);
    result_.u.assign(at(graph_.num_coords()), 0.0);
    running_.assign(at(graph_.num_coords()), 0.0);
    free_value_ = maximise_free_variables(problem, result_.u, result_.conflict);
    duals_ = best_duals_;
    scores_.resize(duals_.size());
    z_.resize(duals_.size());
    slots_.resize(at(graph_.num_slots()));
    values_.resize(at(graph_.num_factors()));
    candidate_.resize(at(graph_.num_variables()));
  }

  Ad3Result run() {
    const auto start = std::chrono::steady_clock::now();
    const double first_step = options_.step * score_spread(problem_);
    const double lowest = lowest_value(problem_);
    double last_bound = factors::kForced;
    Index rises = 0;  // how often the dual went up: what the step is divided by
    for (Index t = 1; t <= options_.max_iterations && !result_.conflict.any(); ++t) {
      result_.iterations = t;
      const double bound = maximise();
      if (result_.conflict.any()) break;
      if (bound < result_.bound) best_duals_ = duals_;
      result_.bound = std::min(result_.bound, bound);
      if (bound > last_bound) ++rises;
      last_bound = bound;
      const double disagreement = average(t);
      if (disagreement == 0.0 || t % options_.check_every == 0) look_for_assignment();
      if (is_proved(result_.value, result_.bound)) return finish(Ad3Status::kCertified);
      if (result_.bound < lowest - 1e-8 * (1.0 + std::abs(lowest))) return finish(Ad3Status::kInfeasible);
      const auto elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (elapsed > options_.time_limit) return finish(Ad3Status::kTimeLimit);
      step(first_step / static_cast<double>(1 + rises));
    }
    if (!result_.conflict.any()) look_for_assignment();
    return finish(result_.conflict.any() ? Ad3Status::kInfeasible : Ad3Status::kIterationLimit);
  }

 private:
  double maximise() {
    for (std::size_t e = 0; e < scores_.size(); ++e) {
      const Index c = graph_.edge_coord()[e];
      scores_[e] = problem_.unary[at(c)] / static_cast<double>(graph_.edges_of(c).size()) + duals_[e];
    }
    double bound = maximise_factors(graph_, scores_, problem_.parts, slots_, values_, ws_) + free_value_;
    if (bound == kForbidden) name_conflict();
    bound += rounding_of_bound(problem_, scores_, 1.0);
    std::size_t e = 0;
    for (Index s = 0; s < graph_.num_slots(); ++s) {
      const std::int32_t k = graph_.num_states(graph_.slot_variable()[at(s)]);
      for (std::int32_t state = k == 2 ? 1 : 0; state < k; ++state) z_[e++] = slots_[at(s)] == state ? 1.0 : 0.0;
    }
    return bound;
  }

  void name_conflict() {
    for (std::size_t g = 0; g < graph_.groups().size(); ++g) {
      const graph::PlacedGroup& placed = graph_.groups()[g];
      for (Index f = 0; f < placed.group->layout().num_factors(); ++f) {
        if (values_[at(placed.factor_begin + f)] == kForbidden) result_.conflict = {static_cast<Index>(g), f, -1};
      }
    }
  }

  // Averages over factors now, and over all iterations for the marginals; returns the squared disagreement.
  double average(Index t) {
    double disagreement = 0.0;
    for (Index c = 0; c < graph_.num_coords(); ++c) {
      const auto edges = graph_.edges_of(c);
      if (edges.empty()) continue;
      double total = 0.0;
      for (const std::int32_t e : edges) total += z_[at(e)];
      const double mean = total / static_cast<double>(edges.size());
      for (const std::int32_t e : edges) disagreement += (z_[at(e)] - mean) * (z_[at(e)] - mean);
      running_[at(c)] = mean;
      result_.u[at(c)] += (mean - result_.u[at(c)]) / static_cast<double>(t);
    }
    result_.primal_residual = std::sqrt(disagreement / static_cast<double>(std::max<std::size_t>(z_.size(), 1)));
    return disagreement;
  }

  void look_for_assignment() {
    for (Index c = 0; c < graph_.num_coords(); ++c) {
      if (graph_.edges_of(c).empty()) running_[at(c)] = result_.u[at(c)];
    }
    for (const Scores u : {Scores(running_), Scores(result_.u)}) {
      const double value = round_to_feasible(problem_, u, candidate_, ws_);
      if (value <= result_.value) continue;
      result_.value = value;
      result_.y = candidate_;
    }
  }

  void step(double size) {
    for (std::size_t e = 0; e < duals_.size(); ++e) {
      const auto c = at(graph_.edge_coord()[e]);
      if (std::isfinite(problem_.unary[c])) duals_[e] -= size * (z_[e] - running_[c]);
    }
  }

  Ad3Result finish(Ad3Status status) {
    result_.status = status;
    if (status == Ad3Status::kInfeasible) {
      result_.value = result_.bound = kForbidden;
      result_.y.clear();
    }
    return std::move(result_);
  }

  const ScoredGraph& problem_;
  const FactorGraph& graph_;
  const SubgradientOptions& options_;
  std::vector<double>& best_duals_;
  Ad3Result result_;
  factors::Workspace ws_;
  double free_value_ = 0.0;
  std::vector<double> duals_, scores_, z_, values_, running_;
  std::vector<std::int32_t> slots_, candidate_;
};

}  // namespace

Ad3Result solve_subgradient(const ScoredGraph& problem, const SubgradientOptions& options, std::vector<double>& duals) {
  const UnitScale scale(problem);
  scale.enter(duals);
  const ScoredGraph scaled = scale.problem(problem.graph);
  Ad3Result result = Solver(scaled, options, duals).run();
  scale.leave(duals);
  scale.leave(result);
  return result;
}

}  // namespace ramify::inference
