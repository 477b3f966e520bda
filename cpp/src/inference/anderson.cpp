#include "ramify/inference/anderson.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ramify/numeric/dispatch.hpp"

namespace ramify::inference {

namespace {

// Relative to the trace of the Gram matrix. Less lets rounding choose huge combinations, more slows convergence.
constexpr double kRegularisation = 1e-10;
constexpr std::size_t kTile = 4;  // vectors that an inner product reads at once

// Written with vectors, because the compiler may not reorder sums of doubles itself.
using Wide = double __attribute__((vector_size(32)));
constexpr std::size_t kWidth = 4;

// By reference: how vectors are returned depends on the instruction set.
RAMIFY_INLINE void load(const double* x, Wide& out) { std::memcpy(&out, x, sizeof(Wide)); }

RAMIFY_INLINE double total(const Wide& x) { return (x[0] + x[1]) + (x[2] + x[3]); }

/// Inner products of x with four vectors at once, to read it less often.
RAMIFY_DISPATCH void dot_four(std::size_t n, const double* x, const double* const* y, double* out) {
  Wide sums[kTile] = {};
  const double *y0 = y[0], *y1 = y[1], *y2 = y[2], *y3 = y[3];
  std::size_t e = 0;
  for (; e + kWidth <= n; e += kWidth) {
    Wide here, there;
    load(x + e, here);
    load(y0 + e, there), sums[0] += here * there;
    load(y1 + e, there), sums[1] += here * there;
    load(y2 + e, there), sums[2] += here * there;
    load(y3 + e, there), sums[3] += here * there;
  }
  for (std::size_t j = 0; j < kTile; ++j) out[j] = total(sums[j]);
  for (; e < n; ++e) {
    for (std::size_t j = 0; j < kTile; ++j) out[j] += x[e] * y[j][e];
  }
}

/// change = x - last, move = x. Returns the squared norm of x.
RAMIFY_DISPATCH double record(std::size_t n, const double* x, const double* last, double* change, double* move) {
  Wide sum = {};
  std::size_t e = 0;
  for (; e + kWidth <= n; e += kWidth) {
    Wide here, before;
    load(x + e, here);
    load(last + e, before);
    const Wide difference = here - before;
    std::memcpy(change + e, &difference, sizeof(Wide));
    std::memcpy(move + e, &here, sizeof(Wide));
    sum += here * here;
  }
  double squared = total(sum);
  for (; e < n; ++e) {
    change[e] = x[e] - last[e];
    move[e] = x[e];
    squared += x[e] * x[e];
  }
  return squared;
}

/// out -= a x + b y.
RAMIFY_DISPATCH void subtract_two(std::size_t n, double a, const double* x, double b, const double* y, double* out) {
  for (std::size_t e = 0; e < n; ++e) out[e] -= a * x[e] + b * y[e];
}

/// Inner products of x with the first `count` columns.
void dots(const std::vector<double>& x, const std::vector<std::vector<double>>& columns, std::size_t count,
          double* out) {
  for (std::size_t j = 0; j < count; j += kTile) {
    const double* tile[kTile];
    double products[kTile];
    for (std::size_t i = 0; i < kTile; ++i) tile[i] = columns[std::min(j + i, count - 1)].data();
    dot_four(x.size(), x.data(), tile, products);
    std::copy_n(products, std::min(kTile, count - j), out + j);
  }
}

}  // namespace

void Anderson::clear() {
  num_columns_ = next_ = 0;
  has_last_ = jumped_ = false;
}

double Anderson::push() {
  const std::size_t n = residual_.size();
  last_.resize(n);
  if (changes_.size() == next_) {
    changes_.emplace_back(n);
    moves_.emplace_back(n);
    gram_.resize(memory_ * memory_);
  }
  const double squared = record(n, residual_.data(), last_.data(), changes_[next_].data(), moves_[next_].data());
  if (has_last_) {
    num_columns_ = std::max(num_columns_, next_ + 1);
    std::vector<double> products(num_columns_);
    dots(changes_[next_], changes_, num_columns_, products.data());
    for (std::size_t j = 0; j < num_columns_; ++j) {
      gram_[next_ * memory_ + j] = gram_[j * memory_ + next_] = products[j];
    }
    if (jumped_) subtract_two(n, -1.0, jump_.data(), 0.0, jump_.data(), moves_[next_].data());
    next_ = (next_ + 1) % memory_;
  }
  std::swap(last_, residual_);
  residual_.resize(n);
  has_last_ = true;
  jumped_ = false;
  return std::sqrt(squared);
}

bool Anderson::extrapolate(factors::Point image) {
  if (num_columns_ == 0) return false;
  std::vector<double> b(num_columns_);
  dots(last_, changes_, num_columns_, b.data());
  if (!solve(b)) return false;
  jump_.assign(image.size(), 0.0);
  jumped_ = true;
  for (std::size_t j = 0; j < num_columns_; j += 2) {
    const std::size_t k = std::min(j + 1, num_columns_ - 1);
    subtract_two(image.size(), b[j], moves_[j].data(), k > j ? b[k] : 0.0, moves_[k].data(), jump_.data());
  }
  subtract_two(image.size(), -1.0, jump_.data(), 0.0, jump_.data(), image.data());
  return true;
}

// Cholesky decomposition of the regularised Gram matrix.
bool Anderson::solve(std::vector<double>& b) const {
  const std::size_t n = b.size();
  double trace = 0.0;
  for (std::size_t i = 0; i < n; ++i) trace += gram_[i * memory_ + i];
  std::vector<double> lower(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double x = gram_[i * memory_ + j] + (i == j ? kRegularisation * trace : 0.0);
      for (std::size_t k = 0; k < j; ++k) x -= lower[i * n + k] * lower[j * n + k];
      if (i == j && !(x > 0.0)) return false;
      lower[i * n + j] = i == j ? std::sqrt(x) : x / lower[j * n + j];
    }
    for (std::size_t k = 0; k < i; ++k) b[i] -= lower[i * n + k] * b[k];
    b[i] /= lower[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= lower[k * n + i] * b[k];
    b[i] /= lower[i * n + i];
  }
  return true;
}

}  // namespace ramify::inference
