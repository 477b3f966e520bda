#include <algorithm>
#include <cmath>

#include "ramify/inference/belief_propagation.hpp"

namespace ramify::inference {

using factors::kForbidden;
using factors::kForced;
using factors::Point;
using factors::Scores;

namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

double sigmoid(double x) { return x >= 0.0 ? 1.0 / (1.0 + std::exp(-x)) : std::exp(x) / (1.0 + std::exp(x)); }

double product(double score, double mass) { return mass > 0.0 && std::isfinite(score) ? score * mass : 0.0; }

/// Turns log-masses into probabilities; returns their entropy, or -inf where all are forbidden.
double normalise(Point x) {
  const double high = *std::ranges::max_element(x);
  if (high == kForbidden) {
    std::ranges::fill(x, 0.0);
    return kForbidden;
  }
  double total = 0.0;
  double mean = 0.0;
  for (double& v : x) {
    const double shifted = v - high;
    v = std::exp(shifted);
    total += v;
    if (v > 0.0) mean += v * shifted;
  }
  for (double& v : x) v /= total;
  return std::log(total) - mean / total;
}

}  // namespace

double BeliefPropagation::variable_terms(std::vector<double>& marginals, bool& feasible) {
  std::vector<double> lent(index(graph_.num_coords()), 0.0);
  const auto coords = graph_.edge_coord();
  for (const Run& run : all_.runs) {
    const Stretch s = edges(run);
    for (std::size_t e = s.begin; e < s.end; ++e) lent[index(coords[e])] += scale(e);
  }
  double total = 0.0;
  bool contradiction = false;
  for (Index v = 0; v < graph_.num_variables(); ++v) {
    const std::size_t begin = index(graph_.coord_of(v));
    const std::size_t width = index(graph_.width(v));
    for (std::size_t c = begin; c < begin + width; ++c) marginals[c] = beliefs_.at(c, contradiction);
    double entropy = 0.0;
    if (width == 1) {
      const double odds = marginals[begin];
      const double on = sigmoid(odds);
      if (std::isfinite(odds)) entropy = on * softplus(-odds) + (1.0 - on) * softplus(odds);
      marginals[begin] = on;
    } else {
      entropy = normalise(Point(marginals).subspan(begin, width));
      if (entropy == kForbidden) contradiction = true;
    }
    for (std::size_t c = begin; c < begin + width; ++c) total += product(unary_[c], marginals[c]);
    total += (1.0 - lent[begin]) * entropy;
  }
  if (contradiction) feasible = false;
  return total;
}

/// Factors that take no part: their variables are independent as far as they can tell.
void BeliefPropagation::idle_parts(BpAnswer& answer) {
  if (active_.empty()) return;
  const auto coords = graph_.edge_coord();
  std::vector<double> log_z, zeros;
  bool contradiction = false;
  for (const graph::PlacedGroup& placed : graph_.groups()) {
    const auto& layout = placed.group->layout();
    const bool is_pair = placed.group->family() == "Pair";
    for (Index f = 0; f < layout.num_factors(); ++f) {
      if (active_[index(placed.factor_begin + f)] != 0) continue;
      const std::size_t begin = index(placed.edge_begin + layout.coords()[f]);
      const std::size_t end = index(placed.edge_begin + layout.coords()[f + 1]);
      if (is_pair) {
        answer.part_marginals[index(placed.part_begin + f)] =
            answer.marginals[index(coords[begin])] * answer.marginals[index(coords[begin + 1])];
        continue;
      }
      for (std::size_t e = begin; e < end; ++e) q_[e] = beliefs_.at(index(coords[e]), contradiction);
      zeros.resize(index(layout.parts()[layout.num_factors()]), 0.0);
      placed.group->marginals({f, f + 1}, Scores(q_).subspan(index(placed.edge_begin)), zeros,
                              Point(next_).subspan(index(placed.edge_begin)),
                              Point(answer.part_marginals).subspan(index(placed.part_begin)),
                              Point(value_).subspan(index(placed.factor_begin)), workspace_);
    }
  }
}

