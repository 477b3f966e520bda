// Projection for tables of two variables: a transportation problem, whose active cells form a forest.
#pragma once

#include <vector>

#include "ramify/factors/types.hpp"

namespace ramify::factors {

/// A cell with mass, as an edge between its row and its column (numbered after the rows). In a list of edges each
/// node comes as a parent only after it came as a child, unless it is a root.
struct ForestEdge {
  std::uint8_t parent;
  std::uint8_t child;
  std::int32_t cell;
  double weight;
};

/// The largest number of states that a variable may have here.
inline constexpr std::int32_t kMostStates = 64;

/// Maximises <a, z> + <parts, nu> - |z|^2 / 2 where nu >= 0 sums to 1 and z holds its row and column sums; parts has
/// a row for each of num_rows states. The forest is the warm start and what the solution rests on. Returns the
/// maximum, or NaN where a score is infinite: then nothing was done.
double project_two_way(Scores a, Scores parts, std::size_t num_rows, std::vector<ForestEdge>& forest, Point z,
                       Point nu);

/// Gradients of project_two_way on the face of its forest.
void two_way_vjp(Scores grad_z, Scores grad_nu, std::size_t num_rows, const std::vector<ForestEdge>& forest,
                 Point grad_a, Point grad_parts);

}  // namespace ramify::factors
