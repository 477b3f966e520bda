// Sum-product messages of tables over two variables, the commonest factor of all.
#pragma once

#include "ramify/factors/types.hpp"

namespace ramify::factors {

/// Tables of one shape, one after the other; so that exponentials and logarithms of a block are one loop each.
struct PairwiseBlock {
  const double* scores;  // per table num_first * num_second, rows for the states of the first variable
  const double* states;  // per table num_first + num_second: what its variables said about their states
  Index count;
  Index num_first;
  Index num_second;
};

/// sums, per table num_first + num_second: log-sums over the other variable's states, without the receiver's own
/// scores, up to a constant per variable. log_z, per table: NaN where a sum may have lost digits (infinite or very far
/// apart scores), and then its sums mean nothing. scratch holds as many numbers as scores and states together.
void pairwise_messages(const PairwiseBlock& block, double* sums, double* log_z, double* scratch);

}  // namespace ramify::factors
