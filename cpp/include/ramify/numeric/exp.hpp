// An exponential that compilers vectorise: no branches, no table, no call.
#pragma once

#include <bit>
#include <cstdint>

#include "ramify/numeric/dispatch.hpp"
#include "ramify/numeric/polynomial.hpp"

namespace ramify::numeric {

/// e^x for x <= 709, to about 2 units in the last place; 0 below -708 (also at -inf), where the result would
/// be subnormal. Not for NaN.
RAMIFY_INLINE double fast_exp(double x) {
  const double clamped = x < -708.0 ? -708.0 : x;
  // x = k log 2 + r with |r| <= log(2)/2: adding 1.5 * 2^52 leaves the rounded k in the low bits of the
  // mantissa.
  constexpr double kShift = 6755399441055744.0;
  const double shifted = clamped * 1.4426950408889634 + kShift;
  const double k = shifted - kShift;
  const double r = (clamped - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
  // Taylor: the next term is below 2^-54 for |r| <= 0.347.
  const double p =
      polynomial(r, 1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0,
                 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0);
  const auto power = (std::bit_cast<std::uint64_t>(shifted) + 1023U) << 52U;
  const double result = p * std::bit_cast<double>(power);
  return x < -708.0 ? 0.0 : result;
}

}  // namespace ramify::numeric
