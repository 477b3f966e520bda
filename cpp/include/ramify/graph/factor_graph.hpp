// Variables, groups of factors over them, and the arrays that connect the two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ramify/factors/factor_group.hpp"
#include "ramify/numeric/serial.hpp"

namespace ramify::graph {

using factors::FactorGroup;
using factors::Index;

/// A group and where its stretch of the graph-wide arrays begins.
struct PlacedGroup {
  const FactorGroup* group;  // owned by the caller, alive as long as the graph
  Index factor_begin;
  Index edge_begin;  // an edge is a coordinate of a slot: messages live on edges
  Index part_begin;
  Index slot_begin;
};

/// Immutable. Four graph-wide layouts: coordinates of variables (one per binary variable, k per k-ary one), edges
/// (coordinates of the factors' slots, group after group), slots and parts.
class FactorGraph {
 public:
  /// variables[g] holds the variable of every slot of groups[g]; numbers of states must agree.
  FactorGraph(std::vector<std::int32_t> num_states, std::vector<const FactorGroup*> groups,
              const std::vector<std::span<const std::int64_t>>& variables);

  Index num_variables() const { return static_cast<Index>(num_states_.size()); }
  Index num_coords() const { return coord_of_.back(); }
  Index num_edges() const { return static_cast<Index>(edge_coord_.size()); }
  Index num_factors() const { return num_factors_; }
  Index num_parts() const { return num_parts_; }
  Index num_slots() const { return static_cast<Index>(slot_variable_.size()); }

  std::int32_t num_states(Index variable) const { return num_states_[static_cast<std::size_t>(variable)]; }
  Index coord_of(Index variable) const { return coord_of_[static_cast<std::size_t>(variable)]; }
  Index width(Index variable) const { return num_states(variable) == 2 ? 1 : num_states(variable); }

  std::span<const PlacedGroup> groups() const { return groups_; }

  /// Of this graph alone: a warm start remembers whose it is.
  std::uint64_t serial() const { return serial_; }

  /// Variable coordinate of every edge, variable of every slot.
  std::span<const std::int32_t> edge_coord() const { return edge_coord_; }
  std::span<const std::int32_t> slot_variable() const { return slot_variable_; }

  /// Edges of a variable coordinate, in increasing order.
  std::span<const std::int32_t> edges_of(Index coord) const {
    const auto c = static_cast<std::size_t>(coord);
    return std::span(coord_edges_)
        .subspan(static_cast<std::size_t>(edges_begin_[c]),
                 static_cast<std::size_t>(edges_begin_[c + 1] - edges_begin_[c]));
  }

 private:
  void place(const std::vector<std::span<const std::int64_t>>& variables);
  void connect();

  std::vector<std::int32_t> num_states_;
  std::vector<Index> coord_of_;  // one more than variables
  std::vector<PlacedGroup> groups_;
  Index num_factors_ = 0;
  Index num_parts_ = 0;
  std::vector<std::int32_t> slot_variable_;
  std::vector<std::int32_t> edge_coord_;
  std::vector<std::int32_t> edges_begin_;
  std::vector<std::int32_t> coord_edges_;
  std::uint64_t serial_ = numeric::next_serial();
};

/// Objective of an assignment: unary scores of the states taken plus every factor's score; -inf if one forbids it.
double score(const FactorGraph& graph, factors::Scores unary, factors::Scores parts, factors::Assignment y);

}  // namespace ramify::graph
