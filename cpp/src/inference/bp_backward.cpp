// Reverse mode through belief propagation (Gormley et al. 2015, section 5.2). One piece of code for every family: a
// message is log-odds of the factor's marginal less what the factor was told, so its derivative is that of the
// marginals, which is the Hessian of log Z.
#include <algorithm>
#include <cmath>

#include "ramify/inference/belief_propagation.hpp"
#include "ramify/numeric/index.hpp"

namespace ramify::inference {

using factors::kForbidden;
using factors::Point;
using factors::Scores;

namespace {

/// Beyond these log-odds the marginals' derivative has too few digits; the message itself does not depend on what its
/// receiver told the factor, so it is differentiated where the receiver is undecided.
constexpr double kSureOn = 20.0;
constexpr double kSureOff = -300.0;
constexpr double kNegligible = 1e-14;

double log_sum_exp(Scores x) {
  const double high = *std::ranges::max_element(x);
  if (high == kForbidden) return high;
  double total = 0.0;
  for (const double v : x) total += std::exp(v - high);
  return high + std::log(total);
}

}  // namespace

/// Messages change the beliefs of all neighbours at once: instead of visiting these, each coordinate sums up what
/// arrived (`belief`) and every edge remembers how much of it it has seen (`seen`).
struct BeliefPropagation::Adjoint {
  std::vector<double> belief, edge, seen;
  std::vector<double> unary, parts;
  std::vector<double> now, grad_mu, grad_q, nu, grad_nu, grad_parts;
  std::vector<std::pair<Index, Index>> saturated;  // factor and slot, within the group

