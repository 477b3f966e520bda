#include "ramify/trees/eisner.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "ramify/numeric/dispatch.hpp"
#include "ramify/numeric/exp.hpp"
#include "ramify/numeric/semiring.hpp"

namespace ramify::trees {
namespace {

using numeric::fast_exp;
using numeric::kForbidden;

constexpr int kLanes = 8;

// A chart lists its spans twice, by left and by right end, so that both operands of each sum over split
// points are contiguous. Sums run over whole blocks of kLanes entries: what lies past the end of a span is
// the semiring's zero in at least one operand, because that span is either not built yet or never built.
struct Chart {
  int n;
  std::ptrdiff_t row;  // doubles per row, so that a block may start at any entry
  double* base;

  static std::ptrdiff_t row_for(int n) { return (n + 2 * kLanes - 1) / kLanes * kLanes; }
  static std::size_t size(int n) { return 13 * static_cast<std::size_t>((n + 1) * row_for(n)); }

  double* plane(int which, int i) const { return base + (which * (n + 1) + i) * row; }
  // Inside values: complete spans headed by their left (right) end, listed by left (right) end; incomplete
  // spans.
  double* right_by_left(int i) const { return plane(0, i); }
  double* right_by_right(int j) const { return plane(1, j); }
  double* left_by_left(int i) const { return plane(2, i); }
  double* left_by_right(int j) const { return plane(3, j); }
  double* arc_right(int i) const { return plane(4, i); }  // arc i -> k at [k]
  double* arc_left(int j) const { return plane(5, j); }   // arc j -> k at [k]
  double* split(int i) const { return plane(6, i); }      // sum over split points, before the arc's score
  static constexpr int kMass = 7;                         // the mass of planes 0..5 is in planes 7..12
};

struct Probability {
  static constexpr double kZero = 0.0;
  static constexpr double kOne = 1.0;
  RAMIFY_INLINE static double times(double a, double b) { return a * b; }

  RAMIFY_INLINE static double inner(const double* a, const double* b, int length) {
    double sum[kLanes] = {};
    for (int k = 0; k < length; k += kLanes) {
      for (int l = 0; l < kLanes; ++l) sum[l] += a[k + l] * b[k + l];
    }
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
  }
  RAMIFY_INLINE static void distribute(const double* a, const double* b, int length, double total, double mass,
                                       double* mass_a, double* mass_b) {
    const double scale = mass / total;
    for (int k = 0; k < length; k += kLanes) {
      for (int l = 0; l < kLanes; ++l) {
        const double flow = scale * a[k + l] * b[k + l];
        mass_a[k + l] += flow;
        mass_b[k + l] += flow;
      }
    }
  }
};

struct LogProbability {
  static constexpr double kZero = kForbidden;
  static constexpr double kOne = 0.0;
  RAMIFY_INLINE static double times(double a, double b) { return a + b; }

