// The small first-order model that looks at every arc and leaves the few that are worth more features.
#pragma once

#include <memory>
#include <vector>

#include "ramify/learn/weights.hpp"
#include "ramify/parsing/candidates.hpp"
#include "ramify/parsing/features.hpp"
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

/// A fixed number of weights, each shared by the features that fall on it: small enough to stay in cache.
class BucketWeights {
 public:
  explicit BucketWeights(unsigned bits) : shift_(64 - bits), weights_(std::size_t{1} << bits) {}
  explicit BucketWeights(std::vector<float> weights);
  double sum(std::span<const Key> keys) const;
  std::size_t bucket(Key key) const { return static_cast<std::size_t>(key >> shift_); }
  std::vector<float>& weights() { return weights_; }
  const std::vector<float>& weights() const { return weights_; }

 private:
  unsigned shift_;
  std::vector<float> weights_;
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

  Pruner(const FeatureModel& features, const BucketWeights& weights, const TagPairs& pairs, PrunerOptions options)
      : features_(features), weights_(weights), pairs_(pairs), options_(options) {}

  /// Scores of all arcs, -inf where lengths or the mask forbid one, and the best tree; false if no tree is left.
  bool score(const Tokens& tokens, ArcMask mask, bool use_lengths, Scratch& scratch) const;
  /// Marginals of the scores in scratch; log Z.
  double marginals(std::int32_t num_words, Scratch& scratch) const;
  /// Empty if the mask allows no tree. `keep`, unless empty, holds heads that survive in any case.
  Candidates prune(const Tokens& tokens, ArcMask mask, std::span<const std::int32_t> keep, Scratch& scratch) const;

 private:
  const FeatureModel& features_;
  const BucketWeights& weights_;
  const TagPairs& pairs_;
  PrunerOptions options_;
};

/// AdaGrad on the conditional log-likelihood.
class PrunerTrainer {
 public:
  PrunerTrainer(const FeatureModel& features, BucketWeights& weights, const TagPairs& pairs, PrunerOptions options)
      : features_(features),
        weights_(weights),
        pruner_(features, weights, pairs, options),
        squares_(weights.weights().size()) {}

  /// Returns the negative log-likelihood before the step.
  double step(const Tokens& tokens, std::span<const std::int32_t> heads, double rate, Pruner::Scratch& scratch);

 private:
  const FeatureModel& features_;
  BucketWeights& weights_;
  Pruner pruner_;
  std::vector<float> squares_;
};

}  // namespace ramify::parsing
