#include "ramify/learn/learner.hpp"

namespace ramify::learn {

Learner::Learner(const LearnerOptions& options)
    : options_(options),
      optimizer_(options.optimizer),
      regularizer_(options.regularizer),
      store_(options.feature_set, options.num_buckets, options.optimizer, !options.regularizer.sets.empty()) {}

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
  const double rate = optimizer_.rate(epoch_);
  if (options_.optimizer.method != Method::kAutomatic) {
    store_.move_sums(sum_, optimizer_, rate, before);
    sum_.clear();
  }
  const Regularizer::Stretch stretch{rate, num_examples_, static_cast<double>(options_.batch), time_};
  if (regularizer_.due(before, stretch)) regularizer_.apply(store_, optimizer_, stretch);
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
