// Where the numbers of each factor of a group lie in the group's arrays.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "ramify/factors/types.hpp"

namespace ramify::factors {

/// Most slots or parts of a group: positions within it are numbers of 32 bits.
inline constexpr Index kMostOfGroup = std::numeric_limits<std::int32_t>::max();

/// a * b, both at least 0; std::length_error where that is more than a group can have.
Index product(Index a, Index b);

/// Start of each factor's stretch; a uniform group stores one stride instead of an array.
class Offsets {
 public:
  Offsets() = default;
  explicit Offsets(Index stride) : stride_(stride) {}
  explicit Offsets(std::vector<Index> values) : values_(std::move(values)) {}

  Index operator[](Index factor) const {
    return values_.empty() ? stride_ * factor : values_[static_cast<std::size_t>(factor)];
  }
  Index size(Index factor) const { return (*this)[factor + 1] - (*this)[factor]; }
  bool uniform() const { return values_.empty(); }
  Index stride() const { return stride_; }

 private:
  Index stride_ = 0;
  std::vector<Index> values_;
};

/// Four parallel layouts of a group. Slot: a variable of a factor. Coordinate: what messages and marginals have
/// (one per binary slot, k per k-ary one). State: one per state of each slot. Part: the factor's own scores.
class Layout {
 public:
  /// All variables binary.
  Layout(Index num_factors, Offsets slots, Offsets parts);
  /// num_states has one entry per slot.
  Layout(Index num_factors, Offsets slots, Offsets parts, std::vector<std::int32_t> num_states);

  Index num_factors() const { return num_factors_; }
  bool all_binary() const { return num_states_.empty(); }
  const Offsets& slots() const { return slots_; }
  const Offsets& coords() const { return all_binary() ? slots_ : coords_; }
  const Offsets& states() const { return states_; }
  const Offsets& parts() const { return parts_; }

  std::int32_t num_states(Index slot) const { return all_binary() ? 2 : num_states_[static_cast<std::size_t>(slot)]; }
  /// Group-wide position of a slot's first coordinate and first state.
  Index coord_of(Index slot) const { return all_binary() ? slot : coord_of_[static_cast<std::size_t>(slot)]; }
  Index state_of(Index slot) const { return all_binary() ? 2 * slot : state_of_[static_cast<std::size_t>(slot)]; }

 private:
  void check() const;

  Index num_factors_;
  Offsets slots_;
  Offsets parts_;
  Offsets coords_;
  Offsets states_;
  std::vector<std::int32_t> num_states_;
  std::vector<Index> coord_of_;
  std::vector<Index> state_of_;
};

}  // namespace ramify::factors
