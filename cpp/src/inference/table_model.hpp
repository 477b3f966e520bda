// A factor graph as k-ary variables and small tables, for exact search.
#pragma once

#include <optional>
#include <vector>

#include "ramify/inference/dual.hpp"

namespace ramify::inference {

/// A table over some variables; states that it does not tell apart share a class.
struct ModelTable {
  std::vector<std::int32_t> variables;             // increasing
  std::vector<std::vector<std::int32_t>> classes;  // per variable: class of each state
  std::vector<std::int32_t> num_classes;
  std::vector<double> values;  // row by row over the classes
};

/// Binary variables that a factor allows exactly one of become one variable (the arcs into a word: its head). Factors
/// that are too large for a table and carry no scores are side conditions: bounds do without them, candidates are
/// checked.
struct TableModel {
  std::vector<std::vector<double>> unary;  // per variable and state, -inf: forbidden
  std::vector<ModelTable> tables;          // one per pair of variables, any number of larger ones
  bool has_sides = false;

  Index num_variables() const { return static_cast<Index>(unary.size()); }

  /// Nothing where a factor is neither small nor a side condition that merged variables nearly cover.
  static std::optional<TableModel> build(const ScoredGraph& problem);

  /// To the graph's variables and back; the latter is empty where y breaks a merged variable.
  std::vector<std::int32_t> expand(const std::vector<std::int32_t>& states) const;
  std::vector<std::int32_t> restrict_to_model(const std::vector<std::int32_t>& y) const;

  /// True if every side condition allows it.
  bool allows(const std::vector<std::int32_t>& states) const;

 private:
  friend class ModelBuilder;
  /// Where a variable of the graph went: a state of its own variable, or on at one state of a merged one.
  struct Place {
    std::int32_t variable = -1;
    std::int32_t state = -1;  // -1: not merged
  };
  struct Side {
    const graph::PlacedGroup* placed;
    Index factor;
  };
  const FactorGraph* graph_ = nullptr;
  Scores parts_;
  std::vector<Place> places_;
  std::vector<Side> sides_;
  mutable std::vector<std::int32_t> slots_;
};

}  // namespace ramify::inference
