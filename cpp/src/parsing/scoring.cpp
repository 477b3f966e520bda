#include "ramify/parsing/scoring.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ramify/numeric/index.hpp"

namespace ramify::parsing {

std::vector<Side> sides_of(const Candidates& candidates) {
  const std::int32_t n = candidates.num_words;
  std::vector<Side> sides;
  for (std::int32_t h = 0; h <= n; ++h) {
    if (h > 0) sides.push_back({h, false, {}});
    sides.push_back({h, true, {}});
  }
  const auto side = [](std::int32_t h, bool right) { return at(h == 0 ? 0 : 2 * h - 1 + (right ? 1 : 0)); };
  for (std::int32_t a = 0; a < candidates.size(); ++a) {
    const std::int32_t h = candidates.heads[at(a)];
    const bool right = h < candidates.modifiers[at(a)];
    sides[side(h, right)].arcs.push_back(a);
  }
  for (Side& s : sides) {
    if (!s.right) std::ranges::reverse(s.arcs);
  }
  return sides;
}

void Scorer::start(const Tokens& tokens, const NetworkScores* network) {
  tokens_ = &tokens;
  network_ = network;
  sentence_.emplace(features_, tokens);
  if (network_ != nullptr) {
    all_labels_.resize(label_keys_.size());
    std::iota(all_labels_.begin(), all_labels_.end(), 0);
    return;
  }
  for (const PartKind kind : choice_.all()) sentence_->prepare(kind);
}

double Scorer::sum_labels(std::span<const std::int32_t> labels, double temperature, ArcScores& out) const {
  const double best = std::ranges::max(label_scores_);
  double total = 0.0;
  for (const double s : label_scores_) total += std::exp((s - best) / temperature);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    out.label_ids.push_back(labels[i]);
    out.label_marginals.push_back(std::exp((label_scores_[i] - best) / temperature) / total);
  }
  out.label_begin.push_back(static_cast<std::int32_t>(out.label_ids.size()));
  return best + temperature * std::log(total);
}

/// Labels that an arc may have: those that the user allows, or else those seen between such tags. A network, which
/// has seen more than tags, chooses from all.
std::span<const std::int32_t> Scorer::possible_labels(std::int32_t head, std::int32_t modifier,
                                                      LabelChoice allowed) const {
  if (!allowed.empty() && !allowed[at(modifier)].empty()) return allowed[at(modifier)];
  if (network_ != nullptr) return all_labels_;
  return pairs_.labels(tokens_->tags[at(head)], tokens_->tags[at(modifier)]);
}

/// Score of the arc alone; those of its labels go to label_scores_.
double Scorer::score_arc(std::int32_t h, std::int32_t m, std::span<const std::int32_t> labels) {
  label_scores_.resize(labels.size());
  if (network_ != nullptr) {
    const float* row = network_labels_.data() + next_labels_;
    for (std::size_t l = 0; l < labels.size(); ++l) label_scores_[l] = static_cast<double>(row[at(labels[l])]);
    next_labels_ += label_keys_.size();
    return network_->arc(h, m);
  }
  sentence_->keys(PartKind::kArc, {h, m, 0, 0}, keys_);
  const double arc = weights_.sum(keys_);
  sentence_->keys(PartKind::kLabel, {h, m, 0, 0}, keys_);
  chosen_keys_.clear();
  for (const std::int32_t label : labels) chosen_keys_.push_back(label_keys_[at(label)]);
  weights_.label_sums(keys_, chosen_keys_, label_scores_);
  return arc;
}

ArcScores Scorer::score_arcs(const Candidates& candidates, LabelChoice allowed, const Cost* cost, double temperature) {
  ArcScores out;
  if (temperature > 0.0) out.label_begin.push_back(0);
  out.scores.resize(at(candidates.size()));
  out.labels.resize(at(candidates.size()));
  if (network_ != nullptr) {
    network_labels_ = network_->labels(candidates.heads, candidates.modifiers);
    next_labels_ = 0;
  }
  for (std::int32_t a = 0; a < candidates.size(); ++a) {
    const std::int32_t h = candidates.heads[at(a)];
    const std::int32_t m = candidates.modifiers[at(a)];
    const std::span<const std::int32_t> labels = possible_labels(h, m, allowed);
    const double arc = score_arc(h, m, labels);
    double best = -std::numeric_limits<double>::infinity();
    const bool gold_head = cost != nullptr && cost->heads[at(m)] == h;
    for (std::size_t l = 0; l < labels.size(); ++l) {
      const std::int32_t label = labels[l];
      double& s = label_scores_[l];
      if (gold_head && cost->labels[at(m)] != label) s += cost->label;
      if (s > best) best = s, out.labels[at(a)] = label;
    }
    if (temperature > 0.0) best = sum_labels(labels, temperature, out);
    out.scores[at(a)] = arc + best + (cost != nullptr && !gold_head ? cost->head : 0.0);
  }
  return out;
}

double Scorer::score(PartKind kind, const Roles& roles) {
  if (network_ != nullptr) return network_->score(kind, roles);
  sentence_->keys(kind, roles, keys_);
  return weights_.sum(keys_);
}

void Scorer::ask(PartKind kind, const Roles& roles) {
  if (network_ != nullptr) return answers_.push_back(network_->score(kind, roles));
  sentence_->keys(kind, roles, keys_);
  asked_.insert(asked_.end(), keys_.begin(), keys_.end());
  asked_ends_.push_back(static_cast<std::uint32_t>(asked_.size()));
}

std::span<const double> Scorer::answers() {
  if (network_ != nullptr) {
    given_.swap(answers_);
    answers_.clear();
    return given_;
  }
  answers_.resize(asked_ends_.size());
  weights_.sums(asked_, asked_ends_, answers_);
  asked_.clear();
  asked_ends_.clear();
  return answers_;
}

double Scorer::score(const Part& part) {
  if (network_ != nullptr) return network_->score(part.kind, part.roles);
  keys(part, keys_);
  return weights_.sum(keys_);
}

double Scorer::score_label(const Part& part) {
  if (network_ != nullptr) return network_->label(part);
  sentence_->keys(PartKind::kLabel, part.roles, keys_);
  double total = 0.0;
  weights_.label_sums(keys_, label_keys_.subspan(at(part.label), 1), {&total, 1});
  return total;
}

void Scorer::keys(const Part& part, std::vector<Key>& out) const {
  sentence_->keys(part.kind, part.roles, out);
  if (part.kind != PartKind::kLabel) return;
  for (Key& key : out) key = learn::with_label(key, label_keys_[at(part.label)]);
}

void Scorer::keys_with_templates(const Part& part, std::vector<Key>& out) {
  sentence_->keys(part.kind, part.roles, out, &templates_);
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (part.kind == PartKind::kLabel) out[k] = learn::with_label(out[k], label_keys_[at(part.label)]);
    out[k] = learn::with_template(out[k], templates_[k]);
  }
}

}  // namespace ramify::parsing
