// The score of an assignment that is not allowed.
#pragma once

#include <limits>

namespace ramify::numeric {

inline constexpr double kForbidden = -std::numeric_limits<double>::infinity();

}  // namespace ramify::numeric
