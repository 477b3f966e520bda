// What the templates see of a sentence: one row of hashed values per word.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ramify/data/sentence.hpp"
#include "ramify/learn/feature_hash.hpp"

namespace ramify::parsing {

using learn::Key;

/// Values of one word. The letter is what templates.cpp calls it.
enum class Atom : std::uint8_t {
  kWord,     // w: form in lower case
  kLemma,    // l
  kTag,      // p: coarse tag
  kFineTag,  // t
  kFeats,    // F: all morphological features as one value
  kClass,    // c: form if frequent, else suffix and shape
  kSuffix,   // s: last three characters
  kPrefix,   // r: first three characters
  kShape,    // x: upper and lower case, digits, others; repeats collapsed
};
inline constexpr std::size_t kNumAtoms = 9;

/// Words 1..n of one sentence; 0 is the root.
struct Tokens {
  std::int32_t num_words = 0;
  std::vector<std::array<Key, kNumAtoms>> atoms;  // n + 1
  std::vector<std::uint16_t> tags;                // ids of coarse tags, n + 1; the root has its own
  std::vector<std::uint8_t> punctuation;          // form without letters and digits, n + 1
  std::vector<std::uint32_t> feats_begin;         // n + 2
  std::vector<Key> feats;                         // each feature=value

  std::span<const Key> feats_of(std::int32_t word) const {
    const auto i = static_cast<std::size_t>(word);
    return std::span(feats).subspan(feats_begin[i], feats_begin[i + 1] - feats_begin[i]);
  }
};

/// Learned from the training treebank: which tags there are, which forms are frequent.
class Vocabulary {
 public:
  static constexpr std::uint16_t kRootTag = 0;
  static constexpr std::uint16_t kUnknownTag = 1;
  static constexpr std::uint16_t kMostTags = 65535;

  void count(const data::Sentence& sentence);
  /// Ends counting: forms seen at least `frequent` times are frequent.
  void settle(std::int64_t frequent);
  void restore(std::vector<std::string> tags, std::vector<Key> frequent_forms);

  Tokens encode(const data::Sentence& sentence) const;
  /// What encode() hashes, for people to read; word 0 is the root.
  std::string text_of(const data::Sentence& sentence, std::int32_t word, Atom atom) const;

  std::span<const std::string> tags() const { return tags_; }
  std::size_t num_tags() const { return tags_.size(); }
  std::span<const Key> frequent_forms() const { return frequent_; }

 private:
  std::uint16_t tag_id(std::string_view tag) const;

  std::vector<std::string> tags_ = {"<root>", "<unknown>"};
  std::unordered_map<std::string, std::uint16_t> tag_ids_;
  std::unordered_map<Key, std::int64_t> counts_;
  std::vector<Key> frequent_;  // ascending
};

}  // namespace ramify::parsing
