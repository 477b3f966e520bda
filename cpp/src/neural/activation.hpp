// Hyperbolic tangent and logistic function, without a branch and without a call.
#pragma once

#include <algorithm>

#include "ramify/numeric/dispatch.hpp"

namespace ramify::neural {

/// tanh x with an absolute error below 1.3e-6: a rational function that was fitted to |x| <= 6.9, beyond which tanh x
/// differs from its value there by less than the error. x must not be NaN.
RAMIFY_INLINE float fast_tanh(float x) {
  const float low = x < -6.9F ? -6.9F : x;
  const float c = low > 6.9F ? 6.9F : low;
  const float z = c * c;
  const float p = ((3.98506986e-06F * z + 0.00228855395F) * z + 0.123151041F) * z + 0.999996123F;
  const float q = ((0.000143611657F * z + 0.0211259928F) * z + 0.456470902F) * z + 1.0F;
  return c * p / q;
}

/// 1 / (1 + e^−x) with an absolute error below 7e-7.
RAMIFY_INLINE float fast_sigmoid(float x) { return fast_tanh(x * 0.5F) * 0.5F + 0.5F; }

}  // namespace ramify::neural
