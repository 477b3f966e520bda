#include "ramify/inference/relax.hpp"
#include "ramify/numeric/index.hpp"

#include <algorithm>
#include <cmath>

namespace ramify::inference {

using factors::kForbidden;
using factors::kForced;
using factors::Point;
using factors::Scores;

namespace {

double sigmoid(double x) { return x >= 0.0 ? 1.0 / (1.0 + std::exp(-x)) : std::exp(x) / (1.0 + std::exp(x)); }

/// Proposition 1.
double gain(double mu, double theta) {
  if (mu <= 0.0 || theta == 0.0) return 0.0;
  if (theta == kForbidden) return kForced;
  const double rest = std::log1p(-mu);
  const double with = std::log(mu) + theta;
  const double high = std::max(rest, with);
  return std::max(0.0, high + std::log(std::exp(rest - high) + std::exp(with - high)) - mu * theta);
}

/// Whether the gain can exceed epsilon at all, by two cheap bounds: theta^2 / 8 (Hoeffding), and mu (e^theta - 1 -
/// theta), which is at most 0.7183 mu theta^2 for theta <= 1.
bool may_exceed(double mu, double theta, double epsilon) {
  const double square = theta * theta;
  return square * 0.125 > epsilon && (theta > 1.0 || mu * square * 0.7183 > epsilon);
}

/// Thousands of pairs: one pass over three arrays, most of them dismissed after two multiplications.
void separate_pairs(const FactorGraph& graph, const graph::PlacedGroup& placed, Scores mu, Scores parts, double epsilon,
                    std::vector<std::uint8_t>& active, Separation& out) {
  const Index n = placed.group->layout().num_factors();
  const std::int32_t* coord = graph.edge_coord().data() + placed.edge_begin;
  const double* theta = parts.data() + placed.part_begin;
  std::uint8_t* on = active.data() + placed.factor_begin;
  double bound = 0.0;
  for (Index f = 0; f < n; ++f) {
    if (on[f] != 0) continue;
    const double both = mu[at(coord[2 * f])] * mu[at(coord[2 * f + 1])];
    if (may_exceed(both, theta[f], epsilon) && gain(both, theta[f]) > epsilon) {
      on[f] = 1;
      ++out.added;
    } else {
      bound += theta[f] > 0.0 ? theta[f] * (1.0 - both) : both > 0.0 ? -theta[f] * both : 0.0;
    }
  }
  out.bound += bound;
}

/// Any other family, factor by factor: log Z with the parts' scores, less that without, less what they score on
/// average.
class General {
 public:
  General(const FactorGraph& graph, Scores beliefs, Scores parts) : graph_(graph), beliefs_(beliefs), parts_(parts) {}

  void separate(const graph::PlacedGroup& placed, double epsilon, std::vector<std::uint8_t>& active, Separation& out) {
    const auto& layout = placed.group->layout();
    const Index n = layout.num_factors();
    q_.resize(at(layout.coords()[n]));
    mu_.resize(q_.size());
    nu_.resize(at(layout.parts()[n]));
    zeros_.assign(nu_.size(), 0.0);
    value_.resize(at(n));
    y_.resize(at(layout.slots()[n]));
    for (std::size_t e = 0; e < q_.size(); ++e) {
      q_[e] = beliefs_[at(graph_.edge_coord()[at(placed.edge_begin) + e])];
    }
    for (Index f = 0; f < n; ++f) {
      std::uint8_t& on = active[at(placed.factor_begin + f)];
      if (on != 0) continue;
      const double mean = evaluate(placed, f);
      if (with_ - without_ - mean > epsilon) {
        on = 1;
        ++out.added;
      } else {
        out.bound += best_ - mean;
      }
    }
  }

 private:
  double evaluate(const graph::PlacedGroup& placed, Index f) {
    const factors::FactorGroup& group = *placed.group;
    const Scores own = parts_.subspan(at(placed.part_begin));
    group.marginals({f, f + 1}, q_, own, mu_, nu_, value_, ws_);
    with_ = value_[at(f)];
    group.marginals({f, f + 1}, q_, zeros_, mu_, nu_, value_, ws_);
    without_ = value_[at(f)];
    double mean = 0.0;
    for (Index r = group.layout().parts()[f]; r < group.layout().parts()[f + 1]; ++r) {
      if (nu_[at(r)] > 0.0) mean += nu_[at(r)] * own[at(r)];
    }
    std::fill(mu_.begin(), mu_.end(), 0.0);
    group.argmax({f, f + 1}, mu_, own, y_, nu_, value_, ws_);
    best_ = value_[at(f)];
    return mean;
  }

  const FactorGraph& graph_;
  Scores beliefs_;
  Scores parts_;
  double with_ = 0.0, without_ = 0.0, best_ = 0.0;
  std::vector<double> q_, mu_, nu_, zeros_, value_;
  std::vector<std::int32_t> y_;
  factors::Workspace ws_;
};

}  // namespace

Separation separate(const FactorGraph& graph, Scores beliefs, Scores parts, double epsilon,
                    std::vector<std::uint8_t>& active) {
  Separation out;
  std::vector<double> mu(beliefs.size());
  std::ranges::transform(beliefs, mu.begin(), sigmoid);  // pairs have binary variables only
  General general(graph, beliefs, parts);
  for (const graph::PlacedGroup& placed : graph.groups()) {
    const Index n = placed.group->layout().num_factors();
    const auto own = std::span(active).subspan(at(placed.factor_begin), at(n));
    if (std::ranges::find(own, std::uint8_t{0}) == own.end()) continue;
    if (placed.group->family() == "Pair") {
      separate_pairs(graph, placed, mu, parts, epsilon, active, out);
    } else {
      general.separate(placed, epsilon, active, out);
    }
  }
  return out;
}

RelaxProgress relax(const FactorGraph& graph, BeliefPropagation& engine, Scores parts, double epsilon, Index max_rounds,
                    std::vector<std::uint8_t>& active, Buffer& messages) {
  RelaxProgress progress;
  std::vector<double> beliefs;
  Index iterations = 0;
  for (;;) {
    engine.set_active(active);
    progress.inner = engine.run(messages, nullptr);
    iterations += progress.inner.iterations;
    progress.inner.iterations = iterations;
    if (!progress.inner.feasible || progress.inner.diverged) return progress;
    engine.read_beliefs(messages, beliefs);
    // After the last round nothing is added any more: an infinite threshold only sums up the bound.
    const bool last = progress.rounds == max_rounds;
    const Separation found = separate(graph, beliefs, parts, last ? kForced : epsilon, active);
    progress.bound = found.bound;
    progress.complete = !last && found.added == 0;
    if (found.added == 0) return progress;
    ++progress.rounds;
  }
}

}  // namespace ramify::inference
