// From candidate arcs to scores of all parts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ramify/learn/weight_view.hpp"
#include "ramify/parsing/candidates.hpp"
#include "ramify/parsing/features.hpp"
#include "ramify/parsing/network_scores.hpp"

namespace ramify::parsing {

/// The modifiers that one head may take on one side, nearest first, as indices of candidate arcs.
struct Side {
  std::int32_t head;
  bool right;
  std::vector<std::int32_t> arcs;
};
std::vector<Side> sides_of(const Candidates& candidates);

/// A part of Shape::kPair.
inline Part side_pair(PartKind kind, const Side& side, std::int32_t m, std::int32_t s) {
  return {kind, 0, {side.head, m, s, side.right ? 1 : 0}};
}

/// What a wrong head or a wrong label costs in training.
struct Cost {
  std::span<const std::int32_t> heads;  // gold, 1..n
  std::span<const std::int32_t> labels;
  double head;
  double label;
};

/// Labels that a user's constraints allow for each word; empty lists: any.
using LabelChoice = std::span<const std::vector<std::int32_t>>;

/// Scores of the arcs with their labels.
struct ArcScores {
  std::vector<double> scores;        // per candidate, label included: the best one's, or the sum over all (see below)
  std::vector<std::int32_t> labels;  // best label
  // Only where labels are summed over:
  std::vector<std::int32_t> label_begin;  // per candidate and one more
  std::vector<std::int32_t> label_ids;
  std::vector<double> label_marginals;  // given the arc
};

/// Everything about one sentence that scoring needs. Scores are sums of the weights of features, or come from a
/// network. Scratch inside: one per thread.
class Scorer {
 public:
  Scorer(const FeatureModel& features, const learn::WeightView& weights, std::span<const Key> label_keys,
         const TagPairs& pairs, const PartChoice& choice)
      : features_(features), weights_(weights), label_keys_(label_keys), pairs_(pairs), choice_(choice) {}

  /// Call first for each sentence; tokens must stay alive, and so must what a network says, if there is one.
  void start(const Tokens& tokens, const NetworkScores* network = nullptr);

  /// temperature 0: each arc takes its best label; above: it counts T log sum exp(score / T) over its labels.
  ArcScores score_arcs(const Candidates& candidates, LabelChoice allowed, const Cost* cost, double temperature);
  double score(PartKind kind, const Roles& roles);
  /// Many parts at once: ask for them one after the other, then take the scores in the same order.
  void ask(PartKind kind, const Roles& roles);
  std::span<const double> answers();
  double score(const Part& part);
  /// Of a kLabel part, looked up as score_arcs does: where two features have the same mark in frozen weights, it counts
  /// both and a plain sum the first.
  double score_label(const Part& part);
  void keys(const Part& part, std::vector<Key>& out) const;
  /// The same keys, which name their templates, so that what learns them knows.
  void keys_with_templates(const Part& part, std::vector<Key>& out);
  std::int32_t start_word() const { return sentence_->start(); }
  std::int32_t stop_word() const { return sentence_->stop(); }
  const PartChoice& choice() const { return choice_; }

 private:
  const FeatureModel& features_;
  const learn::WeightView& weights_;
  std::span<const Key> label_keys_;
  const TagPairs& pairs_;
  const PartChoice& choice_;
  const Tokens* tokens_ = nullptr;
  std::optional<SentenceFeatures> sentence_;
  const NetworkScores* network_ = nullptr;
  double sum_labels(std::span<const std::int32_t> labels, double temperature, ArcScores& out) const;
  std::span<const std::int32_t> possible_labels(std::int32_t head, std::int32_t modifier, LabelChoice allowed) const;
  double score_arc(std::int32_t head, std::int32_t modifier, std::span<const std::int32_t> labels);

  std::vector<Key> keys_;
  std::vector<std::size_t> templates_;
  std::vector<double> label_scores_;
  std::vector<std::int32_t> all_labels_;
  std::vector<float> network_labels_;  // of all candidates, and where the next one's begin
  std::size_t next_labels_ = 0;
  std::vector<Key> chosen_keys_;
  std::vector<Key> asked_;
  std::vector<std::uint32_t> asked_ends_;
  std::vector<double> answers_;
  std::vector<double> given_;  // answers of a network
};

}  // namespace ramify::parsing
