#include "ramify/learn/dense_weights.hpp"

#include <algorithm>

namespace ramify::learn {

std::vector<float> DenseWeights::averaged(double time) const {
  std::vector<float> out = weights_;
  for (std::size_t i = 0; i < totals_.size(); ++i) out[i] = static_cast<float>(average(weights_[i], totals_[i], time));
  return out;
}

void DenseWeights::clear() {
  for (std::vector<float>* numbers : {&weights_, &totals_, &squares_}) std::ranges::fill(*numbers, 0.0F);
}

void DenseWeights::save(const std::string& prefix, State& state) const {
  state.put(prefix + "weights", weights_);
  state.put(prefix + "totals", totals_);
  state.put(prefix + "squares", squares_);
}

void DenseWeights::restore(const std::string& prefix, const State& state) {
  const auto& weights = state.get<float>(prefix + "weights", weights_.size());
  const auto& totals = state.get<float>(prefix + "totals", totals_.size());
  const auto& squares = state.get<float>(prefix + "squares", squares_.size());
  weights_ = weights;
  totals_ = totals;
  squares_ = squares;
}

}  // namespace ramify::learn
