// Good assignments by changing few variables at a time.
#pragma once

#include <vector>

#include "ramify/numeric/random.hpp"
#include "table_model.hpp"

namespace ramify::inference {

class LocalSearch {
 public:
  explicit LocalSearch(const TableModel& model);

  /// -inf where a table or a side condition forbids it.
  double value_of(const std::vector<std::int32_t>& states) const;

  /// Changes one variable after the other while that raises the value (iterated conditional modes). The states must be
  /// allowed; returns what was gained.
  double climb(std::vector<std::int32_t>& states) const;

  /// Disturbs a few neighbouring variables, climbs, and keeps what is better. Returns the value reached.
  double improve(std::vector<std::int32_t>& states, double value, Index rounds, numeric::Random& random) const;

 private:
  struct Use {
    std::int32_t table;
    std::int32_t axis;
  };
  void score_states(const std::vector<std::int32_t>& states, Index v, std::vector<double>& out) const;
  double climb_from(std::vector<std::int32_t>& states, std::vector<std::int32_t> queue) const;
  double disturb(std::vector<std::int32_t>& states, std::vector<std::int32_t>& block, numeric::Random& random) const;

  const TableModel& model_;
  std::vector<std::vector<Use>> uses_;
  std::vector<std::vector<std::int32_t>> strides_;
  std::vector<std::vector<std::int32_t>> neighbours_;
};

}  // namespace ramify::inference
