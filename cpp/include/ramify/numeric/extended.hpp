// A floating-point number whose exponent cannot run out: a double times a power of two with 64 bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ramify::numeric {

/// mantissa * 2^exponent with 1 <= |mantissa| < 2, or zero. Every operation is as precise as that of double,
/// and e^{10000} / e^{-10000} is just another number; logarithms would lose digits where the exponent is
/// large.
struct Extended {
  double mantissa = 0.0;
  std::int64_t exponent = 0;

  Extended() = default;
  explicit Extended(double value) : mantissa(value) { normalize(); }
  Extended(double m, std::int64_t e) : mantissa(m), exponent(e) { normalize(); }

  /// e^x, for x = -inf too; zero or infinite from 1e18 on, as the exponent would not fit, and NaN for NaN.
  static Extended exp(double x) {
    if (!(std::fabs(x) < 1e18)) return beyond(x);
    const double k = std::nearbyint(x * 1.4426950408889634);
    // log 2 in two pieces: the first times k is exact for |k| < 2^21.
    const double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    return {std::exp(r), static_cast<std::int64_t>(k)};
  }
  double log() const {
    if (is_zero()) return -std::numeric_limits<double>::infinity();
    return std::log(mantissa) + static_cast<double>(exponent) * 0.6931471805599453;
  }
  bool is_zero() const { return mantissa == 0.0; }
  explicit operator double() const {
    if (exponent < -1080) return 0.0;
    return std::ldexp(mantissa, exponent > 1100 ? 1100 : static_cast<int>(exponent));
  }
  Extended shifted(std::int64_t bits) const { return is_zero() ? Extended() : raw(mantissa, exponent + bits); }

  friend Extended operator*(const Extended& a, const Extended& b) {
    return {a.mantissa * b.mantissa, a.exponent + b.exponent};
  }
  friend Extended operator/(const Extended& a, const Extended& b) {
    return {a.mantissa / b.mantissa, a.exponent - b.exponent};
  }
  friend Extended operator-(const Extended& a) { return raw(-a.mantissa, a.exponent); }
  friend Extended operator+(const Extended& a, const Extended& b) {
    if (b.is_zero()) return a;
    if (a.is_zero()) return b;
    const std::int64_t gap = a.exponent - b.exponent;
    if (gap >= 0) return gap > 64 ? a : Extended(a.mantissa + b.mantissa * power(-gap), a.exponent);
    return gap < -64 ? b : Extended(a.mantissa * power(gap) + b.mantissa, b.exponent);
  }
  Extended& operator+=(const Extended& other) { return *this = *this + other; }

 private:
  static Extended beyond(double x) {
    if (x < 0.0) return {};
    return raw(x > 0.0 ? std::numeric_limits<double>::infinity() : x, 0);
  }
  static Extended raw(double m, std::int64_t e) {
    Extended result;
    result.mantissa = m;
    result.exponent = e;
    return result;
  }
  static double power(std::int64_t e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52U); }
  void normalize() {
    const double size = std::fabs(mantissa);
    if (size >= 1.0 && size < 2.0) return;
    if (size >= 2.0 && size < 4.0) {
      mantissa *= 0.5;
      ++exponent;
    } else if (size == 0.0) {
      exponent = 0;
    } else {
      int shift = 0;
      mantissa = 2.0 * std::frexp(mantissa, &shift);
      exponent += shift - 1;
    }
  }
};

}  // namespace ramify::numeric
