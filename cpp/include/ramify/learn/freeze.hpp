// From a table that has learned to the few numbers a model file holds.
#pragma once

#include <vector>

#include "ramify/learn/weights.hpp"

namespace ramify::learn {

struct QuantisedWeights {
  std::vector<Key> keys;  // ascending; bits below FrozenWeights::kKeyBits are 0
  std::vector<std::int16_t> weights;
  double scale = 0.0;
};

/// Averaged weights after `time` updates, present ones if it is 0: the `max_weights` largest, as multiples of a common
/// scale.
QuantisedWeights freeze(const WeightTable& table, double time, std::size_t max_weights);

}  // namespace ramify::learn
