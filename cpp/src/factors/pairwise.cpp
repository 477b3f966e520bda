#include "ramify/factors/pairwise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ramify/numeric/dispatch.hpp"
#include "ramify/numeric/exp.hpp"
#include "ramify/numeric/log.hpp"

namespace ramify::factors {
namespace {

constexpr double kSmall = 1e-250;

/// Four maxima at once: one alone would wait for itself at every step.
RAMIFY_INLINE double largest(const double* x, Index n) {
  double high[4] = {x[0], x[0], x[0], x[0]};
  Index i = 0;
  for (; i + 4 <= n; i += 4) {
    for (Index j = 0; j < 4; ++j) high[j] = x[i + j] > high[j] ? x[i + j] : high[j];
  }
  for (; i < n; ++i) high[0] = x[i] > high[0] ? x[i] : high[0];
  return std::max(std::max(high[0], high[1]), std::max(high[2], high[3]));
}

/// out = x - max x; returns the maximum.
RAMIFY_INLINE double shift(const double* x, Index n, double* out) {
  const double high = largest(x, n);
  for (Index i = 0; i < n; ++i) out[i] = x[i] - high;
  return high;
}

/// One table's sums over rows and columns; returns the sum over all, or 0 where some sum is too small.
RAMIFY_INLINE double multiply(const double* cells, const double* masses, Index n, Index k, double* sums) {
  double* columns = sums + n;
  for (Index b = 0; b < k; ++b) columns[b] = 0.0;
  double total = 0.0;
  double least = 1.0;
  for (Index a = 0; a < n; ++a) {
    const double* row = cells + a * k;
    double sum = 0.0;
    for (Index b = 0; b < k; ++b) sum += row[b] * masses[n + b];
    for (Index b = 0; b < k; ++b) columns[b] += row[b] * masses[a];
    sums[a] = sum;
    total += sum * masses[a];
    least = std::min(least, sum);
  }
  for (Index b = 0; b < k; ++b) least = std::min(least, columns[b]);
  return least > kSmall && total > kSmall ? total : 0.0;
}

}  // namespace

RAMIFY_DISPATCH
void pairwise_messages(const PairwiseBlock& block, double* sums, double* log_z, double* scratch) {
  const Index n = block.num_first;
  const Index k = block.num_second;
  double* cells = scratch;
  double* masses = cells + block.count * n * k;
  for (Index f = 0; f < block.count; ++f) {
    const double* states = block.states + f * (n + k);
    log_z[f] = shift(block.scores + f * n * k, n * k, cells + f * n * k);
    log_z[f] += shift(states, n, masses + f * (n + k));
    log_z[f] += shift(states + n, k, masses + f * (n + k) + n);
  }
  const Index size = block.count * (n * k + n + k);
  for (Index i = 0; i < size; ++i) scratch[i] = numeric::fast_exp(scratch[i]);
  for (Index f = 0; f < block.count; ++f) {
    const double total = multiply(cells + f * n * k, masses + f * (n + k), n, k, sums + f * (n + k));
    const bool good = std::isfinite(log_z[f]) && total > 0.0;
    log_z[f] = good ? log_z[f] + std::log(total) : std::numeric_limits<double>::quiet_NaN();
    if (!good) std::fill_n(sums + f * (n + k), n + k, 1.0);
  }
  for (Index i = 0; i < block.count * (n + k); ++i) sums[i] = numeric::fast_log(sums[i]);
}

}  // namespace ramify::factors
