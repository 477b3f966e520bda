// Learning a sequence labeller.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ramify/learn/dense_weights.hpp"
#include "ramify/learn/feature_index.hpp"
#include "ramify/learn/label_rows.hpp"
#include "ramify/learn/regularizer.hpp"
#include "ramify/tagging/model.hpp"

namespace ramify::tagging {

struct TrainerOptions {
  bool supported = false;       // weights only for features with labels that occur together
  std::uint32_t min_count = 1;  // occurrences from which a feature counts
  learn::Loss loss;
  learn::OptimizerOptions optimizer;
  learn::RegularizerOptions regularizer;  // of weights of features; those of label n-grams are free
  double cost = 1.0;                      // of a wrong label
  double dropout = 0.0;                   // share of a word's features that are left out, anew each time
  double min_gradient = 1e-3;             // what gold and prediction nearly agree on teaches nothing
  std::uint64_t seed = 1;                 // of what is left out
  std::int64_t batch = 1;
  int num_threads = 1;
};

/// A sentence to learn from. Its features are sorted, each with the words that have it.
struct Example {
  std::vector<std::uint16_t> gold;
  std::vector<std::uint32_t> sets;
  std::vector<std::uint16_t> lengths;
  std::vector<std::uint32_t> features;
  std::vector<std::uint32_t> begin;  // features + 1
  std::vector<std::uint32_t> words;
  std::vector<float> values;  // none: all 1
};

struct EpochStats {
  std::int64_t sentences = 0, words = 0, right = 0, updates = 0;
  double loss = 0.0;
};

/// Some features, each with some labels: those of the first, then of the second.
struct FeatureLabels {
  std::vector<Key> keys;
  std::vector<std::uint16_t> counts, labels;
};

class Trainer {
 public:
  Trainer(const TaggerModel& model, TrainerOptions options)
      : model_(model),
        options_(std::move(options)),
        optimizer_(options_.optimizer),
        regularizer_(options_.regularizer) {}
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// First all sentences are counted, then settle() is called, then they are added, in the same order.
  void count(const WordFeatures& features);
  void settle();
  void add(const WordFeatures& features, std::vector<std::uint32_t> sets, std::vector<std::uint16_t> lengths,
           std::vector<std::uint16_t> gold);
  /// A sentence to measure on; features that are not known are left out. Labels that are not known: num_labels.
  void add_dev(const WordFeatures& features, std::vector<std::uint32_t> sets, std::vector<std::uint16_t> lengths,
               std::vector<std::uint16_t> gold);

  const TaggerModel& model() const { return model_; }
  bool has_sentences() const { return rows_ != nullptr; }
  std::size_t num_examples() const { return train_.size(); }
  std::size_t num_labels() const { return model_.num_labels(); }
  std::size_t num_templates() const { return model_.num_templates(); }
  EpochStats run(std::span<const std::int64_t> order);
  void end_epoch() {
    ++epoch_;
    if (rows_) rows_->settle();
  }
  /// Forgets all but which weights would be kept, and learns only those from here on.
  void refit(std::size_t max_weights, double min_weight);

  /// A step of the regularizer now, besides those that are due.
  void shrink();
  /// What features give away about labels, by template: equation 16 of Martins et al. (2011).
  std::vector<double> information_gain() const;
  /// How many averaged weights there are, their norms, and the sum of their sizes in the scores of the gold labels of
  /// the training set. [3][templates]
  std::vector<double> template_statistics() const;
  /// The features that have weights, each with its labels.
  FeatureLabels support() const;
  /// From here on only these have weights. Features that the training set does not have are left out.
  void restrict_to(const FeatureLabels& support);
  /// Labels of the dev sentences, one after the other.
  std::vector<std::uint16_t> predict_dev() const;

  std::size_t num_features() const { return index_.size(); }
  std::size_t num_weights() const { return rows_ ? rows_->size() : 0; }
  /// The most weights that there ever were at a time.
  std::size_t most_weights() const { return rows_ ? rows_->most() : 0; }
  std::vector<learn::TemplateNorm> template_norms(bool averaged) const;
  /// Other budgets from here on; see Regularizer.
  void set_budgets(std::span<const std::int64_t> budgets) { regularizer_.set_budgets(budgets); }
  learn::QuantisedRows freeze(std::size_t max_weights, double min_weight) const;
  NgramWeights ngram_weights() const;
  /// All that a later run with the same sentences needs to go on from here, bit for bit.
  learn::State save() const;
  void restore(const learn::State& state);

 private:
  struct NgramItem {  // what follows a row of NgramScores; num_labels is the end
    std::size_t row;
    std::size_t next;
    double gradient;
  };
  struct Update;
  struct Worker;

  Example make(const WordFeatures& features, std::vector<std::uint32_t> sets, std::vector<std::uint16_t> lengths,
               std::vector<std::uint16_t> gold) const;
  void support(const Example& example);
  void score(const Example& example, std::span<const float> values, bool averaged, bool with_gold,
             Lattice& lattice) const;
  void draw(const Example& example, std::int64_t number, std::vector<float>& values) const;
  void predict(std::int64_t number, Worker& worker, Update& update) const;
  void learn_from_best(const Example& example, double gold_score, Worker& worker, Update& update) const;
  void learn_from_all(const Example& example, double gold_score, Worker& worker, Update& update) const;
  void walk_ngrams(std::span<const std::uint16_t> labels, double sign, Update& update) const;
  void collect(const Example& example, Worker& worker, Update& update) const;
  void apply(const Update& update);
  void end_batch();
  learn::Regularizer::Stretch stretch() const;
  void move_ngram(const NgramItem& item, double step);
  double time_for_average() const { return options_.optimizer.averaged ? time_ : 0.0; }

  const TaggerModel& model_;
  TrainerOptions options_;
  learn::Optimizer optimizer_;
  learn::Regularizer regularizer_;
  learn::FeatureIndex index_;
  std::unique_ptr<learn::LabelRows> rows_;
  learn::DenseWeights pairs_, triples_;
  std::unique_ptr<NgramScores> ngrams_;  // of the current weights
  std::vector<Example> train_, dev_;
  double time_ = 0.0;
  double batch_begin_ = 0.0;  // time when the batch began
  int epoch_ = 0;
};

}  // namespace ramify::tagging