BpAnswer BeliefPropagation::answer(const Buffer& messages) {
  BpAnswer out;
  out.marginals.resize(index(graph_.num_coords()));
  out.part_marginals.resize(index(graph_.num_parts()));
  out.factor_marginals = Buffer(index(graph_.num_edges()));
  out.factor_log_z = Buffer(index(graph_.num_factors()));
  feasible_ = true;
  gather(messages);
  double total = variable_terms(out.marginals, out.feasible);
  for (const Run& run : all_.runs) {
    tell(run, messages);
    const graph::PlacedGroup& placed = graph_.groups()[index(run.group)];
    placed.group->marginals({run.begin, run.end}, Scores(q_).subspan(index(placed.edge_begin)),
                            parts_.subspan(index(placed.part_begin)),
                            Point(out.factor_marginals).subspan(index(placed.edge_begin)),
                            Point(out.part_marginals).subspan(index(placed.part_begin)),
                            Point(out.factor_log_z).subspan(index(placed.factor_begin)), workspace_);
    const Stretch s = edges(run);
    for (std::size_t e = s.begin; e < s.end; ++e) total -= scale(e) * product(q_[e], out.factor_marginals[e]);
    for (Index f = placed.factor_begin + run.begin; f < placed.factor_begin + run.end; ++f) {
      const double log_z = out.factor_log_z[index(f)];
      if (log_z == kForbidden) feasible_ = false;
      total += counting_.empty() ? log_z : counting_[index(f)] * log_z;
    }
  }
  idle_parts(out);
  out.feasible = out.feasible && feasible_;
  if (out.feasible) out.log_partition = total;
  return out;
}

bool BeliefPropagation::decode(const Buffer& messages, std::vector<std::int32_t>& y) {
  y.assign(index(graph_.num_variables()), -1);
  gather(messages);
  const Schedule order = sequential_schedule(graph_, active_);
  std::vector<std::int32_t> states(index(graph_.num_slots()));
  std::vector<double> nu(index(graph_.num_parts()));
  bool found = true;
  const auto decide = [&](const graph::PlacedGroup& placed, Index f) {
    const auto& layout = placed.group->layout();
    for (Index slot = layout.slots()[f]; slot < layout.slots()[f + 1]; ++slot) {
      const std::int32_t state = y[index(graph_.slot_variable()[index(placed.slot_begin + slot)])];
      if (state < 0) continue;
      const std::size_t e = index(placed.edge_begin + layout.coord_of(slot));
      const std::int32_t k = layout.num_states(slot);
      if (k == 2) q_[e] = state == 1 ? kForced : kForbidden;
      for (std::int32_t x = 0; k > 2 && x < k; ++x) {
        if (x != state) q_[e + index(x)] = kForbidden;
      }
    }
    placed.group->argmax({f, f + 1}, Scores(q_).subspan(index(placed.edge_begin)),
                         parts_.subspan(index(placed.part_begin)), std::span(states).subspan(index(placed.slot_begin)),
                         Point(nu).subspan(index(placed.part_begin)), Point(value_).subspan(index(placed.factor_begin)),
                         workspace_);
    if (value_[index(placed.factor_begin + f)] == kForbidden) {
      found = false;
      return;
    }
    for (Index slot = layout.slots()[f]; slot < layout.slots()[f + 1]; ++slot) {
      const std::size_t at = index(placed.slot_begin + slot);
      y[index(graph_.slot_variable()[at])] = states[at];
    }
  };
  for (std::size_t p = order.num_phases() / 2; p < order.num_phases(); ++p) {
    for (const Run& run : order.phase(p)) {
      for (Index f = run.begin; f < run.end; ++f) {
        tell({run.group, f, f + 1}, messages);
        decide(graph_.groups()[index(run.group)], f);
      }
    }
  }
  bool contradiction = false;
  for (Index v = 0; v < graph_.num_variables(); ++v) {
    if (y[index(v)] >= 0) continue;
    const std::size_t begin = index(graph_.coord_of(v));
    y[index(v)] = graph_.width(v) == 1 && beliefs_.at(begin, contradiction) > 0.0 ? 1 : 0;
    for (std::int32_t x = 1; x < graph_.width(v); ++x) {
      const std::size_t best = begin + index(y[index(v)]);
      if (beliefs_.at(begin + index(x), contradiction) > beliefs_.at(best, contradiction)) y[index(v)] = x;
    }
  }
  return found;
}

}  // namespace ramify::inference
