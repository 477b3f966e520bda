#include "ramify/parsing/arc_beliefs.hpp"

#include <cmath>

#include "ramify/inference/relax.hpp"

namespace ramify::parsing {

namespace {

std::vector<double> scaled(std::span<const double> scores, double scale) {
  std::vector<double> out(scores.begin(), scores.end());
  for (double& s : out) s *= scale;
  return out;
}

/// Where relaxation starts: all factors that forbid something.
std::vector<std::uint8_t> core_factors(const graph::FactorGraph& graph) {
  std::vector<std::uint8_t> active;
  for (const graph::PlacedGroup& placed : graph.groups()) {
    const bool soft = placed.group->is(factors::Trait::kSoft);
    active.insert(active.end(), static_cast<std::size_t>(placed.group->layout().num_factors()), soft ? 0 : 1);
  }
  return active;
}

}  // namespace

inference::BpOptions ArcBeliefs::bp_options(const ParseProblem& loose, const Options& options) {
  inference::BpOptions out{};
  out.product = factors::Product::kSum;
  out.order = inference::Order::kSequential;
  out.damping = 0.0;
  out.tolerance = options.tolerance;
  out.max_iterations = loose.graph->num_factors() == 1 ? 1 : options.max_iterations;
  out.record = options.backward;
  return out;
}

ArcBeliefs::ArcBeliefs(const ParseProblem& loose, const Options& options)
    : num_arcs_(loose.arc_scores.size()),
      unary_(scaled(loose.unary(), 1.0 / options.temperature)),
      parts_(scaled(loose.part_scores, 1.0 / options.temperature)),
      scale_(1.0 / options.temperature),
      active_(options.relaxation ? core_factors(*loose.graph) : std::vector<std::uint8_t>()),
      bp_(*loose.graph, unary_, parts_, {}, active_, bp_options(loose, options)),
      messages_(static_cast<std::size_t>(loose.graph->num_edges())) {
  if (options.relaxation) {
    const auto [gain, rounds] = *options.relaxation;
    progress_ = inference::relax(*loose.graph, bp_, parts_, gain, rounds, active_, messages_).inner;
  } else {
    progress_ = bp_.run(messages_, options.backward ? &tape_ : nullptr);
  }
}

std::vector<double> ArcBeliefs::arcs() {
  std::vector<double> out;
  bp_.read_beliefs(messages_, out);
  out.resize(num_arcs_);
  for (double& x : out) x = x >= 0.0 ? 1.0 / (1.0 + std::exp(-x)) : std::exp(x) / (1.0 + std::exp(x));
  return out;
}

inference::BeliefPropagation::Gradients ArcBeliefs::backward(std::span<const double> grad_arcs) {
  std::vector<double> grads(grad_arcs.begin(), grad_arcs.end());
  grads.resize(unary_.size(), 0.0);
  inference::BeliefPropagation::Gradients out = bp_.backward(tape_, messages_, progress_, grads, {}, 0.0);
  for (auto* scores : {&out.unary, &out.parts}) {
    for (double& g : *scores) g *= scale_;
  }
  return out;
}

}  // namespace ramify::parsing
