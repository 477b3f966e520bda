// From a gradient to a step: how far a weight moves, and what is remembered of its past.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ramify/learn/loss.hpp"

namespace ramify::learn {

enum class Method : std::uint8_t {
  kAutomatic,  // Algorithm 1 of Martins et al. (2010): as far as the loss asks for, at most the rate
  kAdaGrad,    // Duchi et al. (2011)
  kSgd,
};

struct OptimizerOptions {
  Method method = Method::kAutomatic;
  double rate = 1.0;   // the largest step of kAutomatic: MIRA's C, in the paper 1 / (lambda m)
  double decay = 0.0;  // epoch n, from 0, has rate / (1 + decay n)
  /// AdaGrad divides by damping + root of the sum of squares: larger values keep features that have only seen tiny
  /// gradients from steps as long as the rate.
  double damping = 1e-3;
  bool averaged = true;  // predict with the mean of the weights that training went through
};

/// A weight, and what is remembered of it; null where nothing is.
struct WeightCell {
  float* weight = nullptr;
  float* total = nullptr;    // sum of change * time, for the average
  float* squares = nullptr;  // sum of squared gradients
};

/// The average after `time` updates of a weight that started at 0; the weight itself if time is 0.
inline double average(float weight, float total, double time) {
  return static_cast<double>(weight) - (time > 0.0 ? static_cast<double>(total) / time : 0.0);
}

class Optimizer {
 public:
  explicit Optimizer(const OptimizerOptions& options) : options_(options) {}
  const OptimizerOptions& options() const { return options_; }
  bool keeps_squares() const { return options_.method == Method::kAdaGrad; }

  double rate(double epoch) const { return options_.rate / (1.0 + options_.decay * epoch); }
  /// The step of an example, which has a loss and a gradient of this squared norm.
  double step(const Loss& loss, double value, double squared_norm, double epoch) const {
    if (options_.method != Method::kAutomatic) return rate(epoch);
    if (squared_norm <= 0.0) return 0.0;
    // The perceptron's loss is 0 where all scores are equal, at the start for one; its step is always the same.
    return loss.perceptron() ? rate(epoch) : std::min(rate(epoch), value / squared_norm);
  }

  /// How stiff a weight is: steps are divided by it.
  double stiffness(const float* squares) const {
    return squares == nullptr ? 1.0 : options_.damping + std::sqrt(static_cast<double>(*squares));
  }

  /// How far a weight is to move, whose squares remember it; `descent`: minus the gradient.
  double change(float* squares, double descent, double step) const {
    if (squares == nullptr) return step * descent;
    *squares += static_cast<float>(descent * descent);
    return step * descent / stiffness(squares);
  }

  /// `time` counts updates from 0, so that the average after T of them is w - total / T.
  void move(const WeightCell& cell, double descent, double step, double time) const {
    const double change = this->change(cell.squares, descent, step);
    *cell.weight += static_cast<float>(change);
    if (cell.total != nullptr) *cell.total += static_cast<float>(change * time);
  }

 private:
  OptimizerOptions options_;
};

}  // namespace ramify::learn
