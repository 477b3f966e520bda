// Indices are signed where -1 means "none"; containers want them unsigned.
#pragma once

#include <concepts>
#include <cstddef>

namespace ramify {

template <std::integral I>
constexpr std::size_t at(I i) {
  return static_cast<std::size_t>(i);
}

}  // namespace ramify
