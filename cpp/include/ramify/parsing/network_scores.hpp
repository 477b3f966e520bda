// Scores of the parts of one sentence as a network gives them, beside those of features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ramify/neural/network.hpp"
#include "ramify/parsing/parts.hpp"

namespace ramify::parsing {

/// A network and what it said of one sentence. Both must outlive it.
class NetworkScores {
 public:
  NetworkScores(const neural::Network& network, const neural::Output& output) : network_(network), output_(output) {}

  /// Kinds of parts that a network can score, besides arcs and labels.
  static bool can_score(PartKind kind) { return kind == PartKind::kAnySibling || kind == PartKind::kGrand; }

  double arc(std::int32_t head, std::int32_t modifier) const;
  /// Of an arc, of any two modifiers of a head, or of a grandparent.
  double score(PartKind kind, const Roles& roles) const;
  /// Logarithms of the probabilities of all labels, for each of these arcs: [arc][label].
  std::vector<float> labels(std::span<const std::int32_t> heads, std::span<const std::int32_t> modifiers) const;
  double label(const Part& part) const;

 private:
  const neural::Network& network_;
  const neural::Output& output_;
};

}  // namespace ramify::parsing
