// Candidate arcs of a sentence after pruning, and what a treebank says about tags: lengths of arcs and labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ramify/parsing/tokens.hpp"

namespace ramify::parsing {

/// Arcs ordered by modifier, then head; the arcs into m are [begin[m - 1], begin[m]).
struct Candidates {
  std::int32_t num_words = 0;
  std::vector<std::int32_t> heads;
  std::vector<std::int32_t> modifiers;
  std::vector<std::int32_t> begin;

  std::int32_t size() const { return static_cast<std::int32_t>(heads.size()); }
  std::span<const std::int32_t> heads_of(std::int32_t modifier) const {
    const auto m = static_cast<std::size_t>(modifier);
    return std::span(heads).subspan(static_cast<std::size_t>(begin[m - 1]),
                                    static_cast<std::size_t>(begin[m] - begin[m - 1]));
  }
  /// Index of an arc, or -1.
  std::int32_t find(std::int32_t head, std::int32_t modifier) const;
};

/// What is seen in training about pairs of coarse tags.
class TagPairs {
 public:
  TagPairs() = default;
  TagPairs(std::size_t num_tags, std::size_t num_labels);
  /// What `longest_arcs` and `allowed_labels` gave: longest arcs [head tag][modifier tag][direction], and 1 where a
  /// label was seen [head tag][modifier tag][label], else 0.
  TagPairs(std::size_t num_tags, std::size_t num_labels, std::vector<std::int32_t> longest,
           std::vector<std::uint8_t> allowed);

  void count(const Tokens& tokens, std::span<const std::int32_t> heads, std::span<const std::int32_t> labels);

  std::int32_t longest(std::uint16_t head, std::uint16_t modifier, bool right) const {
    return longest_[pair(head, modifier) * 2 + (right ? 1 : 0)];
  }
  /// Labels that the pair was seen with; where it was not, those of the modifier's tag (of the root); all where that is
  /// unknown.
  std::span<const std::int32_t> labels(std::uint16_t head, std::uint16_t modifier) const {
    return lists_[pair(head, modifier)];
  }

  /// Call once after counting.
  void settle();
  std::size_t num_tags() const { return num_tags_; }
  std::size_t num_labels() const { return num_labels_; }
  const std::vector<std::int32_t>& longest_arcs() const { return longest_; }
  const std::vector<std::uint8_t>& allowed_labels() const { return allowed_; }

 private:
  std::size_t pair(std::uint16_t head, std::uint16_t modifier) const {
    return static_cast<std::size_t>(head) * num_tags_ + modifier;
  }

  std::size_t num_tags_ = 0;
  std::size_t num_labels_ = 0;
  std::vector<std::int32_t> longest_;
  std::vector<std::uint8_t> allowed_;  // 0/1 [head tag][modifier tag][label]
  std::vector<std::vector<std::int32_t>> lists_;
};

}  // namespace ramify::parsing
