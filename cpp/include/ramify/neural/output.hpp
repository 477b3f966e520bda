// The scores that a network computes for a sentence.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace ramify::neural {

/// Vectors of t tokens, one after the other.
struct Vectors {
  std::size_t width = 0;
  std::vector<float> values;

  std::span<const float> of(std::size_t token) const { return {values.data() + token * width, width}; }
};

/// A sentence has num_tokens = n + 1 tokens; the root is token 0.
struct Output {
  std::size_t num_tokens = 0;
  /// Score of the arc from h to m at h · num_tokens + m. Entries on the diagonal and for arcs into the root are unused.
  std::vector<float> arcs;
  /// Network::label_scores reads them.
  Vectors label_heads, label_modifiers;
  /// Vectors of siblings: the head and its modifiers, which share one role. The width is 0 if siblings are not scored.
  Vectors head, modifier;
  /// Vectors of grandparents: the grandparent, its modifier in the middle, and the modifier of that one.
  Vectors grandparent, middle, low;
  /// Scores of upos, xpos and feats. The width is 0 if the network predicts no tags.
  std::array<Vectors, 3> tags;

  float arc(std::size_t h, std::size_t m) const { return arcs[h * num_tokens + m]; }
  /// Returns the score of two modifiers of h, in any order.
  float sibling(std::size_t h, std::size_t m, std::size_t s) const;
  /// Returns the score of the arcs from g to h and from h to m together.
  float grandparent_score(std::size_t g, std::size_t h, std::size_t m) const;
};

}  // namespace ramify::neural
