// Anderson acceleration of a fixed-point iteration: where the map is affine this is GMRES on its residual.
#pragma once

#include <vector>

#include "ramify/factors/types.hpp"

namespace ramify::inference {

/// Remembers how the residual (image - point) and the image changed in the last steps, and combines them so that the
/// residual of an affine map vanishes. A step begins at the image of the one before, or where extrapolate() put it.
class Anderson {
 public:
  explicit Anderson(std::size_t memory) : memory_(memory) {}

  void clear();
  /// Where the caller writes the residual of the step it makes.
  std::vector<double>& residual() { return residual_; }
  /// The residual is there. Returns its norm.
  double push();
  /// From the last step's image to that of the point where the model's residual is smallest; false if there is no
  /// model yet.
  bool extrapolate(factors::Point image);

 private:
  bool solve(std::vector<double>& b) const;

  std::size_t memory_;
  std::size_t num_columns_ = 0;
  std::size_t next_ = 0;  // column that the next step replaces
  bool has_last_ = false;
  bool jumped_ = false;  // the next step begins at an extrapolation
  std::vector<double> residual_, last_, jump_;
  std::vector<std::vector<double>> changes_, moves_;  // of the residual and of the image
  std::vector<double> gram_;                          // of the changes
};

}  // namespace ramify::inference
