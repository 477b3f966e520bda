// A dependency parser: everything that training leaves behind, and how a sentence becomes a tree with it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ramify/data/sentence.hpp"
#include "ramify/learn/frozen_weights.hpp"
#include "ramify/parsing/constraints.hpp"
#include "ramify/parsing/decoder.hpp"
#include "ramify/parsing/pruner.hpp"

namespace ramify::parsing {

struct ModelOptions {
  PartChoice parts;
  PrunerOptions pruner;
  DecoderOptions decoder;
  TemplateChoice templates;
  std::vector<std::string> empty;  // columns without values: lemma, xpos, feats
};

/// What one thread reuses from sentence to sentence.
struct ParseScratch {
  Pruner::Scratch pruner;
  DecoderScratch decoder;
};

/// What a caller wants of a sentence.
struct ParseRequest {
  bool marginals = false;
  std::int64_t k = 1;          // best trees
  bool mbr = false;            // decode from marginals
  bool projective = false;     // whatever the model was trained for
  double time_limit = 0.0;     // seconds, 0: that of the model
  std::int32_t max_words = 0;  // longer sentences are not parsed, 0: any length
};

enum class ParseStatus : std::uint8_t { kParsed, kInfeasible, kTooLong };

struct Parse {
  ParseStatus status = ParseStatus::kParsed;
  Tree tree;
  double bound = 0.0;
  bool certified = false;
  std::int32_t iterations = 0;
  // On request:
  std::vector<std::int32_t> arc_heads, arc_modifiers;  // candidates
  std::vector<double> arc_marginals;
  std::vector<Tree> k_best;
  std::vector<std::int32_t> conflict;  // constraints that allow no tree
};

class ParserModel {
 public:
  ParserModel(ModelOptions options, Vocabulary vocabulary, std::vector<std::string> labels, TagPairs pairs,
              std::vector<float> pruner_weights);

  const ModelOptions& options() const { return options_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  std::span<const std::string> labels() const { return labels_; }
  std::span<const Key> label_keys() const { return label_keys_; }
  const TagPairs& pairs() const { return pairs_; }
  const FeatureModel& features() const { return *features_; }
  const std::vector<float>& pruner_weights() const { return pruner_weights_; }
  void set_pruner_weights(std::span<const float> weights) { pruner_weights_.assign(weights.begin(), weights.end()); }
  void set_weights(learn::FrozenWeights weights) { weights_ = std::move(weights); }
  const learn::FrozenWeights& weights() const { return weights_; }
  /// From now on, parts are scored by a network, of whose outputs the methods below get one for each sentence.
  void set_network(std::shared_ptr<const neural::Network> network) { network_ = std::move(network); }
  const neural::Network* network() const { return network_.get(); }

  Pruner pruner(const PrunerOptions& options, const NetworkScores* network = nullptr) const {
    return {*features_, learn::BucketWeights(pruner_weights_), pairs_, options, network};
  }
  Pruner pruner() const { return pruner(options_.pruner); }
  Scorer scorer(const learn::WeightView& weights) const { return scorer(weights, *features_); }
  Scorer scorer(const learn::WeightView& weights, const FeatureModel& features) const {
    return {features, weights, label_keys_, pairs_, options_.parts};
  }

  /// With the frozen weights, or with what the network says of the sentence.
  Parse parse(const Tokens& tokens, const ParseRequest& request, std::span<const Constraint> constraints,
              ParseScratch& scratch, const neural::Output* output = nullptr) const;
  /// What AD3 (tight) or belief propagation (loose) is given; the candidates are filled in.
  /// Without a tree, as without words, there are no candidates, and the problem is empty.
  ParseProblem problem(const Tokens& tokens, Factorization factorization, bool projective, Candidates& candidates,
                       ParseScratch& scratch, const neural::Output* output = nullptr) const;
  /// Sum of the scores of a tree's parts, each looked up on its own.
  double score(const Tokens& tokens, std::span<const std::int32_t> heads, std::span<const std::int32_t> labels,
               const neural::Output* output = nullptr) const;
  /// What the network says of a sentence; none without a network.
  std::optional<NetworkScores> network_scores(const neural::Output* output) const;

 private:
  ModelOptions options_;
  Vocabulary vocabulary_;
  std::vector<std::string> labels_;
  std::vector<Key> label_keys_;
  TagPairs pairs_;
  std::unique_ptr<FeatureModel> features_;
  std::vector<float> pruner_weights_;  // a power of two of them
  learn::FrozenWeights weights_;
  std::shared_ptr<const neural::Network> network_;
};

/// Writes heads and labels into the sentence.
void annotate(data::Sentence& sentence, const Tree& tree, std::span<const std::string> labels);

}  // namespace ramify::parsing
