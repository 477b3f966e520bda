// Learning to segment: two logistic regressions over hashed features.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ramify/segmentation/model.hpp"

namespace ramify::segmentation {

/// Examples of a yes-or-no question, their features as places in the weights.
class Examples {
 public:
  explicit Examples(unsigned bits) : shift_(64U - bits) {}
  void add(std::span<const learn::Key> keys, bool yes);
  std::size_t size() const { return labels_.size(); }
  std::span<const std::uint32_t> features(std::size_t i) const {
    return std::span(features_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
  }
  bool label(std::size_t i) const { return labels_[i] != 0; }

 private:
  unsigned shift_;
  std::vector<std::uint32_t> features_;
  std::vector<std::size_t> begins_ = {0};
  std::vector<std::uint8_t> labels_;
};

/// Logistic regression by AdaGrad, Duchi et al. (2011), with weights averaged over all updates.
class LogisticLearner {
 public:
  LogisticLearner(unsigned bits, double step);
  /// One pass in an order that seed and epoch fix; returns the mean loss.
  double pass(const Examples& examples, std::uint64_t seed, std::uint64_t epoch);
  std::vector<float> averaged() const { return weights_.averaged(time_); }
  void save(const std::string& prefix, learn::State& state) const;
  void restore(const std::string& prefix, const learn::State& state);

 private:
  struct Update;
  learn::Optimizer optimizer_;
  learn::DenseWeights weights_;
  double time_ = 0.0;
};

struct TrainerOptions {
  unsigned bits;  // 2^bits weights for each of the two questions
  double token_step;
  double sentence_step;
  std::uint64_t seed;
};

/// Gold tokens of a text, in characters; sentence_ends[t] is 1 where a sentence ends after token t.
struct GoldSegments {
  std::span<const std::int64_t> begins;
  std::span<const std::int64_t> ends;
  std::span<const std::uint8_t> sentence_ends;
};

/// First `count` all text, then `add` all of it, then passes.
class Trainer {
 public:
  explicit Trainer(const TrainerOptions& options);

  void count(const Text& text, const GoldSegments& gold);
  /// Remembers the words; text that is made up is not to be counted.
  void count_words(const Text& text, const GoldSegments& gold);
  /// Fixes pairs of kinds with enough evidence that no token ends between them, and the words that are remembered.
  void settle(std::int64_t min_pairs, std::int64_t min_words);
  void add(const Text& text, const GoldSegments& gold);
  /// Mean losses of both questions.
  std::pair<double, double> pass(std::uint64_t epoch);

  std::vector<float> token_weights() const { return token_learner_.averaged(); }
  std::vector<float> sentence_weights() const { return sentence_learner_.averaged(); }
  const InsidePairs& inside() const { return inside_; }
  bool spaces_inside() const { return spaces_inside_; }
  /// Words for the model; it learns from fewer.
  std::vector<learn::Key> lexicon() const { return words_from(min_words_, kKnownFrom); }
  /// All that a later run with the same text needs to go on between two passes, bit for bit.
  learn::State save() const;
  void restore(const learn::State& state);

 private:
  static constexpr std::int64_t kKnownFrom = 2;  // occurrences of a word, in scripts with spaces

  std::vector<learn::Key> words_from(std::int64_t least_unspaced, std::int64_t least_spaced) const;
  void add_tokens(const Text& text, const Paragraph& paragraph, const GoldSegments& gold, std::size_t first,
                  std::size_t last);
  void add_sentences(const Text& text, const GoldSegments& gold, std::span<const Token> tokens, std::size_t first);

  TrainerOptions options_;
  std::vector<std::int64_t> pairs_, cut_pairs_;
  std::int64_t num_tokens_ = 0, num_spaced_ = 0;
  std::unordered_map<learn::Key, std::int64_t> unspaced_, spaced_;  // how often words occur, by script
  std::unordered_map<learn::Key, std::pair<std::int64_t, std::int64_t>>
      abbreviations_;  // all, those that end sentences
  std::int64_t min_words_ = 1;
  InsidePairs inside_{};
  bool spaces_inside_ = false;
  Lexicon lexicon_;
  Examples token_examples_, sentence_examples_;
  LogisticLearner token_learner_, sentence_learner_;
};

}  // namespace ramify::segmentation
