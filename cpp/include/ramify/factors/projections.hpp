// Closed-form closest points: box, simplex, knapsack and OR-with-output polytopes.
#pragma once

#include "ramify/factors/types.hpp"
#include "ramify/factors/workspace.hpp"

namespace ramify::factors {

/// How the closest point moves with a: free coordinates follow theirs, fixed ones do not, and members (direction
/// nonzero) move along a plane orthogonal to the direction, or tied together along the direction.
struct Face {
  enum class Kind { kBox, kPlane, kTie };
  Kind kind = Kind::kBox;
  std::span<double> direction;
  std::span<std::uint8_t> free;

  Face(std::size_t size, Workspace& ws)
      : direction(ws.take<double>(size, 0.0)), free(ws.take<std::uint8_t>(size, std::uint8_t{0})) {}
  /// grad_a = (derivative of z with respect to a)' grad_z; the derivative is symmetric.
  void apply(Scores grad_z, Point grad_a) const;
};

enum class Relation { kAtMost, kExactly, kAtLeast };

/// All functions: a may hold -inf (z = 0) and +inf (z = 1); false where nothing is feasible.
void project_box(Scores a, Point z, Face& face);
/// {z in [0,1]^n : costs'z (<=, =, >=) budget}, costs >= 0 (empty: all 1). O(n log n); Almeida & Martins (2013),
/// Appendix A, treat <= in linear time.
bool project_knapsack(Scores a, Scores costs, double budget, Relation relation, Point z, Face& face, Workspace& ws);
/// {z in [0,1]^n : z_last <= sum of the others, z_last >= each}, Martins et al. (2011), section 4 and Appendix E.
bool project_or_out(Scores a, Point z, Face& face, Workspace& ws);

/// The closest point for negated variables is 1 - z: negate their scores before a projection, and its result after it.
/// negated: one flag per variable, or null.
void negate(const std::uint8_t* negated, Scores a, Point out);
void negate_back(const std::uint8_t* negated, Point z, Face& face);

/// <a, z> - |z|^2 / 2 over the finite coordinates of a.
double projection_value(Scores a, Scores z);

}  // namespace ramify::factors
