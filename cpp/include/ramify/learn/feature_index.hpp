// Numbers for the features of a training set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ramify/learn/feature_hash.hpp"
#include "ramify/numeric/large_allocator.hpp"

namespace ramify::learn {

/// Numbers the features of a training set, so that learning needs no hashing.
class FeatureIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  FeatureIndex();

  void count(Key key);
  /// Ends counting: features seen at least `least` times get numbers, in the order in which they came.
  void settle(std::uint32_t least);
  std::uint32_t find(Key key) const;
  std::size_t size() const { return keys_.size(); }
  std::span<const Key> keys() const { return keys_; }  // by number

 private:
  struct Slot {
    Key key = 0;  // 0: free
    std::uint32_t value = 0;
  };
  Slot& slot_of(Key key);
  void grow();

  std::vector<Slot, numeric::LargeAllocator<Slot>> slots_;
  unsigned shift_;
  std::size_t used_ = 0;
  std::vector<Key> keys_;
};

}  // namespace ramify::learn
