// Learning the weights of a parser from a treebank.
#pragma once

#include <memory>
#include <vector>

#include "ramify/parsing/model.hpp"

namespace ramify::parsing {

struct TrainerOptions {
  learn::FeatureSet feature_set;
  std::uint64_t num_buckets;
  /// The loss of Martins et al. (2010), Figure 4: (1, 0) CRF, (1, 1) softmax-margin, (inf, 1) SVM, (inf, 0) perceptron.
  double beta;
  double gamma;
  double max_step;     // C of MIRA: Algorithm 1 of Martins et al. (2010) has 1 / (lambda m)
  double head_cost;    // of a wrong head
  double label_cost;   // of a wrong label on the right head
  std::int64_t batch;  // sentences that learn from the same weights; more threads need more of them
  int num_threads;
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

  double time() const { return time_; }
  learn::WeightTable& table() { return table_; }
  void set_time(double time) { time_ = time; }

 private:
  struct Update;
  struct Worker;
  Cost cost_of(const Example& example) const;
  Update predict(const Example& example, Worker& worker) const;
  Update learn_from_best(const Example& example, Worker& worker) const;
  Update learn_from_all(const Example& example, Worker& worker) const;
  void support();

  ParserModel& model_;
  TrainerOptions options_;
  std::vector<Example> train_;
  std::vector<Example> dev_;
  learn::WeightTable table_;
  double time_ = 0.0;  // sentences seen
  std::unique_ptr<PrunerTrainer> pruner_trainer_;
};

/// heads and labels of a sentence; labels beyond `labels` become -1.
Example make_example(const data::Sentence& sentence, const Vocabulary& vocabulary, std::span<const std::string> labels);

}  // namespace ramify::parsing
