// Learns the weights of hashed features from what examples teach.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ramify/learn/gradient.hpp"
#include "ramify/learn/loss.hpp"
#include "ramify/learn/regularizer.hpp"
#include "ramify/learn/weight_store.hpp"

namespace ramify::learn {

struct LearnerOptions {
  Loss loss;
  OptimizerOptions optimizer;
  RegularizerOptions regularizer;
  FeatureSet feature_set = FeatureSet::kComplete;
  std::uint64_t num_buckets = 0;
  std::int64_t batch = 1;  // examples that learn from the same weights
};

class Learner {
 public:
  explicit Learner(const LearnerOptions& options);

  const LearnerOptions& options() const { return options_; }
  const Loss& loss() const { return options_.loss; }
  WeightStore& store() { return store_; }
  const WeightStore& store() const { return store_; }

  /// How many examples an epoch has, which the strength of the regularizer depends on.
  void set_num_examples(double number) { num_examples_ = number; }
  double num_examples() const { return num_examples_; }
  /// Examples of a batch, one after the other. Automatic steps are taken at once, the others when the batch ends, along
  /// the sum of its gradients.
  void add(const Gradient& gradient);
  void end_batch();
  void end_epoch() { epoch_ += 1.0; }

  double time() const { return time_; }  // examples so far
  /// Other budgets from here on; see Regularizer.
  void set_budgets(std::span<const std::int64_t> budgets) { regularizer_.set_budgets(budgets); }
  /// What predictions are made with: 0 is the present weights, more is the average over so many examples.
  double averaging_time() const { return options_.optimizer.averaged ? time_ : 0.0; }

  /// All that a later run needs to go on between two batches, bit for bit.
  State save() const;
  void restore(const State& state);

 private:
  LearnerOptions options_;
  Optimizer optimizer_;
  Regularizer regularizer_;
  WeightStore store_;
  double num_examples_ = 1.0;
  double time_ = 0.0;
  double epoch_ = 0.0;
  double batch_begin_ = 0.0;                // time when the batch began
  std::vector<std::pair<Key, float>> sum_;  // of the batch
};

}  // namespace ramify::learn
