// Words of the treebank: where scripts do not show where words end, and to tell words from abbreviations and from words
// of other languages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ramify/learn/feature_hash.hpp"
#include "ramify/segmentation/text.hpp"

namespace ramify::segmentation {

/// A set of words as hashes, by open addressing.
class Lexicon {
 public:
  static constexpr std::size_t kLongest = 5;  // longer words are not looked for

  explicit Lexicon(std::span<const learn::Key> words = {});

  bool contains(learn::Key word) const {
    for (std::size_t at = word >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == word) return true;
      if (slots_[at] == 0) return false;
    }
  }

  /// For each place of [begin, end] which words begin there: bit l is set if one of l characters does.
  void find(const Text& text, std::size_t begin, std::size_t end, std::vector<std::uint8_t>& lengths) const;

 private:
  std::vector<learn::Key> slots_;  // 0: free
  unsigned shift_;
};

/// Hash of a word, never 0, from its characters one by one.
class WordHash {
 public:
  void add(char32_t c) {
    hash_ = (hash_ ^ c) * 0x100000001b3ULL + 1;
    ++length_;
  }
  learn::Key value() const {
    const learn::Key mixed = learn::mix(hash_ + length_);
    return mixed == 0 ? 1 : mixed;
  }

 private:
  learn::Key hash_ = 0;
  learn::Key length_ = 0;
};

/// Of the lower case of the characters [begin, end).
learn::Key word_hash(const Text& text, std::size_t begin, std::size_t end);

}  // namespace ramify::segmentation