  explicit Adjoint(const FactorGraph& graph) {
    const std::size_t num_edges = at(graph.num_edges());
    for (auto* array : {&belief, &unary}) array->assign(at(graph.num_coords()), 0.0);
    for (auto* array : {&edge, &seen, &now, &grad_mu, &grad_q}) array->assign(num_edges, 0.0);
    for (auto* array : {&parts, &nu, &grad_nu, &grad_parts}) array->assign(at(graph.num_parts()), 0.0);
  }
};

std::size_t BeliefPropagation::num_inputs(std::span<const Run> runs) const {
  std::size_t total = 0;
  for (const Run& run : runs) total += edges(run).end - edges(run).begin;
  return total;
}

void BeliefPropagation::back_answer(Adjoint& adjoint, const Buffer& messages, Scores grad_marginals,
                                    Scores grad_part_marginals, double grad_log_partition) {
  const bool variables_only = grad_log_partition == 0.0 && grad_part_marginals.empty();
  BpAnswer out;
  if (variables_only) {
    out.marginals.resize(at(graph_.num_coords()));
    gather(messages);
    variable_terms(out.marginals, out.feasible);
  } else {
    out = answer(messages);  // leaves q_ and the beliefs as the answer saw them
  }
  if (!out.feasible) return;
  const auto coords = graph_.edge_coord();
  std::vector<double> lent(at(graph_.num_coords()), 0.0);
  for (const Run& run : all_.runs) {
    for (std::size_t e = edges(run).begin; e < edges(run).end; ++e) lent[at(coords[e])] += scale(e);
  }
  bool contradiction = false;
  for (Index v = 0; v < graph_.num_variables(); ++v) {
    const std::size_t begin = at(graph_.coord_of(v));
    const std::size_t end = begin + at(graph_.width(v));
    double mean = 0.0;
    for (std::size_t c = begin; c < end; ++c) {  // gradient with respect to the marginals, then to the belief
      const double mass = out.marginals[c];
      const double belief = beliefs_.at(c, contradiction);
      double slope = grad_marginals[c];
      if (std::isfinite(belief)) {
        const double score = std::isfinite(unary_[c]) ? unary_[c] : 0.0;
        slope += grad_log_partition * (score - (1.0 - lent[begin]) * belief);
      }
      if (std::isfinite(unary_[c])) adjoint.unary[c] += grad_log_partition * mass;
      adjoint.belief[c] = mass > 0.0 && std::isfinite(belief) ? mass * slope : 0.0;
      mean += adjoint.belief[c];
    }
    for (std::size_t c = begin; c < end; ++c) {
      const double mass = out.marginals[c];
      if (std::isfinite(beliefs_.at(c, contradiction))) adjoint.belief[c] -= mass * mean;
    }
  }
  if (variables_only) return;  // nothing comes in through the factors' own beliefs
  for (const Run& run : all_.runs) {
    const graph::PlacedGroup& placed = graph_.groups()[at(run.group)];
    const auto& part_offsets = placed.group->layout().parts();
    const Stretch s = edges(run);
    for (std::size_t e = s.begin; e < s.end; ++e) {
      adjoint.grad_mu[e] = std::isfinite(q_[e]) ? -scale(e) * q_[e] * grad_log_partition : 0.0;
    }
    placed.group->marginals_vjp(
        {run.begin, run.end}, Scores(q_).subspan(at(placed.edge_begin)), parts_.subspan(at(placed.part_begin)),
        Scores(adjoint.grad_mu).subspan(at(placed.edge_begin)), grad_part_marginals.subspan(at(placed.part_begin)),
        Point(adjoint.grad_q).subspan(at(placed.edge_begin)), Point(adjoint.grad_parts).subspan(at(placed.part_begin)),
        workspace_);
    for (std::size_t e = s.begin; e < s.end; ++e) {
      const double grad = std::isfinite(q_[e]) ? adjoint.grad_q[e] : 0.0;
      adjoint.edge[e] -= grad;
      adjoint.belief[at(coords[e])] += grad;
    }
    for (Index f = run.begin; f < run.end; ++f) {
      const double k = counting_.empty() ? 1.0 : counting_[at(placed.factor_begin + f)];
      for (Index r = placed.part_begin + part_offsets[f]; r < placed.part_begin + part_offsets[f + 1]; ++r) {
        adjoint.parts[at(r)] += adjoint.grad_parts[at(r)] / k + grad_log_partition * out.part_marginals[at(r)];
      }
    }
  }
}

/// Fills grad_q with what the run's messages say about q_, and adds to the gradient of the parts.
void BeliefPropagation::back_run(Adjoint& adjoint, const Run& run) {
  const graph::PlacedGroup& placed = graph_.groups()[at(run.group)];
  const auto& layout = placed.group->layout();
  const Stretch s = edges(run);
  double largest = 0.0;
  for (std::size_t e = s.begin; e < s.end; ++e) {
    const bool constant = !std::isfinite(q_[e]) || !std::isfinite(next_[e]);
    adjoint.now[e] = constant ? 0.0 : (1.0 - options_.damping) * adjoint.now[e];
    largest = std::max(largest, std::abs(adjoint.now[e]));
  }
  std::vector<double> log_mass;
  adjoint.saturated.clear();
  Index factor = run.begin;
  for (Index slot = layout.slots()[run.begin]; slot < layout.slots()[run.end]; ++slot) {
    while (slot >= layout.slots()[factor + 1]) ++factor;
    const std::size_t begin = at(placed.edge_begin + layout.coord_of(slot));
    const std::size_t width = layout.num_states(slot) == 2 ? 1 : at(layout.num_states(slot));
    log_mass.assign(width, 0.0);
    for (std::size_t x = 0; x < width; ++x) {
      const double sum = q_[begin + x] + next_[begin + x];
      log_mass[x] = std::isfinite(sum) ? sum : kForbidden;
    }
    const double odds = log_mass[0];
    const double log_z = width == 1 ? 0.0 : log_sum_exp(log_mass);
    bool extreme = false;
    bool matters = false;
    for (std::size_t x = 0; x < width; ++x) {
      const bool used = std::abs(adjoint.now[begin + x]) > kNegligible * largest;
      matters = matters || used;
      const double log_odds = width == 1 ? odds : log_mass[x] - log_z;
      extreme = extreme || (used && (log_odds < kSureOff || (width == 1 && log_odds > kSureOn)));
    }
    if (extreme && matters) adjoint.saturated.emplace_back(factor, slot);
    for (std::size_t x = 0; x < width; ++x) {
      const double grad = extreme || !matters ? 0.0 : adjoint.now[begin + x];
      const double inverse =
          width == 1 ? 2.0 + std::exp(odds) + std::exp(-odds) : std::exp(log_z - log_mass[x]);  // of dmu / dlog-odds
      adjoint.grad_mu[begin + x] = grad == 0.0 ? 0.0 : grad * inverse;
      adjoint.grad_q[begin + x] = -grad;
    }
  }
  std::vector<double> own(adjoint.grad_q.begin() + static_cast<std::ptrdiff_t>(s.begin),
                          adjoint.grad_q.begin() + static_cast<std::ptrdiff_t>(s.end));
  placed.group->marginals_vjp(
      {run.begin, run.end}, Scores(q_).subspan(at(placed.edge_begin)), parts_.subspan(at(placed.part_begin)),
      Scores(adjoint.grad_mu).subspan(at(placed.edge_begin)), Scores(adjoint.grad_nu).subspan(at(placed.part_begin)),
      Point(adjoint.grad_q).subspan(at(placed.edge_begin)), Point(adjoint.grad_parts).subspan(at(placed.part_begin)),
      workspace_);
  for (std::size_t e = s.begin; e < s.end; ++e) {
    adjoint.grad_q[e] = std::isfinite(q_[e]) ? adjoint.grad_q[e] + own[e - s.begin] : 0.0;
  }
  const auto& part_offsets = layout.parts();
  for (Index f = run.begin; f < run.end; ++f) {
    const double k = counting_.empty() ? 1.0 : counting_[at(placed.factor_begin + f)];
    for (Index r = placed.part_begin + part_offsets[f]; r < placed.part_begin + part_offsets[f + 1]; ++r) {
      adjoint.parts[at(r)] += adjoint.grad_parts[at(r)] / k;
    }
  }
  if (!adjoint.saturated.empty()) back_saturated(adjoint, run);
}

void BeliefPropagation::back_saturated(Adjoint& adjoint, const Run& run) {
  const graph::PlacedGroup& placed = graph_.groups()[at(run.group)];
  const auto& layout = placed.group->layout();
  std::vector<double> kept, collected;
  for (const auto& [factor, slot] : adjoint.saturated) {
    const Stretch s = edges({run.group, factor, factor + 1});
    const std::size_t begin = at(placed.edge_begin + layout.coord_of(slot));
    const std::size_t width = layout.num_states(slot) == 2 ? 1 : at(layout.num_states(slot));
    kept.assign(q_.data() + begin, q_.data() + begin + width);
    collected.assign(adjoint.grad_q.begin() + static_cast<std::ptrdiff_t>(s.begin),
                     adjoint.grad_q.begin() + static_cast<std::ptrdiff_t>(s.end));
    std::fill(adjoint.grad_mu.begin() + static_cast<std::ptrdiff_t>(s.begin),
              adjoint.grad_mu.begin() + static_cast<std::ptrdiff_t>(s.end), 0.0);
    double states = 0.0;
    for (std::size_t x = begin; x < begin + width; ++x) states += std::isfinite(q_[x]) && std::isfinite(next_[x]);
    for (std::size_t x = begin; x < begin + width; ++x) {
      if (!std::isfinite(q_[x]) || !std::isfinite(next_[x])) continue;
      q_[x] = -next_[x];
      adjoint.grad_mu[x] = adjoint.now[x] * (width == 1 ? 4.0 : states);
    }
    placed.group->marginals_vjp(
        {factor, factor + 1}, Scores(q_).subspan(at(placed.edge_begin)), parts_.subspan(at(placed.part_begin)),
        Scores(adjoint.grad_mu).subspan(at(placed.edge_begin)), Scores(adjoint.grad_nu).subspan(at(placed.part_begin)),
        Point(adjoint.grad_q).subspan(at(placed.edge_begin)), Point(adjoint.grad_parts).subspan(at(placed.part_begin)),
        workspace_);
    std::ranges::copy(kept, q_.data() + begin);
    for (std::size_t e = s.begin; e < s.end; ++e) {
      const bool other = (e < begin || e >= begin + width) && std::isfinite(q_[e]);
      adjoint.grad_q[e] = collected[e - s.begin] + (other ? adjoint.grad_q[e] : 0.0);
    }
    const double k = counting_.empty() ? 1.0 : counting_[at(placed.factor_begin + factor)];
    for (Index r = layout.parts()[factor]; r < layout.parts()[factor + 1]; ++r) {
      adjoint.parts[at(placed.part_begin + r)] += adjoint.grad_parts[at(placed.part_begin + r)] / k;
    }
  }
}

void BeliefPropagation::back_phase(Adjoint& adjoint, std::span<const Run> runs, const double* inputs) {
  const auto coords = graph_.edge_coord();
  std::vector<double> arrived;  // back_run scales `now`; damping needs it as it was
  for (const Run& run : runs) {
    const Stretch s = edges(run);
    for (std::size_t e = s.begin; e < s.end; ++e) {
      q_[e] = *inputs++;
      adjoint.now[e] = adjoint.edge[e] + scale(e) * (adjoint.belief[at(coords[e])] - adjoint.seen[e]);
      arrived.push_back(adjoint.now[e]);
    }
    ask(run, options_.product);
    back_run(adjoint, run);
  }
  std::size_t next = 0;
  for (const Run& run : runs) {
    for (std::size_t e = edges(run).begin; e < edges(run).end; ++e) {
      adjoint.edge[e] = options_.damping * arrived[next++] - adjoint.grad_q[e];
      adjoint.seen[e] = adjoint.belief[at(coords[e])];
    }
  }
  for (const Run& run : runs) {
    for (std::size_t e = edges(run).begin; e < edges(run).end; ++e) {
      adjoint.belief[at(coords[e])] += adjoint.grad_q[e];
    }
  }
}

BeliefPropagation::Gradients BeliefPropagation::backward(const BpTape& tape, const Buffer& messages,
                                                         const BpProgress& progress, Scores grad_marginals,
                                                         Scores grad_part_marginals, double grad_log_partition) {
  Adjoint adjoint(graph_);
  back_answer(adjoint, messages, grad_marginals, grad_part_marginals, grad_log_partition);
  const Schedule& schedule = options_.order == Order::kSequential ? schedule_ : all_;
  const auto back_iteration = [&](Index iteration, const double* end) {
    if (options_.order == Order::kResidual) {
      for (std::size_t n = tape.order_begin[at(iteration) + 1]; n-- > tape.order_begin[at(iteration)];) {
        const Run run = run_of(tape.order[n]);
        end -= num_inputs({&run, 1});
        back_phase(adjoint, {&run, 1}, end);
      }
      return end;
    }
    for (std::size_t p = schedule.num_phases(); p-- > 0;) {
      end -= num_inputs(schedule.phase(p));
      back_phase(adjoint, schedule.phase(p), end);
    }
    return end;
  };
  if (tape.checkpoints.empty()) {
    const double* end = tape.inputs.data() + tape.inputs.size();
    for (Index t = progress.iterations; t-- > 0;) end = back_iteration(t, end);
  } else {
    options_.record = true;
    for (Index c = static_cast<Index>(tape.checkpoints.size()); c-- > 0;) {
      const Index first = c * options_.checkpoint;
      const Index last = std::min(first + options_.checkpoint, progress.iterations);
      BpTape segment;
      Buffer state = tape.checkpoints[at(c)];
      for (Index t = first; t < last; ++t) replay(tape, t, state, &segment);
      const double* end = segment.inputs.data() + segment.inputs.size();
      for (Index t = last; t-- > first;) end = back_iteration(t, end);
    }
  }
  for (std::size_t c = 0; c < adjoint.unary.size(); ++c) {
    adjoint.unary[c] = std::isfinite(unary_[c]) ? adjoint.unary[c] + adjoint.belief[c] : 0.0;
  }
  for (std::size_t r = 0; r < adjoint.parts.size(); ++r) {
    if (parts_[r] == kForbidden) adjoint.parts[r] = 0.0;
  }
  return {std::move(adjoint.unary), std::move(adjoint.parts)};
}

}  // namespace ramify::inference
