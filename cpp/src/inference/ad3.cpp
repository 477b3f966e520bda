#include "ramify/inference/ad3.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "ramify/factors/projections.hpp"
#include "ramify/inference/anderson.hpp"
#include "ramify/inference/rounding.hpp"
#include "ramify/numeric/dispatch.hpp"
#include "ramify/numeric/index.hpp"
#include "unit_scale.hpp"

namespace ramify::inference {

namespace {

using factors::kForbidden;
using factors::kForced;
using factors::Range;

// A factor whose inputs move less than this in a step keeps its solution: projections do not expand distances, so
// the error stays below a thousand times that in a thousand steps, far under any tolerance.
constexpr double kIdle = 1e-12;
constexpr double kProved = 1e-8;
// Active sets go on in the next iteration, as the averages move anyway (the exact projection is wasted early on).
constexpr int kOracleCalls = 5;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Inputs of all edges: a += shift - alpha z, kept in `residual`. Returns the squared primal residual.
RAMIFY_DISPATCH double update_edges(std::size_t n, const std::int32_t* coord, const double* z, const double* u,
                                    const double* shift, double alpha, double* a, double* residual) {
  double sums[2] = {0.0, 0.0};
  const auto one = [&](std::size_t e, double& sum) __attribute__((always_inline)) {
    const std::int32_t c = coord[e];
    const double step = shift[c] - alpha * z[e];
    residual[e] = step;
    a[e] += step;
    sum += (z[e] - u[c]) * (z[e] - u[c]);
  };
  std::size_t e = 0;
  for (; e + 2 <= n; e += 2) {
    one(e, sums[0]);
    one(e + 1, sums[1]);
  }
  if (e < n) one(e, sums[0]);
  return sums[0] + sums[1];
}

class Solver {
 public:
  Solver(const ScoredGraph& problem, const Ad3Options& options, Ad3State& state)
      : problem_(problem),
        graph_(problem.graph),
        options_(options),
        state_(state),
        anderson_(at(options.acceleration)) {}

  Ad3Result run() {
    prepare();
    if (!result_.conflict.any()) iterate();
    finish();
    return std::move(result_);
  }

 private:
  // --- before the first iteration -----------------------------------------------------------------------------------

  void prepare() {
    index_edges();
    degree_.resize(at(graph_.num_coords()));
    for (Index c = 0; c < graph_.num_coords(); ++c) degree_[at(c)] = static_cast<double>(graph_.edges_of(c).size());
    if (state_.empty()) start_cold();
    if (!(state_.penalty > 0.0)) state_.penalty = options_.penalty * score_spread(problem_);
    rho_ = state_.penalty;
    free_value_ = maximise_free_variables(problem_, state_.u, result_.conflict);
    if (options_.quadratic > 0.0) project_free_variables();
    clamp_to_evidence();
    balance_duals();
    result_.nu.assign(at(graph_.num_parts()), 0.0);
    scaled_parts_.resize(at(graph_.num_parts()));
    a_.resize(at(graph_.num_edges()));
    if (has_slack_) solved_at_.resize(at(graph_.num_edges()));
    anderson_.residual().resize(at(graph_.num_edges()));
    values_.resize(at(graph_.num_factors()));
    active_.assign(at(graph_.num_factors()), 1);
    stamp_.assign(at(graph_.num_variables()), 0);
    for (factors::ProjectionState& projection : state_.projections) {
      for (factors::ActiveSet& set : projection.sets) set.max_iterations = kOracleCalls;
    }
    rescale_parts();
    set_first_inputs();
    lowest_ = lowest_value(problem_);
  }

  void index_edges() {
    factor_of_edge_.resize(at(graph_.num_edges()));
    for (const graph::PlacedGroup& placed : graph_.groups()) {
      const factors::Layout& layout = placed.group->layout();
      for (Index f = 0; f < layout.num_factors(); ++f) {
        const auto begin = factor_of_edge_.begin() + placed.edge_begin;
        std::fill(begin + layout.coords()[f], begin + layout.coords()[f + 1],
                  static_cast<std::int32_t>(placed.factor_begin + f));
      }
    }
  }