  RAMIFY_INLINE static double inner(const double* a, const double* b, int length) {
    double top[kLanes];
    std::fill(top, top + kLanes, kForbidden);
    for (int k = 0; k < length; k += kLanes) {
      for (int l = 0; l < kLanes; ++l) {
        const double v = a[k + l] + b[k + l];
        top[l] = v > top[l] ? v : top[l];
      }
    }
    const double max = *std::max_element(top, top + kLanes);
    if (max == kForbidden) return kForbidden;
    double sum[kLanes] = {};
    for (int k = 0; k < length; k += kLanes) {
      for (int l = 0; l < kLanes; ++l) sum[l] += fast_exp(a[k + l] + b[k + l] - max);
    }
    return max + std::log(((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])));
  }
  RAMIFY_INLINE static void distribute(const double* a, const double* b, int length, double total, double mass,
                                       double* mass_a, double* mass_b) {
    for (int k = 0; k < length; k += kLanes) {
      for (int l = 0; l < kLanes; ++l) {
        const double flow = mass * fast_exp(a[k + l] + b[k + l] - total);
        mass_a[k + l] += flow;
        mass_b[k + l] += flow;
      }
    }
  }
};

/// Eisner's recursion, cell by cell: all spans with right end j before those with j + 1, short ones first.
/// `scores` is (n+1, n+1), dense, in the semiring's units. With a single root, the root's complete spans stay
/// zero but for the whole sentence, so that it never gets a second modifier.
template <class S>
RAMIFY_INLINE double inside(const Chart& c, const double* scores, bool single_root) {
  const int size = c.n + 1;
  std::fill(c.base, c.plane(Chart::kMass, 0), S::kZero);
  for (int i = 0; i < size; ++i) {
    for (double* row : {c.right_by_left(i), c.right_by_right(i), c.left_by_left(i), c.left_by_right(i)}) {
      row[i] = S::kOne;
    }
  }
  for (int j = 1; j < size; ++j) {
    for (int i = j - 1; i >= 0; --i) {
      const double split = S::inner(c.right_by_left(i) + i, c.left_by_right(j) + i + 1, j - i);
      c.split(i)[j] = split;
      c.arc_right(i)[j] = S::times(split, scores[i * size + j]);
      if (i > 0) {
        c.arc_left(j)[i] = S::times(split, scores[j * size + i]);
        const double left = S::inner(c.left_by_left(i) + i, c.arc_left(j) + i, j - i);
        c.left_by_left(i)[j] = left;
        c.left_by_right(j)[i] = left;
      } else if (single_root && j < c.n) {
        continue;
      }
      const double right = S::inner(c.arc_right(i) + i + 1, c.right_by_right(j) + i + 1, j - i);
      c.right_by_left(i)[j] = right;
      c.right_by_right(j)[i] = right;
    }
  }
  return c.right_by_left(0)[c.n];
}

/// The same cells in reverse: each gives its mass (its probability) to what it was built from.
template <class S>
RAMIFY_INLINE void outside(const Chart& c, int stride, double* marginals) {
  std::fill(c.plane(Chart::kMass, 0), c.base + Chart::size(c.n), 0.0);
  const auto mass = [&](int which, int i) { return c.plane(Chart::kMass + which, i); };
  mass(0, 0)[c.n] = 1.0;
  for (int j = c.n; j > 0; --j) {
    for (int i = 0; i < j; ++i) {
      const int length = j - i;
      const double right = mass(0, i)[j] + mass(1, j)[i];
      if (right > 0.0) {
        S::distribute(c.arc_right(i) + i + 1, c.right_by_right(j) + i + 1, length, c.right_by_left(i)[j], right,
                      mass(4, i) + i + 1, mass(1, j) + i + 1);
      }
      const double left = mass(2, i)[j] + mass(3, j)[i];
      if (left > 0.0) {
        S::distribute(c.left_by_left(i) + i, c.arc_left(j) + i, length, c.left_by_left(i)[j], left, mass(2, i) + i,
                      mass(5, j) + i);
      }
      const double arc_right = mass(4, i)[j];
      const double arc_left = mass(5, j)[i];
      marginals[static_cast<std::ptrdiff_t>(i) * stride + j] = arc_right;
      if (i > 0) marginals[static_cast<std::ptrdiff_t>(j) * stride + i] = arc_left;
      const double split = arc_right + arc_left;
      if (split > 0.0) {
        S::distribute(c.right_by_left(i) + i, c.left_by_right(j) + i + 1, length, c.split(i)[j], split, mass(0, i) + i,
                      mass(3, j) + i + 1);
      }
    }
  }
}

RAMIFY_DISPATCH double inside_probability(const Chart& c, const double* scores, bool single_root) {
  return inside<Probability>(c, scores, single_root);
}
RAMIFY_DISPATCH void outside_probability(const Chart& c, int stride, double* marginals) {
  outside<Probability>(c, stride, marginals);
}
RAMIFY_DISPATCH double inside_log(const Chart& c, const double* scores, bool single_root) {
  return inside<LogProbability>(c, scores, single_root);
}
RAMIFY_DISPATCH void outside_log(const Chart& c, int stride, double* marginals) {
  outside<LogProbability>(c, stride, marginals);
}

// Two inside values of at least kSmallest and one arc of at least kSmallestArc multiply without underflow, so
// if no value in the chart lies between 0 and kSmallest, none was lost; and with arcs of at most 1 there are
// fewer than 6.75^n trees to sum, which does not overflow up to kMaxWords.
constexpr double kSmallest = 1e-140;
constexpr double kSmallestArc = 1e-150;
constexpr int kMaxWords = 300;

/// Scores relative to the best head of each word: [head, modifier], dense. Returns the sum of what was
/// subtracted, -inf if some word has no head.
RAMIFY_DISPATCH double normalise(int n, int stride, const double* scores, double* out) {
  const int size = n + 1;
  double* top = out;  // row 0 is written last
  std::fill(top, top + size, kForbidden);
  for (int h = 0; h < size; ++h) {
    const double* row = scores + static_cast<std::ptrdiff_t>(h) * stride;
    for (int m = 0; m < size; ++m) {
      const double v = m == h ? kForbidden : row[m];
      top[m] = v > top[m] ? v : top[m];
    }
  }
  double offset = 0.0;
  for (int m = 1; m < size; ++m) offset += top[m];
  if (offset == kForbidden) return offset;
  for (int h = n; h >= 0; --h) {
    const double* row = scores + static_cast<std::ptrdiff_t>(h) * stride;
    double* target = out + h * size;
    for (int m = 1; m < size; ++m) target[m] = (m == h ? kForbidden : row[m]) - top[m];
    target[0] = kForbidden;
  }
  return offset;
}

/// e^x for all entries; true if every result is 0 or at least kSmallestArc.
RAMIFY_DISPATCH bool exponentiate(const double* scores, std::ptrdiff_t size, double* out) {
  double least = 0.0;
  for (std::ptrdiff_t i = 0; i < size; ++i) out[i] = fast_exp(scores[i]);  // alone, to be vectorised
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    const double x = scores[i] == kForbidden ? 0.0 : scores[i];
    least = x < least ? x : least;
  }
  return least >= std::log(kSmallestArc);
}

