// A sequence labeller: everything that training leaves behind, and how a sentence gets its labels with it.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ramify/learn/frozen_label_rows.hpp"
#include "ramify/tagging/chain.hpp"
#include "ramify/tagging/templates.hpp"

namespace ramify::tagging {

/// How labels mark spans, and so which may follow which.
enum class Scheme : std::uint8_t { kNone, kIob1, kIob2, kBioes };

/// Whether `next` may come after `before`; "" is the boundary of the sentence on either side.
bool may_follow(Scheme scheme, std::string_view before, std::string_view next);

/// Which labels words may have. Set 0 is for words that are not known well.
class LabelSets {
 public:
  LabelSets() = default;
  /// keys ascending; counts and labels of their sets one after the other, after those of set 0.
  LabelSets(std::vector<Key> keys, std::span<const std::uint16_t> counts, std::vector<std::uint16_t> labels);

  std::uint32_t find(Key key) const {
    const auto found = index_.find(key);
    return found == index_.end() ? 0 : found->second;
  }
  std::span<const std::uint16_t> labels(std::uint32_t set) const {
    return std::span(labels_).subspan(begin_[set], begin_[set + 1] - begin_[set]);
  }
  /// A feature value: words with the same labels have the same.
  Key kind(std::uint32_t set) const { return kinds_[set]; }

 private:
  std::unordered_map<Key, std::uint32_t> index_;
  std::vector<Key> kinds_ = {1};
  std::vector<std::uint32_t> begin_ = {0, 0};
  std::vector<std::uint16_t> labels_;
};

struct ModelOptions {
  int order = 1;
  Scheme scheme = Scheme::kNone;
  std::vector<std::string> labels;
  std::vector<std::uint16_t> min_characters;  // that a word of set 0 needs for each label; none: 0 for all
  std::vector<std::string> columns;           // names, the form first
  std::vector<std::string> templates;
  std::vector<std::uint16_t> dictionary_columns;  // what of a word LabelSets go by
  bool restricted = true;                         // whether words get the labels of their sets only
};

/// Learned scores of label pairs, [(k + 1)][(k + 1)], and in order 2 of triples, [(k + 1)²][(k + 1)]. The boundary has
/// the last number.
struct NgramWeights {
  std::vector<float> pairs, triples;
  NgramWeights(int order, std::size_t num_labels);
};

struct TagRequest {
  bool marginals = false;
  std::size_t k = 1;
  std::span<const std::vector<std::uint16_t>> allowed;  // per word, ascending; empty: whatever the model allows
};

struct Tagging {
  Labelling best;
  double log_partition = 0.0;
  std::vector<double> marginals;  // [n][labels] on request
  std::vector<Labelling> k_best;  // on request
};

/// What one thread reuses from sentence to sentence.
struct TagScratch {
  Columns columns;
  FeatureScratch features;
  WordFeatures words;
  Lattice lattice;
  std::vector<std::uint32_t> rows;  // of the features
  std::vector<float> sums;
  std::vector<std::uint32_t> sets;
  std::vector<std::uint16_t> lengths;
  ChainScratch chain;
  ChainMarginals marginals;
};

class TaggerModel {
 public:
  TaggerModel(ModelOptions options, TemplateSet templates, LabelSets sets, Clusters clusters);

  const ModelOptions& options() const { return options_; }
  std::size_t num_labels() const { return options_.labels.size(); }
  std::size_t num_templates() const { return templates_.templates.size(); }
  const NgramScores& ngrams() const { return ngrams_; }

  void set_weights(const learn::QuantisedRows& rows, const NgramWeights& ngrams);
  /// Hard constraints and weights together.
  NgramScores compose(const NgramWeights& weights) const;

  /// From scratch.columns to features, label sets and lengths.
  void read(TagScratch& scratch) const;
  /// Adds the labels that a word may have. `gold` is among them, if it is a label.
  void append_labels(std::uint32_t set, std::uint16_t length, std::int32_t gold, Lattice& lattice) const;

  /// Labels for the features in scratch.words; scratch.sets and scratch.lengths are there too.
  Tagging tag(const TagRequest& request, TagScratch& scratch) const;

 private:
  ModelOptions options_;
  TemplateSet templates_;
  LabelSets sets_;
  Clusters clusters_;
  learn::FrozenLabelRows rows_;
  NgramScores ngrams_;
};

}  // namespace ramify::tagging
