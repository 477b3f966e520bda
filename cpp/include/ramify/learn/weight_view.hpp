// What scoring needs of weights, learning or frozen.
#pragma once

#include <cstdint>
#include <span>

#include "ramify/learn/feature_hash.hpp"

namespace ramify::learn {

/// Anything that gives a sum of weights; virtual calls are per part, not per feature.
class WeightView {
 public:
  virtual ~WeightView() = default;
  /// Sum of the weights of all keys; a feature without a weight counts 0.
  virtual double sum(std::span<const Key> keys) const = 0;
  /// For each label the sum over all keys with it.
  virtual void label_sums(std::span<const Key> keys, std::span<const Key> labels, std::span<double> out) const = 0;
  /// The same for many stretches of keys, [ends[i - 1], ends[i]), so that memory is asked for well ahead.
  virtual void sums(std::span<const Key> keys, std::span<const std::uint32_t> ends, std::span<double> out) const = 0;
};

}  // namespace ramify::learn
