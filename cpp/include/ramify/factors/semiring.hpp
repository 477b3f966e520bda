// The two ways to add alternatives: every dynamic program here is written once over them.
#pragma once

#include <algorithm>
#include <cmath>

#include "ramify/factors/types.hpp"

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

/// log of the sum of exp; -inf where all are.
inline double log_sum_exp(Scores x) {
  double high = kForbidden;
  for (const double v : x) high = std::max(high, v);
  if (high == kForbidden) return kForbidden;
  double total = 0.0;
  for (const double v : x) total += std::exp(v - high);
  return high + std::log(total);
}

}  // namespace ramify::factors