  void start_cold() {
    state_.duals.assign(at(graph_.num_edges()), 0.0);
    state_.z.assign(at(graph_.num_edges()), 0.0);
    state_.u.resize(at(graph_.num_coords()));
    for (Index v = 0; v < graph_.num_variables(); ++v) {
      const double uniform = 1.0 / graph_.num_states(v);
      for (Index c = graph_.coord_of(v); c < graph_.coord_of(v + 1); ++c) state_.u[at(c)] = uniform;
    }
    state_.projections.clear();
    for (const graph::PlacedGroup& placed : graph_.groups()) state_.projections.push_back(placed.group->make_state());
  }

  // With a quadratic term, variables in no factor have closed forms of their own.
  void project_free_variables() {
    for (Index v = 0; v < graph_.num_variables(); ++v) {
      const Index begin = graph_.coord_of(v);
      if (!graph_.edges_of(begin).empty()) continue;
      const factors::Workspace::Frame frame(ws_);
      const Point a = ws_.take<double>(graph_.width(v));
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = problem_.unary[at(begin) + i] / options_.quadratic;
      factors::Face face(a.size(), ws_);
      const Point u = Point(state_.u).subspan(at(begin), a.size());
      if (a.size() == 1) {
        factors::project_box(a, u, face);
      } else {
        factors::project_knapsack(a, {}, 1.0, factors::Relation::kExactly, u, face, ws_);
      }
    }
  }

  void clamp_to_evidence() {
    for (std::size_t c = 0; c < problem_.unary.size(); ++c) {
      if (!std::isfinite(problem_.unary[c])) state_.u[c] = problem_.unary[c] > 0.0 ? 1.0 : 0.0;
    }
  }

  // The duals of a coordinate sum to -gamma u: zero for the linear program.
  void balance_duals() {
    for (Index c = 0; c < graph_.num_coords(); ++c) {
      const auto edges = graph_.edges_of(c);
      const bool fixed = !std::isfinite(problem_.unary[at(c)]);
      double excess = options_.quadratic * state_.u[at(c)];
      for (const std::int32_t e : edges) excess += state_.duals[at(e)];
      excess /= static_cast<double>(std::max<std::size_t>(edges.size(), 1));
      for (const std::int32_t e : edges) state_.duals[at(e)] = fixed ? 0.0 : state_.duals[at(e)] - excess;
    }
  }

  void rescale_parts() {
    const double scale = 1.0 / rho_;
    for (std::size_t r = 0; r < scaled_parts_.size(); ++r) scaled_parts_[r] = problem_.parts[r] * scale;
  }

  // What a factor maximises is linear in its shares, (score / degree + dual) / penalty; the rest of its inputs is u.
  void set_first_inputs() {
    for (Index c = 0; c < graph_.num_coords(); ++c) {
      const auto edges = graph_.edges_of(c);
      const double s = problem_.unary[at(c)] / static_cast<double>(std::max<std::size_t>(edges.size(), 1));
      for (const std::int32_t e : edges) a_[at(e)] = (s + state_.duals[at(e)]) / rho_ + state_.u[at(c)];
    }
  }

  // --- one iteration ------------------------------------------------------------------------------------------------

