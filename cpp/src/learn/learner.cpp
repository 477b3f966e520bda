#include "ramify/learn/learner.hpp"

#include <algorithm>
#include <cmath>

namespace ramify::learn {

namespace {

constexpr double kShrinkEvery = 500;  // most examples between two looks of the regularizer at all weights

}  // namespace

Learner::Learner(const LearnerOptions& options)
    : options_(options),
      optimizer_(options.optimizer),
      regularizer_(options.regularizer),
      store_(options.feature_set, options.num_buckets, options.optimizer) {}

void Learner::add(const Gradient& gradient) {
  if (options_.optimizer.method == Method::kAutomatic) {
    const double step = optimizer_.step(options_.loss, gradient.loss, gradient.squared_norm, epoch_);
    if (step > 0.0) store_.move(gradient.keys, gradient.values, optimizer_, step, time_);
  } else {
    for (std::size_t k = 0; k < gradient.keys.size(); ++k) sum_.emplace_back(gradient.keys[k], gradient.values[k]);
  }
  time_ += 1.0;
}

void Learner::end_batch() {
  const double before = std::exchange(batch_begin_, time_);
  if (options_.optimizer.method == Method::kAutomatic) return;
  const double rate = optimizer_.step(options_.loss, 0.0, 0.0, epoch_);
  store_.move_sums(sum_, optimizer_, rate, before);
  sum_.clear();
  // One step a batch, all steps of a stretch at its end: weights that no gradient touches need not be looked at before.
  const double every = std::min(kShrinkEvery, std::max(1.0, num_examples_));
  if (!regularizer_.active() || std::floor(time_ / every) == std::floor(before / every)) return;
  const auto batch = static_cast<double>(options_.batch);
  regularizer_.apply(store_, optimizer_, rate * batch / std::max(1.0, num_examples_), every / batch, time_);
}

State Learner::save() const {
  State state;
  store_.save(state);
  state.put_number("time", time_);
  state.put_number("epoch", epoch_);
  return state;
}

void Learner::restore(const State& state) {
  const double time = state.number("time");
  const double epoch = state.number("epoch");
  store_.restore(state);
  time_ = batch_begin_ = time;
  epoch_ = epoch;
}

}  // namespace ramify::learn
