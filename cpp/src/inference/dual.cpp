#include "ramify/inference/dual.hpp"
#include "ramify/numeric/index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ramify::inference {

namespace {}  // namespace

double maximise_factors(const FactorGraph& graph, Scores edge_scores, Scores parts, AssignmentOut slots, Point values,
                        factors::Workspace& ws) {
  const factors::Workspace::Frame frame(ws);
  const Point nu = ws.take<double>(graph.num_parts());
  for (const graph::PlacedGroup& placed : graph.groups()) {
    placed.group->argmax(placed.group->all(), edge_scores.subspan(at(placed.edge_begin)),
                         parts.subspan(at(placed.part_begin)), slots.subspan(at(placed.slot_begin)),
                         nu.subspan(at(placed.part_begin)), values.subspan(at(placed.factor_begin)), ws);
  }
  double total = 0.0;
  for (const double value : values) total += value;
  return total;
}

double rounding_of_bound(const ScoredGraph& problem, Scores shares, double unit) {
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  std::vector<double> missing(problem.unary.begin(), problem.unary.end());
  double size = 0.0;
  for (std::size_t e = 0; e < shares.size(); ++e) {
    const double share = unit * shares[e];
    missing[at(problem.graph.edge_coord()[e])] -= share;
    if (std::isfinite(share)) size += std::abs(share);
  }
  for (const double s : problem.parts) size += std::isfinite(s) ? std::abs(s) : 0.0;
  double total = 0.0;
  for (Index c = 0; c < problem.graph.num_coords(); ++c) {
    const double s = problem.unary[at(c)];
    if (!std::isfinite(s)) continue;
    size += std::abs(s);
    if (!problem.graph.edges_of(c).empty()) total += std::max(0.0, missing[at(c)]);
  }
  return total + kRounding * size;
}

double maximise_free_variables(const ScoredGraph& problem, Point u, Conflict& conflict) {
  const FactorGraph& graph = problem.graph;
  double total = 0.0;
  for (Index v = 0; v < graph.num_variables(); ++v) {
    const Index begin = graph.coord_of(v);
    if (!graph.edges_of(begin).empty()) continue;
    const Scores s = problem.unary.subspan(at(begin), at(graph.width(v)));
    const Point out = u.subspan(at(begin), at(graph.width(v)));
    if (s.size() == 1) {
      out[0] = s[0] > 0.0 ? 1.0 : 0.0;
      if (s[0] > 0.0 && s[0] != factors::kForced) total += s[0];
      continue;
    }
    const auto best = std::ranges::max_element(s) - s.begin();
    if (s[at(best)] == factors::kForbidden) conflict.variable = v;
    std::ranges::fill(out, 0.0);
    out[at(best)] = 1.0;
    total += s[at(best)];
  }
  return total;
}

double value_of(const ScoredGraph& problem, factors::Assignment y) {
  const FactorGraph& graph = problem.graph;
  std::vector<double> free(problem.unary.begin(), problem.unary.end());
  for (Index v = 0; v < graph.num_variables(); ++v) {
    double& s = free[at(graph.coord_of(v))];
    if (graph.num_states(v) != 2 || s != factors::kForced) continue;
    if (y[at(v)] != 1) return factors::kForbidden;
    s = 0.0;
  }
  return graph::score(graph, free, problem.parts, y);
}

double relaxed_value(const ScoredGraph& problem, Scores u, Scores nu) {
  double total = 0.0;
  for (std::size_t c = 0; c < u.size(); ++c) {
    if (std::isfinite(problem.unary[c])) total += problem.unary[c] * u[c];
  }
  for (std::size_t r = 0; r < nu.size(); ++r) {
    if (nu[r] > 0.0) total += problem.parts[r] * nu[r];
  }
  return total;
}

double lowest_value(const ScoredGraph& problem) {
  const FactorGraph& graph = problem.graph;
  double total = 0.0;
  for (Index v = 0; v < graph.num_variables(); ++v) {
    double lowest = graph.num_states(v) == 2 ? 0.0 : factors::kForced;
    for (Index c = graph.coord_of(v); c < graph.coord_of(v + 1); ++c) {
      if (std::isfinite(problem.unary[at(c)])) lowest = std::min(lowest, problem.unary[at(c)]);
    }
    if (std::isfinite(lowest)) total += lowest;
  }
  for (const double s : problem.parts) {
    if (std::isfinite(s)) total += std::min(0.0, s);
  }
  return total;
}

double score_spread(const ScoredGraph& problem) {
  double sum = 0.0;
  double count = 1e-300;
  for (const Scores scores : {problem.unary, problem.parts}) {
    for (const double s : scores) {
      if (!std::isfinite(s) || s == 0.0) continue;
      sum += std::abs(s);
      count += 1.0;
    }
  }
  return sum > 0.0 ? sum / count : 1.0;
}

}  // namespace ramify::inference
