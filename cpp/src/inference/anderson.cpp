#include "ramify/inference/anderson.hpp"

#include <cmath>

#include "ramify/numeric/dispatch.hpp"

namespace ramify::inference {

namespace {

// Relative to the trace of the Gram matrix. Less lets rounding choose huge combinations, more slows convergence.
constexpr double kRegularisation = 1e-10;

/// Keeps image and residual, and writes by how much they changed. Returns the squared norm of the residual.
RAMIFY_DISPATCH double record(std::size_t n, const double* point, const double* image, double* last_image,
                              double* last_residual, double* image_change, double* residual_change) {
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  const auto one = [&](std::size_t e, double& sum) __attribute__((always_inline)) {
    const double difference = image[e] - point[e];
    const double residual = difference == difference ? difference : 0.0;
    const double change = image[e] - last_image[e];
    image_change[e] = change == change ? change : 0.0;
    residual_change[e] = residual - last_residual[e];
    last_image[e] = image[e];
    last_residual[e] = residual;
    sum += residual * residual;
  };
  std::size_t e = 0;
  for (; e + 4 <= n; e += 4) {
    for (std::size_t i = 0; i < 4; ++i) one(e + i, sums[i]);
  }
  for (; e < n; ++e) one(e, sums[0]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Inner products of x with two vectors at once, to read it half as often.
RAMIFY_DISPATCH void dot_two(std::size_t n, const double* x, const double* y, const double* z, double* out) {
  double with_y[8] = {};
  double with_z[8] = {};
  std::size_t e = 0;
  for (; e + 8 <= n; e += 8) {
    for (std::size_t i = 0; i < 8; ++i) {
      with_y[i] += x[e + i] * y[e + i];
      with_z[i] += x[e + i] * z[e + i];
    }
  }
  out[0] = out[1] = 0.0;
  for (std::size_t i = 0; i < 8; ++i) {
    out[0] += with_y[i];
    out[1] += with_z[i];
  }
  for (; e < n; ++e) {
    out[0] += x[e] * y[e];
    out[1] += x[e] * z[e];
  }
}

/// out -= a x + b y.
RAMIFY_DISPATCH void subtract_two(std::size_t n, double a, const double* x, double b, const double* y, double* out) {
  for (std::size_t e = 0; e < n; ++e) out[e] -= a * x[e] + b * y[e];
}

/// Inner products of x with the first `count` columns.
void dots(const std::vector<double>& x, const std::vector<std::vector<double>>& columns, std::size_t count,
          double* out) {
  for (std::size_t j = 0; j < count; j += 2) {
    const std::size_t k = std::min(j + 1, count - 1);
    double pair[2];
    dot_two(x.size(), x.data(), columns[j].data(), columns[k].data(), pair);
    out[j] = pair[0];
    out[k] = k > j ? pair[1] : pair[0];
  }
}

}  // namespace

void Anderson::clear() {
  num_columns_ = next_ = 0;
  has_last_ = false;
}

double Anderson::push(factors::Scores point, factors::Scores image) {
  const std::size_t n = point.size();
  if (image_changes_.size() == next_) {
    image_changes_.emplace_back(n);
    residual_changes_.emplace_back(n);
    image_.resize(n);
    residual_.resize(n);
    gram_.resize(memory_ * memory_);
  }
  const double squared = record(n, point.data(), image.data(), image_.data(), residual_.data(),
                                image_changes_[next_].data(), residual_changes_[next_].data());
  if (has_last_) {
    num_columns_ = std::max(num_columns_, next_ + 1);
    std::vector<double> products(num_columns_);
    dots(residual_changes_[next_], residual_changes_, num_columns_, products.data());
    for (std::size_t j = 0; j < num_columns_; ++j) {
      gram_[next_ * memory_ + j] = gram_[j * memory_ + next_] = products[j];
    }
    next_ = (next_ + 1) % memory_;
  }
  has_last_ = true;
  return std::sqrt(squared);
}

bool Anderson::extrapolate(factors::Point out) {
  if (num_columns_ == 0) return false;
  std::vector<double> b(num_columns_);
  dots(residual_, residual_changes_, num_columns_, b.data());
  if (!solve(b)) return false;
  std::copy(image_.begin(), image_.end(), out.begin());
  for (std::size_t j = 0; j < num_columns_; j += 2) {
    const std::size_t k = std::min(j + 1, num_columns_ - 1);
    subtract_two(out.size(), b[j], image_changes_[j].data(), k > j ? b[k] : 0.0, image_changes_[k].data(), out.data());
  }
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
