// The score of what may not be.
#pragma once

#include <limits>

namespace ramify::numeric {

inline constexpr double kForbidden = -std::numeric_limits<double>::infinity();

}  // namespace ramify::numeric
