// All factors' polytopes as one system of rows, for a linear or integer program.
#pragma once

#include <cstdint>
#include <vector>

#include "ramify/factors/constraints.hpp"
#include "ramify/graph/factor_graph.hpp"

namespace ramify::inference {

/// Columns: coordinates of variables, parts, auxiliaries. Rows are compressed, first one that says that the states of
/// each k-ary variable sum to one, then factor after factor.
struct ProgramRows {
  std::vector<std::int32_t> starts;  // one more than rows
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<double> auxiliary_upper;
  std::vector<std::int32_t> factor_rows;  // first row of each factor; one more than factors
};

/// Rows that replace a group's own, one set per factor; empty where the group's own are wanted.
using GroupRows = std::vector<const factors::Constraints*>;

/// replacements: one per group.
ProgramRows program_rows(const graph::FactorGraph& graph, const std::vector<GroupRows>& replacements);

}  // namespace ramify::inference