  void iterate() {
    result_.status = Ad3Status::kIterationLimit;
    for (Index t = 1; t <= options_.max_iterations; ++t) {
      result_.iterations = t;
      const Index before = result_.projections;
      if (!project_active()) return;
      result_.active_factors.push_back(result_.projections - before);
      result_.active_slots.push_back(slots_solved());
      if (2 * result_.active_slots.back() > graph_.num_slots()) {
        average_all();
      } else {
        average_touched();
      }
      const bool done = all_solved_ && result_.primal_residual <= options_.tolerance &&
                        result_.dual_residual <= options_.tolerance && !wake_all_moved();
      if (done) result_.status = Ad3Status::kConverged;
      if (done || t >= next_check_) {
        next_check_ = t + std::max(options_.check_every, t / kCheckShare);
        if (options_.quadratic == 0.0 && check()) return;
      }
      if (done || t % options_.check_every == 0) {
        if (seconds_since(start_) > options_.time_limit) {
          result_.status = Ad3Status::kTimeLimit;
          return;
        }
      }
      if (done) return;
      if (accelerates()) accelerate(t);
      if (options_.adapt_penalty) adapt(t);
    }
  }

  // Runs of consecutive active factors are one call each.
  bool project_active() {
    solved_.clear();
    all_solved_ = true;
    for (std::size_t g = 0; g < graph_.groups().size(); ++g) {
      const graph::PlacedGroup& placed = graph_.groups()[g];
      const Index n = placed.group->layout().num_factors();
      const std::uint8_t* active = active_.data() + placed.factor_begin;
      for (Index f = 0; f < n;) {
        if (active[f] == 0) {
          ++f;
          continue;
        }
        Index end = f + 1;
        while (end < n && active[end] != 0) ++end;
        if (!project(g, {f, end})) return false;
        f = end;
      }
    }
    return true;
  }

  bool project(std::size_t g, Range range) {
    const graph::PlacedGroup& placed = graph_.groups()[g];
    const factors::Layout& layout = placed.group->layout();
    const Point values = Point(values_).subspan(at(placed.factor_begin));
    placed.group->project(range, Scores(a_).subspan(at(placed.edge_begin)),
                          Scores(scaled_parts_).subspan(at(placed.part_begin)), state_.projections[g],
                          Point(state_.z).subspan(at(placed.edge_begin)),
                          Point(result_.nu).subspan(at(placed.part_begin)), values, ws_);
    for (Index f = range.begin; f < range.end; ++f) {
      active_[at(placed.factor_begin + f)] = 0;
      if (values[at(f)] != kForbidden) continue;
      result_.conflict = {static_cast<Index>(g), f, -1};
      return false;
    }
    if (has_slack_) {
      const Index first = placed.edge_begin + layout.coords()[range.begin];
      const Index last = placed.edge_begin + layout.coords()[range.end];
      std::copy(a_.begin() + first, a_.begin() + last, solved_at_.begin() + first);
    }
    const std::vector<factors::ActiveSet>& sets = state_.projections[g].sets;
    for (Index f = range.begin; f < range.end && !sets.empty(); ++f) {
      if (sets[at(f)].solved) continue;
      active_[at(placed.factor_begin + f)] = 1;
      all_solved_ = false;
    }
    result_.projections += range.end - range.begin;
    solved_.push_back({placed.slot_begin + layout.slots()[range.begin], placed.slot_begin + layout.slots()[range.end]});
    return true;
  }

  Index slots_solved() const {
    Index total = 0;
    for (const Range slots : solved_) total += slots.end - slots.begin;
    return total;
  }

  void find_touched() {
    touched_.clear();
    ++now_;
    for (const Range slots : solved_) {
      for (Index s = slots.begin; s < slots.end; ++s) {
        const std::int32_t v = graph_.slot_variable()[at(s)];
        if (stamp_[at(v)] == now_) continue;
        stamp_[at(v)] = now_;
        touched_.push_back(v);
      }
    }
  }

  /// The next average of a coordinate.
  double average(std::size_t c, double total) const {
    const double kappa = options_.quadratic / rho_;
    const double old = state_.u[c];
    const double stretched = options_.relaxation * total + (1.0 - options_.relaxation) * degree_[c] * old;
    return (stretched + kappa * old) / (degree_[c] + kappa);
  }

