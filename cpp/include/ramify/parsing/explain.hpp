// What the features of a part saw, and what each of them counts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramify/parsing/kinds/relations.hpp"
#include "ramify/parsing/model.hpp"

namespace ramify::parsing {

/// One feature of a part. The weights of a part's features add up to its score.
struct FeatureFact {
  std::string group;    // of the template
  std::string pattern;  // as the kind has it
  std::string values;   // the pattern with what was seen: "h.p=VERB m.p=NOUN dist=2 h<m"
  Key key = 0;
  double weight = 0.0;
};

/// Features of the parts of one sentence; the model and the sentence must outlive it.
class Explainer {
 public:
  /// output: what the network of the model, if it has one, says of the sentence.
  Explainer(const ParserModel& model, const data::Sentence& sentence, const neural::Output* output = nullptr);

  /// All features of a part, also those without a weight, in the order of the templates. A part that a network scores
  /// has a single one.
  std::vector<FeatureFact> explain(const Part& part) const;

 private:
  struct Choice;
  FeatureFact explain_network(const Part& part) const;
  std::string word_text(std::int32_t word, std::int32_t offset, Atom atom) const;
  std::vector<std::string> feats_of(std::int32_t word) const;
  std::string between_text(const SentenceFeatures::Between& seen, std::string_view roles) const;
  std::vector<std::string> tags_between(std::uint64_t tags, std::int32_t a, std::int32_t b) const;
  std::vector<Choice> choices(const CompiledTemplate& compiled, const Part& part,
                              const SentenceFeatures::Between& seen) const;
  std::string values_text(std::string_view pattern, const Part& part, const RelationFacts& relation,
                          const SentenceFeatures::Between& seen, const Choice& choice) const;

  const ParserModel& model_;
  const data::Sentence& sentence_;
  Tokens tokens_;
  SentenceFeatures features_;
  std::optional<NetworkScores> network_;
};

}  // namespace ramify::parsing
