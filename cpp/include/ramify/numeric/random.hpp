// A small random number generator whose stream is the same on every platform.
#pragma once

#include <cstdint>

namespace ramify::numeric {

/// splitmix64 (Steele, Lea & Flood 2014). Streams of different (seed, stream) are independent for our
/// purposes.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mix(mix(seed) + stream * kGamma)) {}

  std::uint64_t next() { return mix(state_ += kGamma); }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

 private:
  static constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15ULL;
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  std::uint64_t state_;
};

}  // namespace ramify::numeric
