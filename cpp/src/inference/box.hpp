// Tables over several axes, row by row.
#pragma once

#include <cstdint>
#include <vector>

#include "ramify/numeric/index.hpp"

namespace ramify::inference {

/// Steps x through a box; false after the last cell.
inline bool next(std::vector<std::int32_t>& x, const std::vector<std::int32_t>& sizes) {
  for (std::size_t a = x.size(); a-- > 0;) {
    if (++x[a] < sizes[a]) return true;
    x[a] = 0;
  }
  return false;
}

inline std::size_t volume(const std::vector<std::int32_t>& sizes) {
  std::size_t out = 1;
  for (const std::int32_t k : sizes) out *= at(k);
  return out;
}

}  // namespace ramify::inference
