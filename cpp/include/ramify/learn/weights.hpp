// Weights keyed by feature: a table that grows while it learns, and a small one to predict with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ramify/learn/feature_hash.hpp"
#include "ramify/numeric/large_allocator.hpp"

namespace ramify::learn {

/// Anything that gives a sum of weights; virtual calls are per part, not per feature.
class WeightView {
 public:
  virtual ~WeightView() = default;
  /// Sum of the weights of all keys; a feature without a weight counts 0.
  virtual double sum(std::span<const Key> keys) const = 0;
  /// For each label the sum over all keys with it.
  virtual void label_sums(std::span<const Key> keys, std::span<const Key> labels, std::span<double> out) const = 0;
  /// The same for many stretches of keys, [ends[i - 1], ends[i]), so that memory is asked for well ahead.
  virtual void sums(std::span<const Key> keys, std::span<const std::uint32_t> ends, std::span<double> out) const = 0;
};

/// Which features may get a weight: Martins et al. (2010), section 5, and Gormley et al. (2015), section 7.
enum class FeatureSet : std::uint8_t {
  kComplete,   // whatever an update touches
  kSupported,  // only what occurs in a gold tree
  kBuckets,    // a fixed number of weights, shared by collisions
};

/// Open addressing with linear probing, at most half full. Holds w and one number more: the bookkeeping of its average
/// (add) or of its learning rate (descend, shrink), never both.
class WeightTable {
 public:
  explicit WeightTable(FeatureSet set, std::uint64_t num_buckets);

  /// Opens a weight of 0 for these features, which is how the supported ones become known.
  void support(std::span<const Key> keys);
  /// w += step * value for each key, of which there are as many as values. `time` counts updates from 0, so that the
  /// average after T of them is w - total / T.
  void add(std::span<const Key> keys, std::span<const float> values, double step, double time);

  /// AdaGrad: w += rate * value / h with h the root of the sum of all squared values so far. Keys may repeat and come
  /// in any order; their values add up first.
  void descend(std::vector<std::pair<Key, float>>& gradient, double rate);
  /// The regularizer's part of composite mirror descent for all weights at once, `steps` times with the present h:
  /// w *= (h / (h + strength))^steps, where strength is rate * lambda.
  void shrink(double strength, double steps);

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

  double weight(Key key) const;
  /// Everywhere time 0 means current weights, above 0 averaged ones.
  double sum(std::span<const Key> keys, double time) const;
  void label_sums(std::span<const Key> keys, std::span<const Key> labels, double time, std::span<double> out) const;
  void sums(std::span<const Key> keys, std::span<const std::uint32_t> ends, double time, std::span<double> out) const;

  struct Entry {
    Key key;
    float weight;
    float total;
  };
  /// All features with a weight, ordered by key, so that equal tables have equal contents.
  std::vector<Entry> entries() const;
  void restore(std::span<const Entry> entries);

 private:
  struct Slot {
    Key key;  // 0: free
    float weight;
    float total;  // sum of step * time, or of squared gradients
  };

  Key reduce(Key key) const;
  std::size_t home(Key key) const { return static_cast<std::size_t>(key >> shift_); }
  const Slot* find(Key key) const;
  Slot* find_or_open(Key key);
  void grow();

  FeatureSet set_;
  std::uint64_t num_buckets_;
  unsigned shift_;
  std::size_t size_ = 0;
  std::vector<Slot, numeric::LargeAllocator<Slot>> slots_;
};

/// The table as it learns.
class CurrentWeights : public WeightView {
 public:
  explicit CurrentWeights(const WeightTable& table) : table_(table) {}
  double sum(std::span<const Key> keys) const override { return table_.sum(keys, 0.0); }
  void label_sums(std::span<const Key> keys, std::span<const Key> labels, std::span<double> out) const override {
    table_.label_sums(keys, labels, 0.0, out);
  }
  void sums(std::span<const Key> keys, std::span<const std::uint32_t> ends, std::span<double> out) const override {
    table_.sums(keys, ends, 0.0, out);
  }

 private:
  const WeightTable& table_;
};

/// Its average over the updates so far.
class AveragedWeights : public WeightView {
 public:
  AveragedWeights(const WeightTable& table, double time) : table_(table), time_(time) {}
  double sum(std::span<const Key> keys) const override { return table_.sum(keys, time_); }
  void label_sums(std::span<const Key> keys, std::span<const Key> labels, std::span<double> out) const override {
    table_.label_sums(keys, labels, time_, out);
  }
  void sums(std::span<const Key> keys, std::span<const std::uint32_t> ends, std::span<double> out) const override {
    table_.sums(keys, ends, time_, out);
  }

 private:
  const WeightTable& table_;
  double time_;
};

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
