// What keeps weights small: proximal steps between the optimizer's.
#pragma once

#include <cstdint>

#include "ramify/learn/weight_store.hpp"

namespace ramify::learn {

enum class Penalty : std::uint8_t {
  kNone,
  kL2,  // lambda / 2 |w|^2
};

struct RegularizerOptions {
  Penalty penalty = Penalty::kNone;
  double lambda = 0.0;  // of (sum of losses + penalty) / number of examples
};

/// Composite mirror descent, Duchi et al. (2010): the optimizer steps along the gradient of the losses, then weights go
/// to where penalty and distance, as the optimizer measures it, are smallest together. Penalties of groups find a
/// template's weights through WeightStore::for_each and template_norms.
class Regularizer {
 public:
  explicit Regularizer(const RegularizerOptions& options) : options_(options) {}
  const RegularizerOptions& options() const { return options_; }
  bool active() const { return options_.penalty != Penalty::kNone && options_.lambda > 0.0; }

  /// `steps` proximal steps at once, each as long as `rate`, which is that of the optimizer times the share of the
  /// examples that a step is for. Between the steps no gradient changes anything, so that one look at a weight is
  /// enough.
  void apply(WeightStore& store, const Optimizer& optimizer, double rate, double steps, double time) const;

 private:
  RegularizerOptions options_;
};

}  // namespace ramify::learn
