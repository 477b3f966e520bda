#include <algorithm>
#include <cmath>

#include "ramify/inference/belief_propagation.hpp"
#include "ramify/numeric/index.hpp"

namespace ramify::inference {

using factors::kForbidden;
using factors::Point;
using factors::Scores;

namespace {

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
  std::vector<double> lent(at(graph_.num_coords()), 0.0);
  const auto coords = graph_.edge_coord();
  for (const Run& run : all_.runs) {
    const Stretch s = edges(run);
    for (std::size_t e = s.begin; e < s.end; ++e) lent[at(coords[e])] += scale(e);
  }
  double total = 0.0;
  bool contradiction = false;
  for (Index v = 0; v < graph_.num_variables(); ++v) {
    const std::size_t begin = at(graph_.coord_of(v));
    const std::size_t width = at(graph_.width(v));
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
      if (active_[at(placed.factor_begin + f)] != 0) continue;
      const std::size_t begin = at(placed.edge_begin + layout.coords()[f]);
      const std::size_t end = at(placed.edge_begin + layout.coords()[f + 1]);
      if (is_pair) {
        answer.part_marginals[at(placed.part_begin + f)] =
            answer.marginals[at(coords[begin])] * answer.marginals[at(coords[begin + 1])];
        continue;
      }
      for (std::size_t e = begin; e < end; ++e) q_[e] = beliefs_.at(at(coords[e]), contradiction);
      zeros.resize(at(layout.parts()[layout.num_factors()]), 0.0);
      placed.group->marginals({f, f + 1}, Scores(q_).subspan(at(placed.edge_begin)), zeros,
                              Point(next_).subspan(at(placed.edge_begin)),
                              Point(answer.part_marginals).subspan(at(placed.part_begin)),
                              Point(value_).subspan(at(placed.factor_begin)), workspace_);
    }
  }
}

BpAnswer BeliefPropagation::answer(const Buffer& messages) {
  BpAnswer out;
  out.marginals.resize(at(graph_.num_coords()));
  out.part_marginals.resize(at(graph_.num_parts()));
  out.factor_marginals = Buffer(at(graph_.num_edges()));
  out.factor_log_z = Buffer(at(graph_.num_factors()));
  feasible_ = true;
  gather(messages);
  double total = variable_terms(out.marginals, out.feasible);
  for (const Run& run : all_.runs) {
    tell(run, messages);
    const graph::PlacedGroup& placed = graph_.groups()[at(run.group)];
    placed.group->marginals({run.begin, run.end}, Scores(q_).subspan(at(placed.edge_begin)),
                            parts_.subspan(at(placed.part_begin)),
                            Point(out.factor_marginals).subspan(at(placed.edge_begin)),
                            Point(out.part_marginals).subspan(at(placed.part_begin)),
                            Point(out.factor_log_z).subspan(at(placed.factor_begin)), workspace_);
    const Stretch s = edges(run);
    for (std::size_t e = s.begin; e < s.end; ++e) total -= scale(e) * product(q_[e], out.factor_marginals[e]);
    for (Index f = placed.factor_begin + run.begin; f < placed.factor_begin + run.end; ++f) {
      const double log_z = out.factor_log_z[at(f)];
      if (log_z == kForbidden) feasible_ = false;
      total += counting_.empty() ? log_z : counting_[at(f)] * log_z;
    }
  }
  idle_parts(out);
  out.feasible = out.feasible && feasible_;
  if (out.feasible) out.log_partition = total;
  return out;
}

bool BeliefPropagation::decode(const Buffer& messages, std::vector<std::int32_t>& y) {
  y.assign(at(graph_.num_variables()), -1);
  gather(messages);
  const Schedule order = sequential_schedule(graph_, active_);
  std::vector<std::int32_t> states(at(graph_.num_slots()));
  std::vector<double> nu(at(graph_.num_parts()));
  bool found = true;
  const auto decide = [&](const graph::PlacedGroup& placed, Index f) {
    const auto& layout = placed.group->layout();
    for (Index slot = layout.slots()[f]; slot < layout.slots()[f + 1]; ++slot) {
      const std::int32_t state = y[at(graph_.slot_variable()[at(placed.slot_begin + slot)])];
      if (state < 0) continue;
      const std::size_t e = at(placed.edge_begin + layout.coord_of(slot));
      const std::int32_t k = layout.num_states(slot);
      if (k == 2) q_[e] = state == 1 ? factors::kForced : kForbidden;
      for (std::int32_t x = 0; k > 2 && x < k; ++x) {
        if (x != state) q_[e + at(x)] = kForbidden;
      }
    }
    placed.group->argmax({f, f + 1}, Scores(q_).subspan(at(placed.edge_begin)), parts_.subspan(at(placed.part_begin)),
                         std::span(states).subspan(at(placed.slot_begin)), Point(nu).subspan(at(placed.part_begin)),
                         Point(value_).subspan(at(placed.factor_begin)), workspace_);
    if (value_[at(placed.factor_begin + f)] == kForbidden) {
      found = false;
      return;
    }
    for (Index slot = layout.slots()[f]; slot < layout.slots()[f + 1]; ++slot) {
      const std::size_t s = at(placed.slot_begin + slot);
      y[at(graph_.slot_variable()[s])] = states[s];
    }
  };
  for (std::size_t p = order.num_phases() / 2; p < order.num_phases(); ++p) {
    for (const Run& run : order.phase(p)) {
      for (Index f = run.begin; f < run.end; ++f) {
        tell({run.group, f, f + 1}, messages);
        decide(graph_.groups()[at(run.group)], f);
      }
    }
  }
  bool contradiction = false;
  for (Index v = 0; v < graph_.num_variables(); ++v) {
    if (y[at(v)] >= 0) continue;
    const std::size_t begin = at(graph_.coord_of(v));
    y[at(v)] = graph_.width(v) == 1 && beliefs_.at(begin, contradiction) > 0.0 ? 1 : 0;
    for (std::int32_t x = 1; x < graph_.width(v); ++x) {
      const std::size_t best = begin + at(y[at(v)]);
      if (beliefs_.at(begin + at(x), contradiction) > beliefs_.at(best, contradiction)) y[at(v)] = x;
    }
  }
  return found;
}

}  // namespace ramify::inference
