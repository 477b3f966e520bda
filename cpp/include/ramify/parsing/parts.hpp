// Parts of a tree by their words, and which kinds of them a model has.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ramify/parsing/kinds/registry.hpp"

namespace ramify::parsing {

inline constexpr std::size_t kMaxRoles = 4;

/// The words of a part, in the order of its kind's roles; what the kind calls `extra` comes fourth.
using Roles = std::array<std::int32_t, kMaxRoles>;

/// A part by its words, so that trees can be compared part by part.
struct Part {
  PartKind kind;
  std::int32_t label;  // of kLabel, else 0
  Roles roles;
  auto operator<=>(const Part&) const = default;
};

/// Parts with how often they count.
using WeightedParts = std::vector<std::pair<Part, double>>;

/// Of something, with respect to the scores of candidate arcs and of parts.
struct ScoreGradients {
  std::vector<double> arcs;
  WeightedParts parts;
};

/// The kinds of parts that a model scores, in the order of the registry.
class PartChoice {
 public:
  /// Names of kinds beyond labelled arcs, which every model has. Throws std::invalid_argument for any other name.
  explicit PartChoice(std::span<const std::string> names);

  std::span<const PartKind> all() const { return all_; }
  std::span<const PartKind> chosen() const { return std::span(all_).subspan(num_always_); }

 private:
  std::vector<PartKind> all_;  // those of every model first
  std::size_t num_always_ = 0;
};

/// heads[1..n], labels[1..n]; parts in no particular order.
std::vector<Part> parts_of_tree(const PartChoice& choice, std::span<const std::int32_t> heads,
                                std::span<const std::int32_t> labels);

}  // namespace ramify::parsing
