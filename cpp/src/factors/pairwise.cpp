#include "ramify/factors/pairwise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ramify/numeric/dispatch.hpp"
#include "ramify/numeric/exp.hpp"

namespace ramify::factors {
namespace {

constexpr double kSmall = 1e-250;

RAMIFY_INLINE double largest(const double* x, Index n) {
  double high = x[0];
  for (Index i = 1; i < n; ++i) high = x[i] > high ? x[i] : high;
  return high;
}

RAMIFY_INLINE double shifted_exp(const double* x, Index n, double* out) {
  const double high = largest(x, n);
  for (Index i = 0; i < n; ++i) out[i] = numeric::fast_exp(x[i] - high);
  return high;
}

}  // namespace

RAMIFY_DISPATCH
double pairwise_messages(const PairwiseTable& t, double* to_first, double* to_second, double* scratch) {
  const Index n = t.num_first;
  const Index k = t.num_second;
  double* cells = scratch;
  double* first = cells + n * k;
  double* second = first + n;
  const double base = shifted_exp(t.scores, n * k, cells) + shifted_exp(t.first, n, first) +
                      shifted_exp(t.second, k, second);
  if (!std::isfinite(base)) return std::numeric_limits<double>::quiet_NaN();
  for (Index b = 0; b < k; ++b) to_second[b] = 0.0;
  double total = 0.0;
  double least = 1.0;
  for (Index a = 0; a < n; ++a) {
    const double* row = cells + a * k;
    double sum = 0.0;
    for (Index b = 0; b < k; ++b) sum += row[b] * second[b];
    for (Index b = 0; b < k; ++b) to_second[b] += row[b] * first[a];
    to_first[a] = sum;
    total += sum * first[a];
    least = std::min(least, sum);
  }
  for (Index b = 0; b < k; ++b) least = std::min(least, to_second[b]);
  if (!(std::min(least, total) > kSmall)) return std::numeric_limits<double>::quiet_NaN();
  for (Index a = 0; a < n; ++a) to_first[a] = std::log(to_first[a]);
  for (Index b = 0; b < k; ++b) to_second[b] = std::log(to_second[b]);
  return base + std::log(total);
}

}  // namespace ramify::factors
