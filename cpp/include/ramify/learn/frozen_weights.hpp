// Weights keyed by feature, in a small table to predict with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ramify/learn/weight_view.hpp"
#include "ramify/numeric/large_allocator.hpp"

namespace ramify::learn {

/// Read-only weights in four bytes each: 16 bits that recognise the feature, 16 bits of weight. A feature without a
/// weight is taken for another with a probability of about 1 in 30,000.
class FrozenWeights : public WeightView {
 public:
  FrozenWeights() : slots_(std::size_t{1} << kSmallest), shift_(64 - kSmallest) {}
  /// keys ascending, only their upper kKeyBits count; weight = quantised * scale.
  FrozenWeights(std::span<const Key> keys, std::span<const std::int16_t> quantised, double scale,
                std::uint64_t num_buckets);

  double sum(std::span<const Key> keys) const override;
  void label_sums(std::span<const Key> keys, std::span<const Key> labels, std::span<double> out) const override;
  void sums(std::span<const Key> keys, std::span<const std::uint32_t> ends, std::span<double> out) const override;
  double weight(Key key) const { return static_cast<double>(look_up(reduce(key))) * scale_; }
  std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

  static constexpr unsigned kKeyBits = 40;
  struct Slot {
    std::uint16_t mark = 0;  // 0: free
    std::int16_t weight = 0;
  };

 private:
  static constexpr unsigned kSmallest = 4;
  static std::uint16_t mark_of(Key key) {
    const auto mark = static_cast<std::uint16_t>(key >> (64 - kKeyBits));
    return mark == 0 ? std::uint16_t{1} : mark;
  }
  Key reduce(Key key) const;
  std::int64_t look_up(Key key) const;

  std::vector<Slot, numeric::LargeAllocator<Slot>> slots_;
  unsigned shift_;
  double scale_ = 0.0;
  std::uint64_t num_buckets_ = 0;
};

}  // namespace ramify::learn