  /// By how much the inputs move where z is 0: the dual by the average less (1 - relaxation) of the last one, and the
  /// average itself.
  double shift(double u, double old) const { return 2.0 * u - (2.0 - options_.relaxation) * old; }

  // Averages and the next inputs of the variables whose factors were solved; the others stand still.
  void average_touched() {
    find_touched();
    std::vector<double>& residual = anderson_.residual();
    std::ranges::fill(residual, 0.0);
    double primal = 0.0;
    double dual = 0.0;
    const double* z = state_.z.data();
    for (const std::int32_t v : touched_) {
      for (auto c = at(graph_.coord_of(v)); c < at(graph_.coord_of(v + 1)); ++c) {
        if (!std::isfinite(problem_.unary[c])) continue;
        const auto edges = graph_.edges_of(static_cast<Index>(c));
        double total = 0.0;
        for (const std::int32_t e : edges) total += z[e];
        const double old = state_.u[c];
        const double u = average(c, total);
        state_.u[c] = u;
        dual += degree_[c] * (u - old) * (u - old);
        const double constant = shift(u, old);
        for (const std::int32_t e : edges) {
          const double step = constant - options_.relaxation * z[e];
          primal += (z[e] - u) * (z[e] - u);
          residual[at(e)] = step;
          a_[at(e)] += step;
          const double moved = has_slack_ ? a_[at(e)] - solved_at_[at(e)] : step;
          if (std::abs(moved) > idle_) active_[at(factor_of_edge_[at(e)])] = 1;
        }
      }
    }
    set_residuals(primal, dual);
  }

  // The same for all variables, edge by edge, where most are touched anyway.
  void average_all() {
    const auto coords = at(graph_.num_coords());
    shifts_.assign(coords, 0.0);
    const double* z = state_.z.data();
    double dual = 0.0;
    for (std::size_t c = 0; c < coords; ++c) {
      if (degree_[c] == 0.0) continue;
      const auto edges = graph_.edges_of(static_cast<Index>(c));
      if (!std::isfinite(problem_.unary[c])) {
        shifts_[c] = options_.relaxation * state_.u[c];  // all factors agree: the step is zero
        continue;
      }
      double total = 0.0;
      for (const std::int32_t e : edges) total += z[e];
      const double old = state_.u[c];
      const double u = average(c, total);
      dual += degree_[c] * (u - old) * (u - old);
      shifts_[c] = shift(u, old);
      state_.u[c] = u;
    }
    const double primal = update_edges(a_.size(), graph_.edge_coord().data(), z, state_.u.data(), shifts_.data(),
                                       options_.relaxation, a_.data(), anderson_.residual().data());
    for (const graph::PlacedGroup& placed : graph_.groups()) wake_moved(placed);
    set_residuals(primal, dual);
  }

  /// Wakes factors with an input that moved: in the last step or, where factors may idle longer, since they were
  /// solved.
  void wake_moved(const graph::PlacedGroup& placed) {
    if (has_slack_) {
      wake(placed, [&](std::size_t e) { return std::abs(a_[e] - solved_at_[e]) > idle_; });
    } else {
      wake(placed, [&, step = anderson_.residual().data()](std::size_t e) { return std::abs(step[e]) > kIdle; });
    }
  }

  template <class Moved>
  void wake(const graph::PlacedGroup& placed, Moved has_moved) {
    const factors::Layout& layout = placed.group->layout();
    std::uint8_t* active = active_.data() + placed.factor_begin;
    const factors::Offsets& offsets = layout.coords();
    const auto first = at(placed.edge_begin);
    if (offsets.uniform() && offsets.stride() == 2) {
      for (Index f = 0; f < layout.num_factors(); ++f) {
        if (has_moved(first + at(2 * f)) || has_moved(first + at(2 * f + 1))) active[f] = 1;
      }
      return;
    }
    for (Index f = 0; f < layout.num_factors(); ++f) {
      const Index end = offsets[f + 1];
      for (Index e = offsets[f]; e < end && active[f] == 0; ++e) active[f] = has_moved(first + at(e));
    }
  }

