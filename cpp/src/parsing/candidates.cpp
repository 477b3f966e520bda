#include "ramify/parsing/candidates.hpp"

#include <algorithm>
#include <cstdlib>

namespace ramify::parsing {

std::int32_t Candidates::find(std::int32_t head, std::int32_t modifier) const {
  const std::span<const std::int32_t> mine = heads_of(modifier);
  const auto it = std::ranges::lower_bound(mine, head);
  if (it == mine.end() || *it != head) return -1;
  return begin[static_cast<std::size_t>(modifier) - 1] + static_cast<std::int32_t>(it - mine.begin());
}

TagPairs::TagPairs(std::size_t num_tags, std::size_t num_labels)
    : num_tags_(num_tags),
      num_labels_(num_labels),
      longest_(num_tags * num_tags * 2, 0),
      allowed_(num_tags * num_tags * num_labels, 0) {}

TagPairs::TagPairs(std::size_t num_tags, std::size_t num_labels, std::vector<std::int32_t> longest,
                   std::vector<std::uint8_t> allowed)
    : num_tags_(num_tags), num_labels_(num_labels), longest_(std::move(longest)), allowed_(std::move(allowed)) {
  settle();
}

void TagPairs::count(const Tokens& tokens, std::span<const std::int32_t> heads, std::span<const std::int32_t> labels) {
  for (std::int32_t m = 1; m <= tokens.num_words; ++m) {
    const std::int32_t h = heads[static_cast<std::size_t>(m)];
    if (h < 0) continue;
    const std::size_t p = pair(tokens.tags[static_cast<std::size_t>(h)], tokens.tags[static_cast<std::size_t>(m)]);
    std::int32_t& longest = longest_[p * 2 + (h < m ? 1 : 0)];
    longest = std::max(longest, std::abs(h - m));
    allowed_[p * num_labels_ + static_cast<std::size_t>(labels[static_cast<std::size_t>(m)])] = 1;
  }
}

void TagPairs::settle() {
  std::vector<std::vector<std::int32_t>> by_modifier(num_tags_);
  std::vector<std::int32_t> all(num_labels_);
  for (std::size_t l = 0; l < num_labels_; ++l) all[l] = static_cast<std::int32_t>(l);
  for (std::size_t m = 0; m < num_tags_; ++m) {
    for (std::size_t l = 0; l < num_labels_; ++l) {
      bool seen = false;
      for (std::size_t h = 0; h < num_tags_; ++h) seen |= allowed_[(h * num_tags_ + m) * num_labels_ + l] != 0;
      if (seen) by_modifier[m].push_back(static_cast<std::int32_t>(l));
    }
    if (by_modifier[m].empty()) by_modifier[m] = all;
  }
  std::vector<std::int32_t> root_labels;
  for (std::size_t l = 0; l < num_labels_; ++l) {
    bool seen = false;
    for (std::size_t m = 0; m < num_tags_; ++m) {
      seen |= allowed_[(Vocabulary::kRootTag * num_tags_ + m) * num_labels_ + l] != 0;
    }
    if (seen) root_labels.push_back(static_cast<std::int32_t>(l));
  }
  lists_.assign(num_tags_ * num_tags_, {});
  for (std::size_t p = 0; p < lists_.size(); ++p) {
    for (std::size_t l = 0; l < num_labels_; ++l) {
      if (allowed_[p * num_labels_ + l] != 0) lists_[p].push_back(static_cast<std::int32_t>(l));
    }
    if (!lists_[p].empty()) continue;
    // What hangs from the root is labelled like nothing else.
    lists_[p] =
        p / num_tags_ == Vocabulary::kRootTag && !root_labels.empty() ? root_labels : by_modifier[p % num_tags_];
  }
}

}  // namespace ramify::parsing
