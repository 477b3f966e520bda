// What training makes small: one number for each example, from scores of structures and the gold one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ramify::learn {

enum class LossKind : std::uint8_t {
  kFamily,  // L(beta, gamma) of Martins et al. (2010)
  kL2,      // the others of Gormley et al. (2015), on marginals
  kRisk,
  kL2Risk,  // the one, then the other
};

/// Martins et al. (2010), Figure 4: L(beta, gamma) = (1 / beta) log sum_y exp(beta (score(y) + gamma cost(y) -
/// score(gold))). (1, 0) is the loss of a CRF, (1, 1) softmax-margin, (inf, 1) that of an SVM, (inf, 0) the
/// perceptron's.
struct Loss {
  LossKind kind = LossKind::kFamily;
  double beta = 1.0;
  double gamma = 0.0;

  bool family() const { return kind == LossKind::kFamily; }
  /// Whether the best structure, costs included, is needed; otherwise marginals are.
  bool needs_best() const { return family() && std::isinf(beta); }
  bool perceptron() const { return needs_best() && gamma == 0.0; }
  /// Of the distribution whose marginals are needed: p(y) is proportional to exp((score + gamma cost) / temperature).
  double temperature() const { return family() ? 1.0 / beta : 1.0; }
  /// `reached`: the score of the best structure, or temperature times the logarithm of the partition function; costs
  /// are in both. Approximate inference may stay below the gold structure.
  double value(double reached, double gold_score) const { return std::max(reached - gold_score, 0.0); }
};

}  // namespace ramify::learn
