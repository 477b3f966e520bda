#include "cluster_search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "local_search.hpp"
#include "ramify/numeric/index.hpp"
#include "region_dual.hpp"

namespace ramify::inference {

namespace {

using factors::kForbidden;

constexpr double kProved = 5e-9;  // relative to the value: no better assignment by more than this
constexpr Index kSweeps = 5;      // between looks at the progress
// Of the gap, gained by kSweeps: below it is time for clusters, or for branching.
constexpr double kSlowPairs = 0.01;
constexpr double kSlowClusters = 0.04;
constexpr double kSlowNode = 0.05;
constexpr double kDead = 0.03;  // of the states: worth laying all tables out anew
constexpr std::size_t kCliquesAtOnce = 4000;
constexpr Index kLooks = 4;  // between rounds of clusters
constexpr Index kRounds = 3;
constexpr std::size_t kMostCandidates = 200'000;
constexpr std::size_t kMostValues = 8'000'000;
constexpr double kLeastGain = 1e-7;  // of the gap
constexpr std::size_t kTried = 3;    // variables that are branched on for a few sweeps before one is chosen

class ClusterSearch {
 public:
  ClusterSearch(const TableModel& model, const ClusterSearchOptions& options)
      : model_(model), options_(options), local_(model) {}

  ClusterSearchResult run(const std::vector<std::int32_t>& known) {
    if (!known.empty()) offer(model_.restrict_to_model(known));
    RegionDual root(model_);
    root.set_cutoff(cutoff());
    tighten(root);
    visit(root);
    result_.out_of_time = seconds() > options_.time_limit;
    result_.is_proved = !is_over_;
    result_.bound = result_.is_proved ? result_.value : std::max(result_.value, open_bound_);
    if (!states_.empty()) result_.y = model_.expand(states_);
    return std::move(result_);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  bool is_over() {
    is_over_ = is_over_ || seconds() > options_.time_limit || result_.nodes >= options_.max_nodes;
    return is_over_;
  }
  double cutoff() const {
    return result_.value == kForbidden ? kForbidden : result_.value + kProved * (1.0 + std::abs(result_.value));
  }
  double gap(const RegionDual& dual) const { return dual.bound() - result_.value; }

  /// Takes an assignment as the incumbent if it is better, after climbing from it.
  void offer(std::vector<std::int32_t> states) {
    if (states.empty() || local_.value_of(states) == kForbidden) return;
    local_.climb(states);
    const double value = local_.value_of(states);
    if (!(value > result_.value)) return;
    result_.value = value;
    states_ = std::move(states);
  }

  void disturb() {
    if (states_.empty()) return;
    constexpr Index kFewest = 2000;
    const Index rounds = std::max(kFewest, 10 * model_.num_variables());
    result_.value = local_.improve(states_, result_.value, rounds, random_);
  }

  /// A few sweeps; then what they exclude is dropped and what they suggest is tried.
  void look(RegionDual& dual) {
    dual.set_cutoff(cutoff());
    for (Index i = 0; i < kSweeps && !dual.is_done(); ++i) dual.sweep();
    if (dual.is_done()) return;
    dual.compress(kDead);
    if (dual.is_done()) return;
    offer(dual.round());
    dual.set_cutoff(cutoff());
  }

  /// False if there are none left that help.
  bool add_clusters(RegionDual& dual, bool of_four) {
    // Triangles and squares that gain nothing yet may do so when the others have moved the losses.
    const std::size_t at_least = of_four ? 0 : model_.tables.size();
    const std::size_t at_most = of_four ? kCliquesAtOnce : kMostCandidates;
    std::size_t taken = 0;
    for (const auto& [gain, scope] : dual.find_clusters(of_four, kMostCandidates, [this] { return is_over(); })) {
      if (is_over()) break;
      if (dual.num_values() > kMostValues || taken >= at_most) break;
      if (gain < kLeastGain * gap(dual) && taken >= at_least) break;
      dual.add_cluster(scope);
      ++taken;
    }
    return taken > 0;
  }

  void tighten(RegionDual& root) {
    descend(root, kSlowPairs);
    disturb();
    if (!root.is_done()) add_clusters(root, false);
    for (Index i = 0; i < kLooks && !root.is_done() && !is_over(); ++i) look(root);
    for (Index round = 0; round < kRounds && !root.is_done() && !is_over(); ++round) {
      for (Index i = 0; i < kLooks && !root.is_done() && !is_over(); ++i) look(root);
      if (root.is_done() || !add_clusters(root, true)) break;
    }
    descend(root, kSlowClusters);
  }

  /// Sweeps until kSweeps of them gain less than slow of the gap.
  void descend(RegionDual& dual, double slow) {
    for (double last = dual.bound(); !dual.is_done() && !is_over(); last = dual.bound()) {
      look(dual);
      if (last - dual.bound() < slow * gap(dual)) return;
    }
  }

  void visit(RegionDual& dual) {
    ++result_.nodes;
    descend(dual, kSlowNode);
    if (dual.is_done()) return;
    if (is_over()) return leave_open(dual);
    dual.compress(0.0);
    if (dual.is_done()) return;
    const Index v = choose(dual);
    if (v < 0) return offer(dual.round());  // a single assignment is left
    const std::int32_t state = best_state(dual, v);
    dual.forget_layout();
    {
      RegionDual child(dual);
      child.keep_only(v, state);
      visit(child);
    }
    dual.set_cutoff(cutoff());
    dual.exclude(v, state);
    visit(dual);
  }

  void leave_open(const RegionDual& dual) { open_bound_ = std::max(open_bound_, dual.bound()); }

  static std::int32_t best_state(const RegionDual& dual, Index v) {
    const std::vector<double>& losses = dual.losses_of(v);
    return dual.states_of(v)[at(std::ranges::max_element(losses) - losses.begin())];
  }

  /// The variable whose two sides, best state and the others, have the lowest bounds after a sweep each.
  Index choose(RegionDual& dual) {
    const double g = std::isfinite(gap(dual)) ? gap(dual) : 1.0;
    std::vector<std::pair<double, Index>> open;
    for (Index v = 0; v < model_.num_variables(); ++v) {
      if (dual.states_of(v).size() < 2) continue;
      double total = 0.0;
      for (const double loss : dual.losses_of(v)) total += std::exp(4.0 * loss / g);
      open.emplace_back(total, v);
    }
    if (open.empty()) return -1;
    std::ranges::sort(open);
    if (open.size() > kTried) open.resize(kTried);
    Index best = open.front().second;
    double best_score = -1.0;
    for (const auto& [ignored, v] : open) {
      const std::int32_t state = best_state(dual, v);
      const double down = std::min(g, dual.bound() - dual.probe(v, state, true));
      const double up = std::min(g, dual.bound() - dual.probe(v, state, false));
      const double score = std::max(down, 1e-6 * g) * std::max(up, 1e-6 * g);
      if (score > best_score) best_score = score, best = v;
    }
    return best;
  }

  const TableModel& model_;
  const ClusterSearchOptions& options_;
  LocalSearch local_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  numeric::Random random_{1, 0};
  ClusterSearchResult result_;
  std::vector<std::int32_t> states_;
  double open_bound_ = kForbidden;
  bool is_over_ = false;
};

}  // namespace

ClusterSearchResult search_clusters(const TableModel& model, const ClusterSearchOptions& options,
                                    const std::vector<std::int32_t>& known) {
  return ClusterSearch(model, options).run(known);
}

}  // namespace ramify::inference
