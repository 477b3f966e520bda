// Weights of features with labels: one look-up of a feature finds the weights of all its labels.
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

/// Rows that grow while they learn: a short list of labels, or all labels once a row has many.
class LabelRows {
 public:
  struct Entry {
    float weight = 0.0F;
    float total = 0.0F;    // sum of step * time, for the average
    float squares = 0.0F;  // of gradients, for adaptive steps
    std::uint32_t label = 0;
  };

  LabelRows(std::size_t num_features, std::size_t num_labels);

  std::size_t num_features() const { return rows_.size(); }
  std::size_t num_labels() const { return num_labels_; }
  std::span<const Entry> row(std::size_t feature) const {
    return std::span(pool_).subspan(rows_[feature].begin, rows_[feature].size);
  }
  Entry* find(std::size_t feature, std::uint32_t label);
  /// The entry, made where there is none. Pointers into other rows are void after this.
  Entry& open(std::size_t feature, std::uint32_t label);
  std::size_t size() const { return size_; }  // entries, whole rows counted whole

 private:
  struct Row {
    std::uint64_t begin = 0;
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;
  };
  bool whole(const Row& row) const { return row.size == num_labels_; }
  void move_row(Row& row, std::uint32_t capacity);

  std::size_t num_labels_;
  std::uint32_t most_;  // labels of a list; beyond, a row has all
  std::vector<Row> rows_;
  std::vector<Entry, numeric::LargeAllocator<Entry>> pool_;
  std::size_t size_ = 0;
};

/// What a model file holds of the rows: features ascending, each with its labels ascending.
struct QuantisedRows {
  std::vector<Key> keys;              // bits below FrozenLabelRows::kKeyBits are 0
  std::vector<std::uint16_t> counts;  // labels of each feature, at least 1
  std::vector<std::uint16_t> labels;
  std::vector<std::int16_t> weights;
  double scale = 0.0;
};

struct FreezeOptions {
  double time = 0.0;  // updates; the average is taken if above 0
  std::size_t max_weights = 0;
  double min_weight = 0.0;  // smaller ones, in absolute value, are dropped
};
/// Rows of the same features with the weights that freeze() would keep, all 0 again.
LabelRows keep_only(const LabelRows& rows, const FreezeOptions& options);
QuantisedRows freeze(const LabelRows& rows, std::span<const Key> keys, const FreezeOptions& options);

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
