// Sum-product messages of tables over two variables, the commonest factor of all.
#pragma once

#include "ramify/factors/types.hpp"

namespace ramify::factors {

/// One table of scores, rows for the states of the first variable, and what its two variables said (all states).
struct PairwiseTable {
  const double* scores;
  const double* first;   // num_first scores
  const double* second;  // num_second scores
  Index num_first;
  Index num_second;
};

/// Log-sums of the table over the other variable's states, without the receiver's own scores: to_first, to_second. scratch
/// holds num_first * num_second + num_first + num_second numbers. Returns log Z, or NaN where a sum may have lost
/// digits (infinite or very far apart scores): then to_first and to_second mean nothing.
double pairwise_messages(const PairwiseTable& table, double* to_first, double* to_second, double* scratch);

}  // namespace ramify::factors
