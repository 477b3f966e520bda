// Gradients through the regularised relaxation: LP-SparseMAP of Niculae & Martins (2020).
#pragma once

#include "ramify/inference/ad3.hpp"

namespace ramify::inference {

struct Gradients {
  std::vector<double> unary;  // one per coordinate
  std::vector<double> parts;  // one per part
};

/// Gradients of a scalar with respect to all scores, given those with respect to the solution (u, nu) of solve_ad3
/// with options.quadratic = gamma > 0; state is the one that solve left behind.
///
/// Near the solution it moves on the intersection of the factors' faces, where the problem is an orthogonal
/// projection: the gradient is the projection of grad_u on the common tangent space, found by conjugate gradients
/// on the sum of the factors' normal projections.
Gradients sparsemap_vjp(const ScoredGraph& problem, double gamma, const Ad3State& state, Scores grad_u, Scores grad_nu);

}  // namespace ramify::inference