  /// Ends the slack of idle factors; false if none was moved while it idled.
  bool wake_all_moved() {
    if (idle_ == kIdle) return false;
    idle_ = kIdle;
    for (const graph::PlacedGroup& placed : graph_.groups()) wake_moved(placed);
    return std::ranges::find(active_, 1) != active_.end();
  }

  void set_residuals(double primal, double dual) {
    const auto n = static_cast<double>(std::max<Index>(graph_.num_edges(), 1));
    result_.primal_residual = std::sqrt(primal / n);
    result_.dual_residual = std::sqrt(dual / n);
  }

  // --- acceleration -------------------------------------------------------------------------------------------------

  // An iteration maps the inputs a of all factors to the next ones: averages and duals follow from a, as the duals of
  // a coordinate sum to zero. With a quadratic term they do not, and convergence is fast anyway.
  bool accelerates() const { return options_.acceleration > 0 && options_.quadratic == 0.0; }

  void accelerate(Index t) {
    const double norm = anderson_.push();
    if (extrapolated_ && norm > kWorse * norm_before_) {
      set_inputs(other_);
      forget_steps();
      return;
    }
    extrapolated_ = ++num_steps_ >= kExtrapolateEvery && t < options_.max_iterations;
    if (!extrapolated_) return;
    num_steps_ = 0;
    norm_before_ = norm;
    other_ = a_;
    if (anderson_.extrapolate(a_)) {
      std::swap(a_, other_);
      set_inputs(other_);
    }
  }

  void forget_steps() {
    anderson_.clear();
    extrapolated_ = false;
    num_steps_ = 0;
  }

  /// Sets the inputs, and the averages that belong to them. What they were is left in `inputs`.
  void set_inputs(std::vector<double>& inputs) {
    for (Index c = 0; c < graph_.num_coords(); ++c) {
      const auto edges = graph_.edges_of(c);
      if (edges.empty() || !std::isfinite(problem_.unary[at(c)])) continue;
      double total = -problem_.unary[at(c)] / rho_;
      for (const std::int32_t e : edges) {
        total += inputs[at(e)];
        const double before = has_slack_ ? solved_at_[at(e)] : a_[at(e)];
        if (std::abs(inputs[at(e)] - before) > idle_) active_[at(factor_of_edge_[at(e)])] = 1;
      }
      state_.u[at(c)] = total / degree_[at(c)];
    }
    std::swap(a_, inputs);
  }

  // --- bounds, certificates, penalty --------------------------------------------------------------------------------

  /// True if there is nothing left to do.
  bool check() {
    const factors::Workspace::Frame frame(ws_);
    const AssignmentOut slots = ws_.take<std::int32_t>(graph_.num_slots());
    const Point values = ws_.take<double>(graph_.num_factors());
    const Point share = ws_.take<double>(graph_.num_edges());
    for (std::size_t e = 0; e < a_.size(); ++e) {
      const auto c = at(graph_.edge_coord()[e]);
      share[e] = std::isfinite(a_[e]) ? a_[e] - state_.u[c] : a_[e];
    }
    const double bound = rho_ * maximise_factors(graph_, share, scaled_parts_, slots, values, ws_) + free_value_;
    result_.bound = std::min(result_.bound, bound + rounding_of_bound(problem_, share, rho_));
    candidate_.resize(at(graph_.num_variables()));
    const double value = round_to_feasible(problem_, state_.u, candidate_, ws_);
    if (value > result_.value) {
      result_.value = value;
      result_.y = candidate_;
    }
    if (is_proved(result_.value, result_.bound)) {
      result_.status = Ad3Status::kCertified;
      return true;
    }
    if (result_.bound < lowest_ - kProved * (1.0 + std::abs(lowest_))) {
      result_.status = Ad3Status::kInfeasible;
      return true;
    }
    if (result_.bound <= options_.cutoff) {
      result_.status = Ad3Status::kCutOff;
      return true;
    }
    return false;
  }

