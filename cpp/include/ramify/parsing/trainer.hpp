// Learning the weights of a parser from a treebank.
#pragma once

#include <memory>
#include <vector>

#include "ramify/parsing/model.hpp"

namespace ramify::parsing {

enum class Loss : std::uint8_t {
  kFamily,  // L(beta, gamma) of Martins et al. (2010)
  kL2,      // the others of Gormley et al. (2015), through belief propagation
  kRisk,
  kL2Risk,  // the one, then the other
};

enum class Optimizer : std::uint8_t {
  kAutomatic,  // Algorithm 1 of Martins et al. (2010), and the average of the weights that it went through
  kAdaGrad,    // Duchi et al. (2011) with composite mirror descent for the l2 regularizer; the last weights
};

struct TrainerOptions {
  learn::FeatureSet feature_set;
  std::uint64_t num_buckets;
  Loss loss;
  /// The loss of Martins et al. (2010), Figure 4: (1, 0) CRF, (1, 1) softmax-margin, (inf, 1) SVM, (inf, 0) perceptron.
  double beta;
  double gamma;
  double max_step;     // C of MIRA: Algorithm 1 of Martins et al. (2010) has 1 / (lambda m)
  double head_cost;    // of a wrong head
  double label_cost;   // of a wrong label on the right head
  std::int64_t batch;  // sentences that learn from the same weights; more threads need more of them
  int num_threads;
  std::int64_t epochs;  // how long schedules are
  double hottest;       // temperature of the risk at its start
  double coldest;       // and at its end; linear between
  double risk_share;    // of kL2Risk: the last part of training that is for the risk
  Optimizer optimizer;
  double rate;            // of AdaGrad
  double regularization;  // lambda of (sum of losses + lambda / 2 |w|^2) / number of sentences
  double threshold;       // of the pruner, while learning: a looser one leaves more to learn from
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

  /// One pass over the treebank in the given order; the mean negative log-likelihood of a sentence.
  double train_pruner(std::span<const std::int64_t> order, double rate);
  /// Candidates of all sentences: of train with the gold heads added, of dev as they are. Stats are of dev (of train if
  /// there is no dev), without the additions.
  PruneStats prune();

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

  /// What predictions are made with: 0 is the present weights, more is the average over so many sentences.
  double averaging_time() const { return options_.optimizer == Optimizer::kAutomatic ? time_ : 0.0; }
  double time() const { return time_; }
  learn::WeightTable& table() { return table_; }
  void set_time(double time) { time_ = time; }

 private:
  struct Update;
  struct Worker;
  Cost cost_of(const Example& example, double scale) const;
  /// Shares of parts smaller than `smallest` are taken for 0.
  Update predict(const Example& example, Worker& worker, double smallest) const;
  Update learn_from_best(const Example& example, Worker& worker, double smallest) const;
  Update learn_from_all(const Example& example, Worker& worker, double smallest) const;
  Update learn_from_beliefs(const Example& example, Worker& worker, double smallest) const;
  double automatic_step(const Update& update) const;
  /// Temperature of the annealed risk now; 0 where it is not yet its turn.
  double risk_temperature() const;
  void learn(std::span<const Update> updates, std::span<const std::int64_t> batch);
  void support();

  ParserModel& model_;
  TrainerOptions options_;
  std::vector<Example> train_;
  std::vector<Example> dev_;
  learn::WeightTable table_;
  double num_usable_ = 0.0;
  double time_ = 0.0;                            // sentences seen
  std::vector<std::pair<Key, float>> gradient_;  // scratch of learn()
  std::unique_ptr<PrunerTrainer> pruner_trainer_;
};

/// heads and labels of a sentence; labels beyond `labels` become -1.
Example make_example(const data::Sentence& sentence, const Vocabulary& vocabulary, std::span<const std::string> labels);

}  // namespace ramify::parsing
