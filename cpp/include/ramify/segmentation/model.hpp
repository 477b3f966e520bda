// The model: from text to tokens and sentences.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ramify/learn/dense_weights.hpp"
#include "ramify/segmentation/features.hpp"
#include "ramify/segmentation/multiword.hpp"

namespace ramify::segmentation {

/// Pairs of character kinds between which no token ever ends: 1 at [left * kNumClasses + right]. Most of a text is
/// decided by this table.
using InsidePairs = std::array<std::uint8_t, kNumClasses * kNumClasses>;

struct ModelParts {
  std::vector<float> token;  // weights of what ends a token, a power of two of them
  std::vector<float> sentence;
  InsidePairs inside;
  bool spaces_inside;  // tokens may hold single spaces
  double sentence_bias;
  Lexicon lexicon;
  MultiwordRules multiword;
};

/// Tokens of a stretch of text; `sentence_ends[t]` is 1 where a sentence ends after token t.
struct Segments {
  std::vector<Token> tokens;
  std::vector<std::uint8_t> sentence_ends;
};

class SegmenterModel {
 public:
  explicit SegmenterModel(ModelParts parts) : parts_(std::move(parts)) {}

  /// Segments of one paragraph; the last token ends a sentence.
  void segment(const Text& text, const Paragraph& paragraph, Segments& out) const;
  const MultiwordRules& multiword() const { return parts_.multiword; }
  const Lexicon& lexicon() const { return parts_.lexicon; }

 private:
  void find_tokens(const Text& text, const Paragraph& paragraph, std::vector<Token>& tokens) const;
  void find_sentences(const Text& text, std::span<const Token> tokens, std::vector<std::uint8_t>& ends) const;

  ModelParts parts_;
};

}  // namespace ramify::segmentation