  void adapt(Index t) {
    if (t < next_adaptation_) return;
    const double ratio = result_.primal_residual / std::max(result_.dual_residual, 1e-300);
    double factor = 1.0;
    // Extrapolation removes what a new penalty stirs up; without it frequent changes may go on for ever.
    const double imbalance = accelerates() ? 2.0 : 5.0;
    if (ratio > imbalance) factor = kStep;
    if (ratio < 1.0 / imbalance) factor = 1.0 / kStep;
    next_adaptation_ = t + kAdaptEvery;
    if (factor == 1.0) return;
    // Convergence needs a penalty that settles: each change makes the next one wait longer.
    next_adaptation_ += ++num_adaptations_;
    rho_ *= factor;
    rescale_parts();
    forget_steps();
    // A factor that agrees with the averages on all its variables stays optimal under any penalty, and may idle on.
    for (std::size_t e = 0; e < a_.size(); ++e) {
      const double u = state_.u[at(graph_.edge_coord()[e])];
      if (std::isfinite(a_[e])) a_[e] = u + (a_[e] - u) / factor;
      if (has_slack_) solved_at_[e] = a_[e];
      if (std::abs(state_.z[e] - u) > idle_) active_[at(factor_of_edge_[e])] = 1;
    }
  }

  void store_duals() {
    for (std::size_t e = 0; e < a_.size(); ++e) {
      const auto c = at(graph_.edge_coord()[e]);
      const double s = problem_.unary[c];
      if (std::isfinite(s)) state_.duals[e] = rho_ * (a_[e] - state_.u[c]) - s / degree_[c];
    }
  }

  void finish() {
    if (result_.conflict.any()) result_.status = Ad3Status::kInfeasible;
    if (result_.status == Ad3Status::kInfeasible) {
      result_.bound = result_.value = kForbidden;
      result_.y.clear();
    } else if (result_.status == Ad3Status::kIterationLimit && options_.quadratic == 0.0 &&
               options_.max_iterations > 0) {
      check();  // the last look may settle it
    }
    store_duals();
    state_.penalty = rho_;
    result_.u = state_.u;
    if (result_.status == Ad3Status::kInfeasible) {
      std::ranges::fill(result_.u, 0.0);
      std::ranges::fill(result_.nu, 0.0);
    } else if (result_.iterations > 0) {
      settle_on_faces();
    }
    if (result_.status == Ad3Status::kCertified) take_assignment();
    result_.relaxed_value = relaxed_value(problem_, result_.u, result_.nu);
  }

  // The averages of the iterations leave the factors' polytopes a little; the factors' own solutions do not. With a
  // quadratic term the solution is sparse: what is known to be 0 or 1 up to the tolerance is just that.
  void settle_on_faces() {
    for (Index c = 0; c < graph_.num_coords(); ++c) {
      const auto edges = graph_.edges_of(c);
      if (edges.empty() || !std::isfinite(problem_.unary[at(c)])) continue;
      double total = 0.0;
      for (const std::int32_t e : edges) total += state_.z[at(e)];
      result_.u[at(c)] = total / degree_[at(c)];
    }
    const bool sparse = options_.quadratic > 0.0 && result_.status == Ad3Status::kConverged;
    const double near = sparse ? kNearFace * options_.tolerance : 0.0;
    for (std::vector<double>* values : {&result_.u, &result_.nu}) {
      for (double& x : *values) {
        const double end = std::round(x);
        x = std::clamp((std::abs(x - end) <= near ? end : x) + 0.0, 0.0, 1.0);  // + 0.0: no negative zero
      }
    }
  }

