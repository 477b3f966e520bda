// The two ways to combine alternatives. Every dynamic program of the factors is written once for both.
#pragma once

#include <algorithm>
#include <cmath>

#include "ramify/factors/types.hpp"
#include "ramify/numeric/semiring.hpp"

namespace ramify::factors {

struct MaxSemiring {
  static double plus(double a, double b) { return std::max(a, b); }
};

struct LogSemiring {
  static double plus(double a, double b) {
    const double high = std::max(a, b);
    if (high == kForbidden) return kForbidden;
    return high + std::log1p(std::exp(std::min(a, b) - high));
  }
};

/// log of the sum of exp; -inf if all are.
inline double log_sum_exp(Scores x) { return numeric::LogSum::sum(x); }

}  // namespace ramify::factors
