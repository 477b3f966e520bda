// A fixed number of weights: those of features that are numbered, or that share buckets.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ramify/learn/feature_hash.hpp"
#include "ramify/learn/optimizer.hpp"
#include "ramify/learn/state.hpp"

namespace ramify::learn {

class DenseWeights {
 public:
  DenseWeights() = default;
  DenseWeights(std::vector<float> weights, const OptimizerOptions& options)
      : weights_(std::move(weights)),
        totals_(options.averaged ? weights_.size() : 0),
        squares_(options.method == Method::kAdaGrad ? weights_.size() : 0) {}
  DenseWeights(std::size_t size, const OptimizerOptions& options)
      : DenseWeights(std::vector<float>(size, 0.0F), options) {}

  std::size_t size() const { return weights_.size(); }
  std::span<const float> weights() const { return weights_; }
  WeightCell cell(std::size_t i) {
    return {&weights_[i], totals_.empty() ? nullptr : &totals_[i], squares_.empty() ? nullptr : &squares_[i]};
  }
  /// Moves several weights, which may repeat, in the same way.
  void move(std::span<const std::uint32_t> places, const Optimizer& optimizer, double descent, double step,
            double time) {
    float* const totals = totals_.empty() ? nullptr : totals_.data();
    float* const squares = squares_.empty() ? nullptr : squares_.data();
    for (const std::uint32_t i : places) {
      optimizer.move(
          {&weights_[i], totals == nullptr ? nullptr : totals + i, squares == nullptr ? nullptr : squares + i}, descent,
          step, time);
    }
  }
  /// All of them, averaged over `time` updates; as they are if time is 0 or no average is kept.
  std::vector<float> averaged(double time) const;
  /// All are 0 again, and nothing is remembered.
  void clear();

  void save(const std::string& prefix, State& state) const;
  void restore(const std::string& prefix, const State& state);

 private:
  std::vector<float> weights_, totals_, squares_;
};

/// A power of two of weights that features find by the upper bits of their keys, and so share: small enough to stay in
/// cache. A view: the weights must stay alive.
class BucketWeights {
 public:
  explicit BucketWeights(std::span<const float> weights)
      : shift_(64U - static_cast<unsigned>(std::countr_zero(weights.size()))), weights_(weights.data()) {}
  std::size_t bucket(Key key) const { return static_cast<std::size_t>(key >> shift_); }
  template <class Sum>
  Sum sum(std::span<const Key> keys) const {
    Sum total{};
    for (const Key key : keys) total += static_cast<Sum>(weights_[bucket(key)]);
    return total;
  }

 private:
  unsigned shift_;
  const float* weights_;
};

}  // namespace ramify::learn
