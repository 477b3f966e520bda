// Semirings: a dynamic program written once over these computes counts, sums, maxima and their derivatives.
//
// A semiring has a value type and says how alternatives are added up. Every quantity here is a log-potential,
// so that the product of two values is the sum of two doubles, zero is -inf and one is 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "ramify/numeric/forbidden.hpp"

namespace ramify::numeric {

/// log(sum of e^x): alternatives are summed. `share` is the probability of one alternative among all.
struct LogSum {
  static constexpr double kNothing = 0.0;  ///< mass of what is not reached
  static constexpr double kAll = 1.0;      ///< mass of the goal

  static double sum(std::span<const double> values) {
    double top = kForbidden;
    for (const double v : values) top = std::max(top, v);
    if (top == kForbidden) return kForbidden;
    double total = 0.0;
    for (const double v : values) total += std::exp(v - top);
    return top + std::log(total);
  }
  /// Mass that flows from an item of mass `mass` and total `total` to its alternative of value `value`.
  static double flow(double mass, double value, double total) { return mass * std::exp(value - total); }
  static void collect(double& mass, double flow) { mass += flow; }
};

/// max: the best alternative counts. Mass is what the best structure loses by being forced through an item
/// (<= 0).
struct MaxPlus {
  static constexpr double kNothing = kForbidden;
  static constexpr double kAll = 0.0;

  static double sum(std::span<const double> values) {
    double top = kForbidden;
    for (const double v : values) top = std::max(top, v);
    return top;
  }
  static double flow(double mass, double value, double total) { return mass + (value - total); }
  static void collect(double& mass, double flow) { mass = std::max(mass, flow); }
};

}  // namespace ramify::numeric
