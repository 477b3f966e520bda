// The small first-order model that looks at every arc and leaves the few that are worth more features.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ramify/learn/dense_weights.hpp"
#include "ramify/parsing/candidates.hpp"
#include "ramify/parsing/features.hpp"
#include "ramify/parsing/network_scores.hpp"
#include "ramify/trees/arborescence.hpp"
#include "ramify/trees/eisner.hpp"
#include "ramify/trees/matrix_tree.hpp"
#include "ramify/trees/projective.hpp"

namespace ramify::parsing {

struct PrunerOptions {
  double threshold;        // of the best head's marginal
  std::int32_t max_heads;  // per word
  bool use_lengths;        // arcs longer than any in training between such tags are out
  bool single_root;
  bool projective;
};

/// Arcs that a user's constraints allow, 1 or 0 at [head * (n + 1) + modifier]; empty: all.
using ArcMask = std::span<const std::uint8_t>;

class Pruner {
 public:
  struct Scratch {
    std::vector<double> scores, marginals;
    std::vector<Key> keys;
    std::vector<std::int32_t> tree;
    std::vector<std::pair<double, std::int32_t>> ranked;
    trees::MatrixTreeWorkspace matrix_tree;
    trees::EisnerWorkspace eisner;
    trees::ArborescenceWorkspace arborescence;
  };

  /// network: scores the arcs instead of features, if there is one.
  Pruner(const FeatureModel& features, learn::BucketWeights weights, const TagPairs& pairs, PrunerOptions options,
         const NetworkScores* network = nullptr)
      : features_(features), weights_(weights), pairs_(pairs), options_(options), network_(network) {}

  /// Scores of all arcs, -inf where lengths or the mask forbid one, and the best tree; false if no tree is left.
  bool score(const Tokens& tokens, ArcMask mask, bool use_lengths, Scratch& scratch) const;
  /// Marginals of the scores in scratch; log Z.
  double marginals(std::int32_t num_words, Scratch& scratch) const;
  /// Empty if the mask allows no tree. `keep`, unless empty, holds heads that survive in any case.
  Candidates prune(const Tokens& tokens, ArcMask mask, std::span<const std::int32_t> keep, Scratch& scratch) const;

 private:
  const FeatureModel& features_;
  learn::BucketWeights weights_;
  const TagPairs& pairs_;
  PrunerOptions options_;
  const NetworkScores* network_;
};

/// Learns by the conditional log-likelihood, a sentence at a time.
class PrunerTrainer {
 public:
  /// Goes on from the weights that the pruner has.
  PrunerTrainer(const FeatureModel& features, std::vector<float> weights, const TagPairs& pairs, PrunerOptions options);

  /// What a sentence teaches: how far to move which bucket, in the order in which they are moved.
  struct Update {
    double loss = 0.0;
    std::vector<std::pair<std::size_t, double>> moves;
  };
  void look(const Tokens& tokens, std::span<const std::int32_t> heads, Pruner::Scratch& scratch, Update& update) const;
  void learn(const Update& update, double rate);

  std::span<const float> weights() const { return weights_.weights(); }
  static bool is_in(const learn::State& state) { return state.has(std::string(kPrefix) + "weights"); }
  void save(learn::State& state) const { weights_.save(kPrefix, state); }
  void restore(const learn::State& state) { weights_.restore(kPrefix, state); }

 private:
  static constexpr const char* kPrefix = "pruner-";
  const FeatureModel& features_;
  learn::Optimizer optimizer_;
  learn::DenseWeights weights_;
  learn::BucketWeights buckets_;  // the same
  Pruner pruner_;
};

}  // namespace ramify::parsing