  // The optimum is known: marginals are its indicators, and its parts are what each factor has with it.
  void take_assignment() {
    const factors::Workspace::Frame frame(ws_);
    const Point edges = ws_.take<double>(graph_.num_edges());
    for (Index v = 0; v < graph_.num_variables(); ++v) {
      const bool binary = graph_.num_states(v) == 2;
      for (Index c = graph_.coord_of(v); c < graph_.coord_of(v + 1); ++c) {
        const bool on = result_.y[at(v)] == (binary ? 1 : c - graph_.coord_of(v));
        result_.u[at(c)] = on ? 1.0 : 0.0;
        for (const std::int32_t e : graph_.edges_of(c)) {
          edges[at(e)] = !on ? kForbidden : binary ? kForced : 0.0;
        }
      }
    }
    const AssignmentOut slots = ws_.take<std::int32_t>(graph_.num_slots());
    for (const graph::PlacedGroup& placed : graph_.groups()) {
      placed.group->argmax(placed.group->all(), edges.subspan(at(placed.edge_begin)),
                           problem_.parts.subspan(at(placed.part_begin)), slots.subspan(at(placed.slot_begin)),
                           Point(result_.nu).subspan(at(placed.part_begin)),
                           Point(values_).subspan(at(placed.factor_begin)), ws_);
    }
  }

  static constexpr double kNearFace = 30.0;  // of the tolerance, which is that of a mean over all coordinates
  static constexpr Index kCheckShare = 8;    // of the iterations so far, before the next check
  static constexpr Index kAdaptEvery = 10;
  static constexpr double kStep = 2.0;
  static constexpr Index kExtrapolateEvery = 10;
  static constexpr double kWorse = 2.0;  // residual after an extrapolation, against before, that takes it back

  const ScoredGraph& problem_;
  const FactorGraph& graph_;
  const Ad3Options options_;
  Ad3State& state_;
  Ad3Result result_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  factors::Workspace ws_;
  double rho_ = 1.0;
  double idle_ = std::max(kIdle, options_.idle);
  const bool has_slack_ = idle_ > kIdle;
  double free_value_ = 0.0;
  double lowest_ = 0.0;
  std::int32_t now_ = 0;
  bool all_solved_ = true;  // no projection stopped at its limit in this iteration
  Index next_check_ = options_.check_every;
  Index next_adaptation_ = kAdaptEvery;
  Index num_adaptations_ = 0;
  std::vector<std::int32_t> factor_of_edge_;
  std::vector<std::int32_t> stamp_;
  std::vector<Range> solved_;  // slots of the factors solved in this iteration
  std::vector<std::int32_t> touched_;
  std::vector<std::uint8_t> active_;
  std::vector<double> scaled_parts_;
  std::vector<double> a_, solved_at_;
  std::vector<double> values_;
  std::vector<double> degree_, shifts_;
  std::vector<std::int32_t> candidate_;
  Anderson anderson_;
  bool extrapolated_ = false;  // just before this iteration
  double norm_before_ = 0.0;
  Index num_steps_ = 0;        // since the last extrapolation
  std::vector<double> other_;  // after an extrapolation the inputs without it
};

}  // namespace

bool is_proved(double value, double bound) {
  return std::isfinite(value) && bound - value <= kProved * (1.0 + std::abs(value));
}

Ad3Result solve_ad3_in_units(const ScoredGraph& problem, const Ad3Options& options, Ad3State& state) {
  return Solver(problem, options, state).run();
}

Ad3Result solve_ad3(const ScoredGraph& problem, const Ad3Options& options, Ad3State& state) {
  const UnitScale scale(problem);
  scale.enter(state);
  const ScoredGraph scaled = scale.problem(problem.graph);
  Ad3Result result = solve_ad3_in_units(scaled, scale.inside(options), state);
  scale.leave(state);
  scale.leave(result);
  return result;
}

}  // namespace ramify::inference
