// The closest point of a polytope that is known only through its argmax oracle.
#pragma once

#include <vector>

#include "ramify/factors/two_way_table.hpp"
#include "ramify/factors/types.hpp"

namespace ramify::factors {

/// A vertex of a factor's polytope: the coordinates and the parts that are 1, in increasing order.
struct Vertex {
  std::vector<std::int32_t> coords;
  std::vector<std::int32_t> parts;
  bool operator==(const Vertex&) const = default;
};

/// The vertices whose convex combination is the last solution: the warm start of the next call and all that the
/// backward pass needs. The inverse of the KKT matrix [0 1'; 1 V'V] does not depend on the scores, so it is kept.
struct ActiveSet {
  std::vector<Vertex> vertices;
  std::vector<double> weights;
  std::vector<ForestEdge> forest;  // what tables of two variables keep instead of the above
  std::vector<double> inverse;     // (vertices.size() + 1) squared, in rows of length stride
  std::size_t stride = 0;
  int updates = 0;         // since the inverse was last computed afresh
  int iterations = 0;      // oracle calls of the last solve
  int max_iterations = 0;  // stop after so many, 0 for no limit; the set is kept, so that the next call goes on
  bool solved = true;      // false if the last solve stopped at that limit

  void clear();
};

/// The local maximisation a factor offers; scores may hold -inf (off) and +inf (on).
class VertexOracle {
 public:
  virtual ~VertexOracle() = default;
  /// Fills vertex with a maximiser of <coord_scores, z> + <part_scores, nu>; false where nothing is feasible.
  virtual bool argmax(Scores coord_scores, Scores part_scores, Vertex& vertex) = 0;
};

/// Vectors that the factors of a range share, so that a projection allocates nothing.
struct ActiveSetScratch {
  Vertex candidate;
  std::vector<double> linear, shifted, solution, residual, relation, column, marks;
};

/// Maximises <a, z> + <part_scores, nu> - |z|^2 / 2 over the convex hull of the oracle's vertices. Returns the
/// maximum, coordinates at +inf counted as 0; -inf (and zeros) where nothing is feasible.
double solve_active_set(VertexOracle& oracle, Scores a, Scores part_scores, ActiveSet& set, Point z, Point nu,
                        ActiveSetScratch& scratch);

/// Gradients with respect to a and to the part scores, on the face spanned by the active set.
void active_set_vjp(const ActiveSet& set, Scores grad_z, Scores grad_nu, Point grad_a, Point grad_part_scores);

}  // namespace ramify::factors
