#include "ramify/parsing/belief_losses.hpp"

#include <algorithm>
#include <cmath>

#include "ramify/factors/tree.hpp"
#include "ramify/numeric/index.hpp"

namespace ramify::parsing {

namespace {

bool is_gold(const LabelledBeliefs& beliefs, const Cost& gold, std::size_t a) {
  return gold.heads[at(beliefs.candidates.modifiers[a])] == beliefs.candidates.heads[a];
}

BeliefLoss zero_loss(const LabelledBeliefs& beliefs) {
  BeliefLoss out;
  out.grad_arcs.assign(beliefs.arcs.size(), 0.0);
  out.grad_labels.assign(beliefs.scores.label_marginals.size(), 0.0);
  return out;
}

/// Softmax of the beliefs of one arc's labels over T.
std::vector<double> annealed(std::span<const double> beliefs, double temperature) {
  std::vector<double> out(beliefs.begin(), beliefs.end());
  const double best = std::ranges::max(out);
  double total = 0.0;
  for (double& x : out) total += x = std::exp((x - best) / temperature);
  for (double& x : out) x /= total;
  return out;
}

}  // namespace

BeliefLoss l2_loss(const LabelledBeliefs& beliefs, const Cost& gold) {
  BeliefLoss out = zero_loss(beliefs);
  const ArcScores& scores = beliefs.scores;
  for (std::size_t a = 0; a < beliefs.arcs.size(); ++a) {
    const bool right = is_gold(beliefs, gold, a);
    const double gap = beliefs.arcs[a] - (right ? 1.0 : 0.0);  // of "on"; "off" has its negative
    out.value += 2.0 * gold.head * gap * gap;
    out.grad_arcs[a] = 4.0 * gold.head * gap;
    if (!right) continue;
    const std::int32_t label = gold.labels[at(beliefs.candidates.modifiers[a])];
    const auto [begin, end] = std::pair(at(scores.label_begin[a]), at(scores.label_begin[a + 1]));
    if (end - begin == 1) continue;  // nothing to choose
    for (std::size_t l = begin; l < end; ++l) {
      const double label_gap = scores.label_marginals[l] - (scores.label_ids[l] == label ? 1.0 : 0.0);
      out.value += 2.0 * gold.label * label_gap * label_gap;
      out.grad_labels[l] = 4.0 * gold.label * label_gap;
    }
  }
  return out;
}

BeliefLoss risk_loss(const LabelledBeliefs& beliefs, const Cost& gold, double temperature, TreeKind tree,
                     bool single_root, factors::Workspace& workspace) {
  BeliefLoss out = zero_loss(beliefs);
  const Candidates& candidates = beliefs.candidates;
  const ArcScores& scores = beliefs.scores;
  const std::size_t num_arcs = beliefs.arcs.size();
  factors::ArcSets arcs{1,
                        factors::Offsets(static_cast<factors::Index>(num_arcs)),
                        candidates.heads,
                        candidates.modifiers,
                        {candidates.num_words},
                        single_root};
  const auto trees = tree == TreeKind::kProjective ? factors::make_projective_tree(std::move(arcs))
                                                   : factors::make_tree(std::move(arcs));
  std::vector<double> annealed_beliefs(beliefs.arcs.begin(), beliefs.arcs.end());
  for (double& x : annealed_beliefs) x /= temperature;
  std::vector<double> chosen(num_arcs);
  std::vector<double> slope(num_arcs, 0.0);
  double log_z = 0.0;
  trees->marginals(trees->all(), annealed_beliefs, {}, chosen, {}, {&log_z, 1}, workspace);
  for (std::size_t a = 0; a < num_arcs; ++a) {
    if (!is_gold(beliefs, gold, a)) continue;
    const std::int32_t label = gold.labels[at(candidates.modifiers[a])];
    const auto [begin, end] = std::pair(at(scores.label_begin[a]), at(scores.label_begin[a + 1]));
    const std::span<const double> given = std::span(scores.label_marginals).subspan(begin, end - begin);
    const std::vector<double> labels = annealed(given, temperature);
    const auto found = std::ranges::find(std::span(scores.label_ids).subspan(begin, end - begin), label);
    const auto right = static_cast<std::size_t>(found - std::span(scores.label_ids).subspan(begin).begin());
    const double wrong_label = right < labels.size() ? 1.0 - labels[right] : 1.0;
    out.value += gold.head * (1.0 - chosen[a]) + gold.label * chosen[a] * wrong_label;
    slope[a] = gold.label * wrong_label - gold.head;
    for (std::size_t l = 0; l < labels.size() && right < labels.size(); ++l) {
      const double change = labels[right] * ((l == right ? 1.0 : 0.0) - labels[l]) / temperature;
      out.grad_labels[begin + l] = -gold.label * chosen[a] * change;
    }
  }
  trees->marginals_vjp(trees->all(), annealed_beliefs, {}, slope, {}, out.grad_arcs, {}, workspace);
  for (double& g : out.grad_arcs) g /= temperature;
  return out;
}

}  // namespace ramify::parsing
