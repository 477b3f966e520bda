#include "ramify/segmentation/multiword.hpp"

#include <algorithm>

#include "ramify/segmentation/text.hpp"

namespace ramify::segmentation {
namespace {

learn::Key extend(learn::Key hash, char32_t c) { return (hash ^ c) * 0x100000001b3ULL + 1; }

bool is_upper(char32_t c) { return lower_case(c) != c; }

/// What endings are looked up by: lower case, and one apostrophe for both.
char32_t plain(char32_t c) { return c == U'\u2019' ? U'\'' : lower_case(c); }

enum class Case : std::uint8_t { kLower, kCapital, kUpper };

Case case_of(std::u32string_view token) {
  if (!is_upper(token.front())) return Case::kLower;
  const auto uppers = std::ranges::count_if(token, is_upper);
  const auto cased = std::ranges::count_if(token, [](char32_t c) { return is_upper(c) || upper_case(c) != c; });
  return cased > 1 && uppers == cased ? Case::kUpper : Case::kCapital;
}

}  // namespace

void MultiwordRules::add(std::u32string_view ending, SplitRule rule) {
  learn::Key hash = 0;
  for (std::size_t i = ending.size(); i-- > 0;) hash = extend(hash, ending[i]);
  rules_[hash] = std::move(rule);
  longest_ = std::max(longest_, ending.size());
}

const SplitRule* MultiwordRules::find(std::u32string_view token) const {
  const SplitRule* best = nullptr;
  learn::Key hash = 0;
  const auto look_up = [&](learn::Key key) {
    const auto found = rules_.find(key);
    if (found != rules_.end()) best = &found->second;
  };
  for (std::size_t k = 1; k <= std::min(token.size(), longest_); ++k) {
    hash = extend(hash, plain(token[token.size() - k]));
    look_up(hash);
    if (k == token.size()) look_up(extend(hash, kWholeToken));
  }
  return best;
}

std::vector<std::string> MultiwordRules::split(std::u32string_view token) const {
  const SplitRule* rule = rules_.empty() ? nullptr : find(token);
  std::vector<std::string> words;
  if (rule == nullptr) return words;
  const Case form = case_of(token);
  for (std::size_t w = 0; w < rule->size(); ++w) {
    const WordRule& word = (*rule)[w];
    const std::size_t begin = w == 0 ? 0 : token.size() - std::min<std::size_t>(word.begin, token.size());
    const std::size_t end = token.size() - std::min<std::size_t>(word.end, token.size());
    std::string out;
    for (std::size_t i = begin; i < end; ++i) append_utf8(out, token[i]);
    for (std::size_t i = 0; i < word.letters.size(); ++i) {
      const bool raise = form == Case::kUpper || (form == Case::kCapital && w == 0 && end <= begin && i == 0);
      append_utf8(out, raise ? upper_case(word.letters[i]) : word.letters[i]);
    }
    if (out.empty()) return {};  // the token is shorter than the rule wants
    words.push_back(std::move(out));
  }
  return words;
}

}  // namespace ramify::segmentation
