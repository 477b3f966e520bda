// Proximal steps: where the sum of a penalty and half the squared distance is smallest.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace ramify::learn {

/// Of threshold * |w|: Martins et al. (2011), equation 13.
inline double soft_threshold(double value, double threshold) {
  return std::copysign(std::max(std::abs(value) - threshold, 0.0), value);
}

/// Of threshold * the norm of a group: what its weights are multiplied by; equation 14.
inline double shrink_factor(double norm, double threshold) {
  return norm > threshold ? (norm - threshold) / norm : 0.0;
}

/// The same of strength * weight * the norm. Groups are ranked by norm / weight, and compared by it: rounding must not
/// keep one of several that are equal at the threshold.
inline double shrink_factor(double norm, double weight, double strength) {
  return norm / weight > strength ? shrink_factor(norm, strength * weight) : 0.0;
}

/// What the weight of a group grows with: of the number of its features nothing, its logarithm (the bits that name a
/// feature), or its root.
enum class GroupSize : std::uint8_t { kOne, kLog2, kSqrt };

inline double group_weight(GroupSize size, double features) {
  if (size == GroupSize::kOne) return 1.0;
  return size == GroupSize::kSqrt ? std::sqrt(std::max(features, 1.0)) : std::log2(std::max(features, 2.0));
}

/// The threshold that leaves at most `budget` of the numbers above it, 0 if no more are: between the last one that
/// stays and the first one that goes, as section 4 has it. Of equal numbers that do not all fit, none stays.
inline double budget_threshold(std::vector<double> numbers, std::size_t budget) {
  std::erase_if(numbers, [](double number) { return number <= 0.0; });
  if (numbers.size() <= budget) return 0.0;
  std::ranges::nth_element(numbers, numbers.begin() + static_cast<std::ptrdiff_t>(budget), std::greater<>());
  const double first_out = numbers[budget];
  if (budget == 0) return first_out;
  const double last_in = *std::min_element(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(budget));
  return 0.5 * (last_in + first_out);
}

}  // namespace ramify::learn
