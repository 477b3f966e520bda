#include "chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ramify/numeric/dispatch.hpp"
#include "ramify/numeric/exp.hpp"
#include "ramify/numeric/forbidden.hpp"

namespace ramify::trees {
namespace {

using numeric::kForbidden;

/// top[m] = max over heads from `first_head` on of scores[h][m]; the diagonal is stepped over. Words from 1.
RAMIFY_DISPATCH void column_maxima(const double* scores, int size, int first_head, double* top) {
  for (int m = 0; m < size; ++m) top[m] = kForbidden;
  for (int h = first_head; h < size; ++h) {
    const double* row = scores + static_cast<std::ptrdiff_t>(h) * size;
    for (int m = 0; m < h; ++m) top[m] = row[m] > top[m] ? row[m] : top[m];
    for (int m = h + 1; m < size; ++m) top[m] = row[m] > top[m] ? row[m] : top[m];
  }
}

/// data[h][m - 1] = e^{score - top[m]} for h >= first_head, and their sums over h.
RAMIFY_DISPATCH void exponentiate(const double* scores, int size, int first_head, const double* top, double* data,
                                  std::ptrdiff_t stride, double* sums) {
  for (int m = 0; m < size - 1; ++m) sums[m] = 0.0;
  for (int h = first_head; h < size; ++h) {
    const double* row = scores + static_cast<std::ptrdiff_t>(h) * size + 1;
    double* column = data + h * stride;
    for (int m = 0; m < size - 1; ++m) column[m] = numeric::fast_exp(row[m] - top[m + 1]);
    if (h > 0) column[h - 1] = 0.0;
    for (int m = 0; m < size - 1; ++m) sums[m] += column[m];
  }
}

RAMIFY_DISPATCH void scale_rows(double* data, std::ptrdiff_t stride, int first, int size, double* sums) {
  for (int m = 0; m < size - 1; ++m) sums[m] = 1.0 / sums[m];
  for (int h = first; h < size; ++h) {
    double* column = data + h * stride;
    for (int m = 0; m < size - 1; ++m) column[m] *= sums[m];
  }
}

/// The root column of a single-root chain, scaled so that its largest entry is 1.
bool scale_root(const double* scores, Chain<double>& chain) {
  const auto& scale = chain.row_log_scale;
  double top = kForbidden;
  for (int m = 1; m <= chain.num_words; ++m) top = std::max(top, scores[m] - scale[static_cast<std::size_t>(m - 1)]);
  if (top == kForbidden) return false;
  for (int m = 1; m <= chain.num_words; ++m) {
    chain.weight(0, m) = numeric::fast_exp(scores[m] - scale[static_cast<std::size_t>(m - 1)] - top);
  }
  chain.root_log_scale = top;
  return true;
}

/// Root arcs must lose so many bits that trees with two are below the last digit of those with one.
void weaken_root(const double* scores, int num_words, Chain<Extended>& chain) {
  double low = -kForbidden;
  double high = kForbidden;
  for (int h = 0; h <= num_words; ++h) {
    for (int m = 1; m <= num_words; ++m) {
      const double score = scores[static_cast<std::ptrdiff_t>(h) * (num_words + 1) + m];
      if (h == m || score == kForbidden) continue;
      low = std::min(low, score);
      high = std::max(high, score);
    }
  }
  if (high == kForbidden) return;
  const double range = high - low;
  const double bits = 2.0 * (num_words + 1) * (1.4427 * range + std::log2(num_words + 1.0));
  chain.root_shift = 4096 + static_cast<std::int64_t>(bits);  // so that they underflow to zero as doubles too
  chain.lowest_score = low;
  chain.lowest_exponent = static_cast<std::int64_t>(1.4426950408889634 * num_words * low) - 64;
}

}  // namespace

bool build(const double* scores, int num_words, bool single_root, Chain<double>& chain) {
  chain.resize(num_words);
  chain.root_is_small = single_root;
  const int first = single_root ? 1 : 0;
  const int size = num_words + 1;
  std::vector<double> top(static_cast<std::size_t>(size));
  std::vector<double> sums(static_cast<std::size_t>(size));
  column_maxima(scores, size, first, top.data());
  for (int m = 1; m <= num_words; ++m) {
    double& best = top[static_cast<std::size_t>(m)];
    if (best != kForbidden) continue;
    if (!single_root || scores[m] == kForbidden) return false;
    best = 0.0;  // only the root can be its head: there is nothing to scale
  }
  exponentiate(scores, size, first, top.data(), chain.data.data(), chain.stride, sums.data());
  for (int m = 0; m < num_words; ++m) {
    const auto i = static_cast<std::size_t>(m);
    if (sums[i] == 0.0) sums[i] = 1.0;
    chain.row_log_scale[i] = top[i + 1] + std::log(sums[i]);
    chain.log_scale += chain.row_log_scale[i];
  }
  scale_rows(chain.data.data(), chain.stride, first, size, sums.data());
  if (single_root && !scale_root(scores, chain)) return false;
  chain.log_scale += chain.root_log_scale;
  return true;
}

void build(const double* scores, int num_words, bool single_root, Chain<Extended>& chain) {
  chain.resize(num_words);
  chain.root_is_small = false;
  if (single_root) weaken_root(scores, num_words, chain);
  for (int h = 0; h <= num_words; ++h) {
    for (int m = 1; m <= num_words; ++m) {
      if (h == m) continue;
      const Extended weight = Extended::exp(scores[static_cast<std::ptrdiff_t>(h) * (num_words + 1) + m]);
      chain.weight(h, m) = h == 0 ? weight.shifted(-chain.root_shift) : weight;
    }
  }
  chain.root_log_scale = static_cast<double>(chain.root_shift) * 0.6931471805599453;
}

bool build(const double* scores, const double* direction, int num_words, bool single_root, Chain<double>& plain,
           Chain<Dual<double>>& chain) {
  if (!build(scores, num_words, single_root, plain)) return false;
  chain.resize(num_words);
  chain.root_is_small = plain.root_is_small;
  const auto along = [&](int h, int m) { return direction[static_cast<std::ptrdiff_t>(h) * (num_words + 1) + m]; };
  for (int m = 1; m <= num_words; ++m) {
    double mean = 0.0;  // the scale of the row moves by the mean of the direction
    for (int h = single_root ? 1 : 0; h <= num_words; ++h) {
      if (plain.weight(h, m) > 0.0) mean += plain.weight(h, m) * along(h, m);
    }
    for (int h = 0; h <= num_words; ++h) {
      const double weight = plain.weight(h, m);
      chain.weight(h, m) = {weight, weight > 0.0 ? weight * (along(h, m) - mean) : 0.0};
    }
  }
  return true;
}

void build(const double* scores, const double* direction, int num_words, bool single_root, Chain<Extended>& plain,
           Chain<Dual<Extended>>& chain) {
  build(scores, num_words, single_root, plain);
  chain.resize(num_words);
  chain.root_is_small = plain.root_is_small;
  for (int h = 0; h <= num_words; ++h) {
    for (int m = 1; m <= num_words; ++m) {
      const Extended& weight = plain.weight(h, m);
      if (weight.is_zero()) continue;
      const double along = direction[static_cast<std::ptrdiff_t>(h) * (num_words + 1) + m];
      chain.weight(h, m) = {weight, weight * Extended(along)};
    }
  }
}

}  // namespace ramify::trees
