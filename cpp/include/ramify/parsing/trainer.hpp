// Learning the weights of a parser from a treebank.
#pragma once

#include <memory>
#include <vector>

#include "ramify/learn/learner.hpp"
#include "ramify/parsing/model.hpp"

namespace ramify::parsing {

struct TrainerOptions {
  learn::LearnerOptions learner;
  double head_cost;     // of a wrong head
  double label_cost;    // of a wrong label on the right head
  int num_threads;      // more threads need larger batches
  std::int64_t epochs;  // how long schedules are
  double hottest;       // temperature of the risk at its start
  double coldest;       // and at its end; linear between
  double risk_share;    // of kL2Risk: the last part of training that is for the risk
  double threshold;     // of the pruner, while learning: a looser one leaves more to learn from
  /// Whether scores are sums over those templates only that the last step of the regularizer left. All templates get
  /// gradients, so that the others may come back with the next step; this costs little, since few parts are wrong.
  bool live_only = false;
};

/// A sentence with its gold tree; labels are indices.
struct Example {
  Tokens tokens;
  std::vector<std::int32_t> heads;  // n + 1, -1 first
  std::vector<std::int32_t> labels;
  Candidates candidates;
  bool usable = true;  // the gold tree is one that the model allows
};

struct EpochStats {
  std::int64_t words = 0;
  std::int64_t right_heads = 0;  // of the cost-augmented predictions
  std::int64_t right_labels = 0;
  std::int64_t sentences = 0;
  std::int64_t certified = 0;
  std::int64_t updates = 0;
  double loss = 0.0;
};

struct PruneStats {
  std::int64_t words = 0;
  std::int64_t arcs = 0;
  std::int64_t kept = 0;  // gold heads among the candidates
};

struct DevScores {
  std::int64_t words = 0;
  std::int64_t right_heads = 0;
  std::int64_t right_labelled = 0;
  std::int64_t sentences = 0;
  std::int64_t certified = 0;
};

class Trainer {
 public:
  Trainer(ParserModel& model, TrainerOptions options, std::vector<Example> train, std::vector<Example> dev);

  std::size_t num_examples() const { return train_.size(); }
  const ParserModel& model() const { return model_; }
  const TrainerOptions& options() const { return options_; }
  std::span<const Example> train() const { return train_; }

  /// One pass over the treebank in the given order; the mean negative log-likelihood of a sentence.
  double train_pruner(std::span<const std::int64_t> order, double rate);
  /// Candidates of all sentences: of train with the gold heads added, of dev as they are. Stats are of dev (of train if
  /// there is no dev), without the additions.
  PruneStats prune();
  bool has_candidates() const { return has_candidates_; }

  /// Learns from the sentences order[begin..end).
  EpochStats run(std::span<const std::int64_t> order);
  DevScores evaluate() const;

  /// Of a training sentence under the present weights: its loss, and the gradient by feature, keys ascending. For
  /// losses of the family with finite beta and parts beyond arcs it is that of converged belief propagation.
  struct LossGradient {
    double loss = 0.0;
    std::vector<Key> keys;
    std::vector<float> values;
  };
  LossGradient loss_and_gradient(std::int64_t i) const;

  /// Learns the weights; its time counts sentences.
  const learn::Learner& learner() const { return learner_; }
  void set_budgets(std::span<const std::int64_t> budgets) { learner_.set_budgets(budgets); }
  /// Learns the weights of these features only, whose lowest bits name their templates.
  void restrict_to(std::span<const Key> keys) { learner_.store().restrict_to(keys); }
  /// Numbers of the templates that the last step of the regularizer left, ascending; none before the first one.
  const std::vector<Key>& live_templates() const { return live_; }
  /// All that a later run with the same sentences needs to go on from here, bit for bit.
  learn::State save() const;
  void restore(const learn::State& state);

 private:
  struct Update;
  struct Worker;
  std::unique_ptr<Worker> new_worker(const learn::WeightView& weights) const;
  Cost cost_of(const Example& example, double scale) const;
  /// Shares of parts smaller than `smallest` are taken for 0.
  Update predict(const Example& example, Worker& worker, double smallest) const;
  Update learn_from_best(const Example& example, Worker& worker, double smallest) const;
  Update learn_from_all(const Example& example, Worker& worker, double smallest) const;
  Update learn_from_beliefs(const Example& example, Worker& worker, double smallest) const;
  /// Temperature of the annealed risk now; 0 where it is not yet its turn.
  double risk_temperature() const;
  void support();
  /// Makes scores of these templates only, by number.
  void set_live(std::vector<Key> numbers);
  PrunerTrainer& pruner_trainer();

  ParserModel& model_;
  TrainerOptions options_;
  std::vector<Example> train_;
  std::vector<Example> dev_;
  bool has_candidates_ = false;
  learn::Learner learner_;
  std::unique_ptr<PrunerTrainer> pruner_trainer_;
  std::vector<Key> live_;                        // numbers of templates, ascending
  std::unique_ptr<FeatureModel> live_features_;  // null: all
};

/// heads and labels of a sentence; labels beyond `labels` become -1.
Example make_example(const data::Sentence& sentence, const Vocabulary& vocabulary, std::span<const std::string> labels);

}  // namespace ramify::parsing
