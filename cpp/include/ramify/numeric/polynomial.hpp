// Polynomials by Horner's rule.
#pragma once

#include "ramify/numeric/dispatch.hpp"

namespace ramify::numeric {

/// The polynomial with these coefficients, that of the highest power first, at x.
template <class... Coefficients>
RAMIFY_INLINE double polynomial(double x, double highest, Coefficients... others) {
  double value = highest;
  ((value = value * x + others), ...);
  return value;
}

}  // namespace ramify::numeric