RAMIFY_DISPATCH bool nothing_lost(const Chart& c) {
  double least[kLanes];
  std::fill(least, least + kLanes, 1.0);
  const double* end = c.plane(Chart::kMass, 0);
  for (const double* v = c.base; v != end; v += kLanes) {  // rows are whole blocks
    for (int l = 0; l < kLanes; ++l) {
      const double x = v[l] == 0.0 ? 1.0 : v[l];
      least[l] = x < least[l] ? x : least[l];
    }
  }
  return *std::min_element(least, least + kLanes) >= kSmallest;
}

}  // namespace

double eisner_marginals(int n, int stride, bool single_root, const double* scores, EisnerWorkspace& workspace,
                        double* marginals) {
  if (n == 0) return 0.0;
  const auto size = static_cast<std::size_t>(n) + 1;
  workspace.scores.resize(2 * size * size);
  workspace.chart.resize(Chart::size(n));
  double* relative = workspace.scores.data();
  double* probabilities = relative + size * size;
  const Chart chart{n, Chart::row_for(n), workspace.chart.data()};
  const double offset = normalise(n, stride, scores, relative);
  if (offset == kForbidden) return kForbidden;
  if (n <= kMaxWords && exponentiate(relative, static_cast<std::ptrdiff_t>(size * size), probabilities)) {
    const double z = inside_probability(chart, probabilities, single_root);
    if (nothing_lost(chart)) {
      if (z > 0.0 && marginals != nullptr) outside_probability(chart, stride, marginals);
      return z > 0.0 ? std::log(z) + offset : kForbidden;
    }
  }
  const double log_z = inside_log(chart, relative, single_root);
  if (log_z != kForbidden && marginals != nullptr) outside_log(chart, stride, marginals);
  return log_z == kForbidden ? kForbidden : log_z + offset;
}

}  // namespace ramify::trees
