// Serial numbers, so that a new object is never confused with a deleted one that had the same address.
#pragma once

#include <atomic>
#include <cstdint>

namespace ramify::numeric {

/// A number that nothing else in this process has; never 0.
inline std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace ramify::numeric
