#include "ramify/inference/branch_and_bound.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <queue>

#include "cluster_search.hpp"
#include "ramify/inference/rounding.hpp"
#include "ramify/numeric/index.hpp"
#include "unit_scale.hpp"

namespace ramify::inference {

namespace {

using factors::kForbidden;
using factors::kForced;

constexpr double kAgrees = 1e-9;  // values summed in another order

/// Evidence of one branching or fixing: a state that a variable cannot have.
struct Exclusion {
  std::int32_t variable;
  std::int32_t state;
};

struct Node {
  double bound;
  Index number;  // ties: the older first, so that the search is the same every time
  std::vector<Exclusion> exclusions;
  std::shared_ptr<const Ad3State> start;
  bool operator<(const Node& other) const { return bound != other.bound ? bound < other.bound : number > other.number; }
};

class Search {
 public:
  Search(const ScoredGraph& problem, const ExactOptions& options, Ad3State& state)
      : problem_(problem), graph_(problem.graph), options_(options), root_(state), unary_(at(graph_.num_coords())) {}

  ExactResult run() {
    result_.relaxation = solve_ad3_in_units(problem_, options_.relaxation, root_);
    result_.nodes = 1;
    Ad3Result& best = result_.relaxation;
    if (best.status == Ad3Status::kCertified || best.status == Ad3Status::kInfeasible) return std::move(result_);
    if (options_.clusters) {
      if (const std::optional<TableModel> model = TableModel::build(problem_)) return search_tables(*model);
    }
    Node first{best.bound, next_number_++, {}, nullptr};
    Ad3State live = root_;
    bool more = expand(first, best, live);
    while (more || !open_.empty()) {
      if (!more) {
        first = open_.top();
        open_.pop();
        live = restart(*first.start);
      }
      if (is_proved(best.value, first.bound)) {
        more = false;
        continue;
      }
      if (out_of_time() || result_.nodes >= options_.max_nodes) return stop(first.bound);
      more = visit(first, live);
    }
    best.bound = best.value;
    best.status = best.value == kForbidden ? Ad3Status::kInfeasible : Ad3Status::kCertified;
    return std::move(result_);
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  bool out_of_time() const { return elapsed() > options_.relaxation.time_limit; }

  ExactResult search_tables(const TableModel& model) {
    Ad3Result& best = result_.relaxation;
    ClusterSearchResult found =
        search_clusters(model, {options_.relaxation.time_limit - elapsed(), options_.max_nodes}, best.y);
    result_.nodes += found.nodes;
    if (!found.y.empty() && !(value_of(problem_, found.y) < best.value)) {
      best.y = std::move(found.y);
      best.value = value_of(problem_, best.y);
    }
    best.bound = std::max(best.value, std::min(best.bound, found.bound));
    const bool agrees =
        found.value == best.value || std::abs(found.value - best.value) <= kAgrees * (1.0 + std::abs(best.value));
    if (found.is_proved && agrees) {
      best.bound = best.value;
      best.status = best.value == kForbidden ? Ad3Status::kInfeasible : Ad3Status::kCertified;
    } else {
      best.status = found.out_of_time ? Ad3Status::kTimeLimit : Ad3Status::kIterationLimit;
    }
    return std::move(result_);
  }

  ExactResult stop(double bound) {
    if (!open_.empty()) bound = std::max(bound, open_.top().bound);
    Ad3Result& best = result_.relaxation;
    best.bound = std::max(std::min(best.bound, bound), best.value);
    best.status = out_of_time() ? Ad3Status::kTimeLimit : Ad3Status::kIterationLimit;
    return std::move(result_);
  }

  Ad3State restart(const Ad3State& start) const {
    Ad3State out = start;
    for (const graph::PlacedGroup& placed : graph_.groups()) out.projections.push_back(placed.group->make_state());
    out.z.assign(at(graph_.num_edges()), 0.0);
    return out;
  }

  /// Scores under the node's exclusions; false if a variable has no state left.
  bool apply(const std::vector<Exclusion>& exclusions) {
    std::ranges::copy(problem_.unary, unary_.begin());
    forced_value_ = 0.0;
    for (const Exclusion& x : exclusions) {
      const Index begin = graph_.coord_of(x.variable);
      if (graph_.num_states(x.variable) != 2) {
        unary_[at(begin + x.state)] = kForbidden;
        const Scores mine = Scores(unary_).subspan(at(begin), at(graph_.width(x.variable)));
        if (std::ranges::all_of(mine, [](double s) { return s == kForbidden; })) return false;
        continue;
      }
      double& s = unary_[at(begin)];
      if (x.state == 1) {
        if (s == kForced) return false;
        s = kForbidden;
      } else {
        if (s == kForbidden) return false;
        if (s != kForced) forced_value_ += s;
        s = kForced;
      }
    }
    return true;
  }

  /// Solves the node's relaxation; true if `node` became a child to go on with.
  bool visit(Node& node, Ad3State& live) {
    ++result_.nodes;
    Ad3Result& best = result_.relaxation;
    if (!apply(node.exclusions)) return false;
    const ScoredGraph restricted{graph_, unary_, problem_.parts, problem_.completion};
    Ad3Options options = options_.relaxation;
    options.max_iterations = options_.node_iterations;
    options.time_limit = std::max(0.0, options.time_limit - elapsed());
    options.cutoff = best.value - forced_value_;
    live.penalty = 0.0;
    Ad3Result result = solve_ad3_in_units(restricted, options, live);
    result.value += forced_value_;
    result.bound += forced_value_;
    if (result.value > best.value) {
      best.value = result.value;
      best.y = result.y;
    }
    node.bound = std::min(node.bound, result.bound);
    if (result.status == Ad3Status::kInfeasible || result.status == Ad3Status::kCertified) return false;
    if (is_proved(best.value, node.bound)) return false;
    return expand(node, result, live);
  }

  /// Fixes what cannot win, then branches: pushes one child, turns `node` into the other.
  bool expand(Node& node, const Ad3Result& result, const Ad3State& live) {
    if (!apply(node.exclusions) || !fix(node, live)) return false;
    const Index v = most_fractional(result.u);
    if (v < 0) return settle();
    const Index begin = graph_.coord_of(v);
    Exclusion here{static_cast<std::int32_t>(v), 0};  // the dive takes the likelier side
    Exclusion there{static_cast<std::int32_t>(v), 1};
    if (graph_.num_states(v) == 2) {
      if (result.u[at(begin)] < 0.5) std::swap(here.state, there.state);
    }
    auto start = std::make_shared<Ad3State>();
    start->duals = live.duals;
    start->u = live.u;
    Node sibling{node.bound, next_number_++, node.exclusions, start};
    if (graph_.num_states(v) == 2) {
      sibling.exclusions.push_back(there);
      node.exclusions.push_back(here);
    } else {
      const auto k = best_state(v, result.u);
      sibling.exclusions.push_back({static_cast<std::int32_t>(v), k});
      for (std::int32_t s = 0; s < graph_.num_states(v); ++s) {
        if (s != k) node.exclusions.push_back({static_cast<std::int32_t>(v), s});
      }
    }
    node.number = next_number_++;
    open_.push(std::move(sibling));
    return true;
  }

  /// Every variable is settled: the only assignment left is a candidate, and the node is done.
  bool settle() {
    std::vector<double> u(unary_.size());
    Conflict ignored;
    maximise_free_variables({graph_, unary_, problem_.parts}, u, ignored);
    for (std::size_t c = 0; c < u.size(); ++c) {
      if (!graph_.edges_of(static_cast<Index>(c)).empty()) u[c] = unary_[c] == kForbidden ? 0.0 : 1.0;
    }
    std::vector<std::int32_t> y(at(graph_.num_variables()));
    round_variables(graph_, u, y);
    if (problem_.completion != nullptr) problem_.completion->fill(y);
    Ad3Result& best = result_.relaxation;
    const double value = value_of(problem_, y);
    if (value > best.value) best.value = value, best.y = y;
    return false;
  }

  std::int32_t best_state(Index v, const std::vector<double>& u) const {
    std::int32_t best = -1;
    for (std::int32_t s = 0; s < graph_.num_states(v); ++s) {
      const std::size_t c = at(graph_.coord_of(v) + s);
      if (unary_[c] == kForbidden) continue;
      if (best < 0 || u[c] > u[at(graph_.coord_of(v) + best)]) best = s;
    }
    return best;
  }

  /// The open variable whose largest marginal is smallest, weighted by how many factors it holds together; any open
  /// variable where all are integral (AD3 had not converged), -1 where all are settled.
  Index most_fractional(const std::vector<double>& u) const {
    Index best = -1;
    double best_score = -1.0;
    const Index end = problem_.completion != nullptr ? problem_.completion->num_given : graph_.num_variables();
    for (Index v = 0; v < end; ++v) {
      const Index begin = graph_.coord_of(v);
      if (graph_.edges_of(begin).empty() || is_settled(v)) continue;
      double largest = 0.0;
      for (Index c = begin; c < graph_.coord_of(v + 1); ++c) largest = std::max(largest, u[at(c)]);
      if (graph_.num_states(v) == 2) largest = std::max(largest, 1.0 - u[at(begin)]);
      const double score = std::max(0.0, 1.0 - largest) * static_cast<double>(graph_.edges_of(begin).size());
      if (score > best_score) best_score = score, best = v;
    }
    return best;
  }

  bool is_settled(Index v) const {
    const Scores mine = Scores(unary_).subspan(at(graph_.coord_of(v)), at(graph_.width(v)));
    const auto open = std::ranges::count_if(mine, [](double s) { return std::isfinite(s); });
    return graph_.num_states(v) == 2 ? open == 0 : open <= 1;
  }

  /// A state whose best completions over its variable's factors, put together, stay below the incumbent is excluded.
  /// The scores are the node's; false if nothing can beat the incumbent any more.
  bool fix(Node& node, const Ad3State& live) {
    if (result_.relaxation.value == kForbidden) return true;
    const std::vector<double> edges = edge_scores(live);
    loss_.assign(state_offsets(), 0.0);
    factors::Workspace ws;
    double bound = forced_value_;
    Conflict ignored;
    std::vector<double> scratch(unary_.size());
    bound += maximise_free_variables({graph_, unary_, problem_.parts}, scratch, ignored);
    for (const graph::PlacedGroup& placed : graph_.groups()) {
      if (!placed.group->has(factors::Capability::kMaxMarginals)) {
        return true;
      }
      bound += add_losses(placed, edges, ws);
    }
    node.bound = std::min(node.bound, bound);
    if (is_proved(result_.relaxation.value, node.bound)) return false;
    exclude(node, bound);
    return apply(node.exclusions);
  }

  std::vector<double> edge_scores(const Ad3State& live) const {
    std::vector<double> out(live.duals.size());
    for (std::size_t e = 0; e < out.size(); ++e) {
      const Index c = graph_.edge_coord()[e];
      const double s = unary_[at(c)];
      out[e] = std::isfinite(s) ? s / static_cast<double>(graph_.edges_of(c).size()) + live.duals[e] : s;
    }
    return out;
  }

  std::size_t state_offsets() {
    state_of_.assign(1, 0);
    for (Index v = 0; v < graph_.num_variables(); ++v) state_of_.push_back(state_of_.back() + graph_.num_states(v));
    return at(state_of_.back());
  }

  double add_losses(const graph::PlacedGroup& placed, const std::vector<double>& edges, factors::Workspace& ws) {
    const factors::Layout& layout = placed.group->layout();
    const Index n = layout.num_factors();
    const factors::Workspace::Frame frame(ws);
    const Point out = ws.take<double>(layout.states()[n]);
    placed.group->max_marginals({0, n}, Scores(edges).subspan(at(placed.edge_begin)),
                                problem_.parts.subspan(at(placed.part_begin)), out, ws);
    double total = 0.0;
    for (Index f = 0; f < n; ++f) {
      const Scores mine = out.subspan(at(layout.states()[f]), at(layout.states().size(f)));
      const double best = *std::ranges::max_element(mine);
      total += best;
      for (Index s = layout.slots()[f]; s < layout.slots()[f + 1]; ++s) {
        const Index v = graph_.slot_variable()[at(placed.slot_begin + s)];
        for (std::int32_t k = 0; k < graph_.num_states(v); ++k) {
          loss_[at(state_of_[at(v)] + k)] += best - out[at(layout.state_of(s) + k)];
        }
      }
    }
    return total;
  }

  void exclude(Node& node, double bound) {
    const double needed = bound - result_.relaxation.value;
    for (Index v = 0; v < graph_.num_variables(); ++v) {
      if (graph_.edges_of(graph_.coord_of(v)).empty() || is_settled(v)) continue;
      for (std::int32_t k = 0; k < graph_.num_states(v); ++k) {
        const bool gone = graph_.num_states(v) > 2 && unary_[at(graph_.coord_of(v) + k)] == kForbidden;
        if (!gone && loss_[at(state_of_[at(v)] + k)] >= needed)
          node.exclusions.push_back({static_cast<std::int32_t>(v), k});
      }
    }
  }

  const ScoredGraph& problem_;
  const FactorGraph& graph_;
  const ExactOptions& options_;
  Ad3State& root_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  ExactResult result_;
  std::priority_queue<Node> open_;
  Index next_number_ = 0;
  double forced_value_ = 0.0;
  std::vector<double> unary_;
  std::vector<double> loss_;
  std::vector<Index> state_of_;
};

}  // namespace

ExactResult solve_exact(const ScoredGraph& problem, const ExactOptions& options, Ad3State& state) {
  const UnitScale scale(problem);
  scale.enter(state);
  const ScoredGraph scaled = scale.problem(problem.graph);
  ExactOptions inside = options;
  inside.relaxation = scale.inside(options.relaxation);
  ExactResult result = Search(scaled, inside, state).run();
  scale.leave(state);
  scale.leave(result.relaxation);
  return result;
}

}  // namespace ramify::inference
