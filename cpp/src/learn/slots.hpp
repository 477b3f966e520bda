// What the open-addressing tables of weights share.
#pragma once

#include <bit>
#include <cstddef>

#include "ramify/learn/feature_hash.hpp"

namespace ramify::learn {

inline constexpr std::size_t kFirstSlots = std::size_t{1} << 16U;
inline constexpr std::size_t kAhead = 16;  // slots fetched before they are read; memory, not arithmetic, takes the time

/// A key's upper bits say its slot: how far to shift them down.
inline unsigned shift_for(std::size_t num_slots) { return 64U - static_cast<unsigned>(std::countr_zero(num_slots)); }

/// Sharing a fixed number of weights is the same table with fewer keys; 0 buckets: all keys have their own.
inline Key to_bucket(Key key, std::uint64_t num_buckets) {
  const Key bucket = num_buckets == 0 ? key : mix(key % num_buckets);
  return bucket == 0 ? 1 : bucket;
}

}  // namespace ramify::learn
