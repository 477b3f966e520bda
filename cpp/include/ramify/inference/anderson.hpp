// Anderson acceleration of a fixed-point iteration: where the map is affine this is GMRES on its residual.
#pragma once

#include <vector>

#include "ramify/factors/types.hpp"

namespace ramify::inference {

/// Remembers how the residual, image - point, changed over the last steps, and combines them so that it vanishes.
class Anderson {
 public:
  explicit Anderson(std::size_t memory) : memory_(memory) {}

  void clear();
  /// One application of the map; entries infinite in both do not take part. Returns the residual's norm.
  double push(factors::Scores point, factors::Scores image);
  /// The image of the point where the affine model's residual is smallest; false if it cannot be found.
  bool extrapolate(factors::Point out);
  std::size_t size() const { return num_columns_; }

 private:
  bool solve(std::vector<double>& b) const;

  std::size_t memory_;
  std::size_t num_columns_ = 0;
  std::size_t next_ = 0;  // column that the next change replaces
  bool has_last_ = false;
  std::vector<double> image_, residual_;  // of the last step
  std::vector<std::vector<double>> image_changes_, residual_changes_;
  std::vector<double> gram_;  // of the residual changes
};

}  // namespace ramify::inference
