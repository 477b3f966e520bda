// The rows of a factor's polytope, for linear and integer programs.
#pragma once

#include <vector>

#include "ramify/factors/types.hpp"

namespace ramify::factors {

/// Columns: one indicator per binary variable (its state 1) or k per k-ary one, then the factor's own parts, then
/// auxiliary variables. All columns lie in [0, 1] except auxiliaries, which lie in [0, aux_upper].
struct Constraints {
  Index num_coords = 0;
  Index num_parts = 0;
  Index num_auxiliaries = 0;
  double aux_upper = 1.0;
  bool exact = true;  // the projection of the rows on coordinates and parts is the convex hull
  std::vector<Index> rows;
  std::vector<Index> columns;
  std::vector<double> values;
  std::vector<double> lower;
  std::vector<double> upper;

  Index num_rows() const { return static_cast<Index>(lower.size()); }

  Index add_row(double low, double high) {
    lower.push_back(low);
    upper.push_back(high);
    return num_rows() - 1;
  }
  void add(Index row, Index column, double value) {
    rows.push_back(row);
    columns.push_back(column);
    values.push_back(value);
  }
  Index add_auxiliary() { return num_coords + num_parts + num_auxiliaries++; }
};

}  // namespace ramify::factors
