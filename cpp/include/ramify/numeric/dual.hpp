// Numbers that carry their derivative in one direction.
#pragma once

namespace ramify::numeric {

template <class Real>
struct Dual {
  Real value{};
  Real tangent{};

  friend Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.tangent + b.tangent}; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.tangent * b.value + a.value * b.tangent};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const Real ratio = a.value / b.value;
    return {ratio, a.tangent / b.value + -(ratio * (b.tangent / b.value))};
  }
  Dual& operator+=(const Dual& other) { return *this = *this + other; }
};

}  // namespace ramify::numeric
