// Multiword tokens: which surface tokens stand for several words, and for which.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ramify/learn/feature_hash.hpp"

namespace ramify::segmentation {

/// A word as a piece of its token, counted from the token's end, followed by letters of its own: in "al", Spanish "a
/// el", the second word is the piece [0, 0) and "el". The first word's piece begins where the token does.
struct WordRule {
  std::uint32_t begin;
  std::uint32_t end;
  std::u32string letters;
};

/// The words of a token; none: the token is a word.
using SplitRule = std::vector<WordRule>;

/// A decision list over endings: the longest known one decides. Endings are in lower case; one that starts with
/// kWholeToken is a token as a whole.
class MultiwordRules {
 public:
  static constexpr char32_t kWholeToken = U'\n';  // no token holds it

  void add(std::u32string_view ending, SplitRule rule);
  bool empty() const { return rules_.empty(); }
  /// Words in UTF-8, empty if the token stands for itself.
  std::vector<std::string> split(std::u32string_view token) const;

 private:
  const SplitRule* find(std::u32string_view token) const;

  std::unordered_map<learn::Key, SplitRule> rules_;
  std::size_t longest_ = 0;
};

}  // namespace ramify::segmentation
