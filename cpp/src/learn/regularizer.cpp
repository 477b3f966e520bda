#include "ramify/learn/regularizer.hpp"

#include <cmath>

namespace ramify::learn {

void Regularizer::apply(WeightStore& store, const Optimizer& optimizer, double rate, double steps, double time) const {
  if (!active()) return;
  const double strength = rate * options_.lambda;
  store.for_each([&](std::size_t, const WeightCell& cell) {
    if (*cell.weight == 0.0F) return;
    const double stiffness = optimizer.stiffness(cell.squares);
    const float before = *cell.weight;
    *cell.weight =
        static_cast<float>(static_cast<double>(before) * std::pow(stiffness / (stiffness + strength), steps));
    if (cell.total != nullptr) *cell.total += static_cast<float>(static_cast<double>(*cell.weight - before) * time);
  });
}

}  // namespace ramify::learn
