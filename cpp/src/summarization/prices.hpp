// What concepts and rows are worth for single units: the multipliers of the relaxation.
#pragma once

#include "ramify/summarization/problem.hpp"

namespace ramify::summarization {

/// For a concept of positive weight, `concept` is what each token gets: the summary gets the rest in any case. A token
/// of two units divides its price: the first unit gets `tokens`. For a concept of negative weight, `tokens` is what
/// each token pays; together no more than the weight.
struct Prices {
  std::vector<double> concepts, tokens, rows;

  explicit Prices(const Parts& parts);

  /// Scores of units, and a constant, so that no summary scores less here than in the problem. Concepts that are
  /// `covered` are worth nothing.
  double gains(const Parts& parts, const Mask& covered, std::vector<double>& gains) const;

  /// By how much the relaxed score of a choice grows with each price.
  Prices gradient(const Parts& parts, const Mask& kept) const;

  double norm() const;

  /// Adds `step` times a direction and goes back to prices that are allowed.
  void move(const Parts& parts, const Prices& direction, double step);

  /// this = other + factor * this
  void deflect(const Prices& other, double factor);
  double dot(const Prices& other) const;

 private:
  Prices() = default;
  void move_negative(const Concept& c);
};

}  // namespace ramify::summarization
