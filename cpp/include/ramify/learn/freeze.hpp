// From weights that have learned to the few numbers that a model file holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ramify/learn/label_rows.hpp"
#include "ramify/learn/weight_store.hpp"

namespace ramify::learn {

struct FreezeOptions {
  double time = 0.0;  // updates; the average is taken if above 0
  std::size_t max_weights = 0;
  double min_weight = 0.0;  // smaller ones, in absolute value, are dropped
};

struct QuantisedWeights {
  std::vector<Key> keys;  // ascending; bits below FrozenWeights::kKeyBits are 0
  std::vector<std::int16_t> weights;
  double scale = 0.0;
  std::vector<TemplateNorm> templates;  // of these weights, by number
};

/// The `max_weights` largest weights, as multiples of a common scale.
QuantisedWeights freeze(const WeightStore& store, const FreezeOptions& options);
/// The same of features with labels; `keys`: of the features, by number.
QuantisedRows freeze(const LabelRows& rows, std::span<const Key> keys, const FreezeOptions& options);
/// Rows of the same features with the weights that freeze() would keep, all 0 again.
LabelRows keep_only(const LabelRows& rows, const FreezeOptions& options, const OptimizerOptions& optimizer);

}  // namespace ramify::learn
