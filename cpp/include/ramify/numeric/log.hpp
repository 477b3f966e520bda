// A logarithm that compilers vectorise: no branches, no table, no call.
#pragma once

#include <bit>
#include <cstdint>

#include "ramify/numeric/dispatch.hpp"
#include "ramify/numeric/polynomial.hpp"

namespace ramify::numeric {

/// log x for normal positive x, to a few units in the last place. Not for 0, subnormals, infinities, NaN.
RAMIFY_INLINE double fast_log(double x) {
  // x = 2^e m with m in [sqrt(1/2), sqrt(2)): subtracting sqrt(1/2)'s bits moves the boundary there.
  constexpr std::uint64_t kRootHalf = 0x3FE6A09E667F3BCDULL;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) - kRootHalf;
  const double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFULL) + kRootHalf);
  // The exponent as a double without a conversion that only new processors have in vectors.
  const std::uint64_t exponent = (bits >> 52U) ^ 2048U;  // twelve bits, two's complement, moved to 0 … 4095
  const double e = std::bit_cast<double>(exponent | 0x4330000000000000ULL) - (4503599627370496.0 + 2048.0);
  // log m = 2 atanh(s), |s| < 0.172: the next term of the series is below 2^-56 of the first.
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  const double p = polynomial(z, 2.0 / 21.0, 2.0 / 19.0, 2.0 / 17.0, 2.0 / 15.0, 2.0 / 13.0, 2.0 / 11.0, 2.0 / 9.0,
                              2.0 / 7.0, 2.0 / 5.0, 2.0 / 3.0, 2.0);
  return e * 6.93147180369123816490e-01 + (s * p + e * 1.90821492927058770002e-10);
}

}  // namespace ramify::numeric
