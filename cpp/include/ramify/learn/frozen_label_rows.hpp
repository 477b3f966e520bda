// Weights of features with labels, to predict with: one look-up of a feature finds the weights of all its labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ramify/learn/feature_hash.hpp"
#include "ramify/numeric/large_allocator.hpp"

namespace ramify::learn {

/// What a model file holds of the rows: features ascending, each with its labels ascending.
struct QuantisedRows {
  std::vector<Key> keys;              // bits below FrozenLabelRows::kKeyBits are 0
  std::vector<std::uint16_t> counts;  // labels of each feature, at least 1
  std::vector<std::uint16_t> labels;
  std::vector<std::int16_t> weights;
  double scale = 0.0;
};

/// Read-only rows to predict with.
class FrozenLabelRows {
 public:
  static constexpr unsigned kKeyBits = 40;
  explicit FrozenLabelRows(std::size_t num_labels = 1);
  FrozenLabelRows(const QuantisedRows& rows, std::size_t num_labels);

  static constexpr std::uint32_t kMissing = ~std::uint32_t{0};
  /// Where the rows of features are, kMissing for those without weights. For many features at once, as memory, not
  /// arithmetic, takes the time.
  void find(std::span<const Key> keys, std::span<std::uint32_t> rows) const;
  /// out[label] += value * weight / scale for every row. values: one a row, or none for 1 each.
  void add(std::span<const std::uint32_t> rows, std::span<const float> values, float* out) const;
  double scale() const { return scale_; }
  std::size_t bytes() const { return slots_.size() * sizeof(Slot) + pool_.size() * sizeof(Pair); }

 private:
  struct Slot {
    std::uint32_t mark = 0;  // 0: free
    std::uint32_t begin = 0;
  };
  struct Pair {
    std::uint16_t label;
    std::int16_t weight;
  };
  static std::uint32_t mark_of(Key key) {
    const auto mark = static_cast<std::uint32_t>(key >> (64U - kKeyBits));
    return mark == 0 ? 1U : mark;
  }
  void add_row(std::uint32_t begin, float value, float* out) const;

  std::size_t num_labels_;
  std::vector<Slot, numeric::LargeAllocator<Slot>> slots_;
  unsigned shift_;
  // A row: its number of labels (0: all, weights only follow, two in a Pair), then its labels with weights.
  std::vector<Pair, numeric::LargeAllocator<Pair>> pool_;
  double scale_ = 0.0;
};

}  // namespace ramify::learn
