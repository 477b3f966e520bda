// Weights keyed by feature, in a table that grows while it learns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ramify/learn/feature_hash.hpp"
#include "ramify/learn/optimizer.hpp"
#include "ramify/learn/state.hpp"
#include "ramify/learn/template_scales.hpp"
#include "ramify/learn/weight_view.hpp"
#include "ramify/numeric/large_allocator.hpp"

namespace ramify::learn {

/// Which features may get a weight: Martins et al. (2010), section 5, and Gormley et al. (2015), section 7.
enum class FeatureSet : std::uint8_t {
  kComplete,   // whatever an update touches
  kSupported,  // only what occurs in a gold tree
  kBuckets,    // a fixed number of weights, shared by collisions
};

/// Open addressing with linear probing, at most half full.
class WeightStore {
 public:
  /// What is remembered of each weight is what the optimizer needs. `scaled`: templates can shrink as a whole.
  WeightStore(FeatureSet set, std::uint64_t num_buckets, const OptimizerOptions& options, bool scaled = false);

  /// Opens a weight of 0 for these features, which is how the supported ones become known.
  void support(std::span<const Key> keys);
  /// From here on, no other features than these and those that have a weight already get one.
  void restrict_to(std::span<const Key> keys);
  /// Moves the weight of each key, all different, along its value.
  void move(std::span<const Key> keys, std::span<const float> values, const Optimizer& optimizer, double step,
            double time);
  /// The same for keys that may repeat and come in any order; their values add up first.
  void move_sums(std::vector<std::pair<Key, float>>& values, const Optimizer& optimizer, double step, double time);

  std::size_t size() const { return size_; }
  /// The most weights that it ever held.
  std::size_t most() const { return std::max(most_, size_); }
  std::size_t bytes() const { return slots_.size() * sizeof(Slot) + squares_.size() * sizeof(float); }
  bool averaged() const { return averaged_; }

  double weight(Key key, double time = 0.0) const;
  /// Everywhere time 0 means current weights, above 0 averaged ones.
  double sum(std::span<const Key> keys, double time) const;
  void label_sums(std::span<const Key> keys, std::span<const Key> labels, double time, std::span<double> out) const;
  void sums(std::span<const Key> keys, std::span<const std::uint32_t> ends, double time, std::span<double> out) const;

  /// Calls visit(template, cell) for every weight, in the order of the slots.
  template <class Visit>
  void for_each(const Visit& visit) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].key != 0) visit(template_of(slots_[i].key), cell(i));
    }
  }
  /// Weights in buckets have no template: features of several share them. What asks for templates then throws.
  bool has_templates() const { return num_buckets_ == 0; }
  std::vector<TemplateNorm> template_norms(double time) const;
  /// Forgets the features of a template.
  void drop_template(std::size_t number);

  /// What proximal steps ask for: null, and 1, where templates have no scales.
  TemplateScales* scales() { return scales_ ? &*scales_ : nullptr; }
  bool fall(double, double) { return false; }  // all weights are looked at now and then
  double scale(std::size_t number) const { return scales_ ? scales_->scale(number) : 1.0; }
  /// Gives what the cell holds, the weight by the scale of its template, another value.
  void set(std::size_t number, const WeightCell& cell, double value, double time);
  /// Forgets the features of templates that have shrunk to nothing and, with `zeros`, all whose weight is 0; so memory
  /// follows what is learned. Averages forget them, too.
  void tidy(double time, bool zeros);

  /// All features with their weights, ordered by key, so that equal stores have equal contents.
  std::vector<std::pair<Key, double>> weights(double time) const;
  template <class Visit>
  void for_each_weight(double time, const Visit& visit) const {
    for_each_in_order([&](std::size_t slot) { visit(slots_[slot].key, value(slots_[slot], time)); });
  }
  void save(State& state) const;
  /// Keeps the features that it has and the state does not.
  void restore(const State& state);

 private:
  struct Slot {
    Key key = 0;  // 0: free
    float weight = 0.0F;
    float memory = 0.0F;  // total, or squares if there is no average: four slots fill a line of cache
  };

  Key reduce(Key key) const;
  static bool same(Key a, Key b) { return (a ^ b) <= kTemplate; }
  std::size_t home(Key key) const { return static_cast<std::size_t>(key >> shift_); }
  /// The slot that the key has, or the free one where it would be.
  std::size_t probe(Key key) const;
  const Slot* find(Key key) const;
  std::size_t open(Key key);
  static constexpr std::size_t kNone = ~std::size_t{0};
  /// The slot to learn with, kNone if the feature is to have no weight.
  std::size_t slot_to_learn(Key key);
  WeightCell cell(std::size_t slot) {
    float* const memory = &slots_[slot].memory;
    return {&slots_[slot].weight, averaged_ ? memory : nullptr,
            !adaptive_ ? nullptr : (averaged_ ? &squares_[slot] : memory)};
  }
  double value(const Slot& slot, double time) const {
    if (!averaged_) time = 0.0;
    return scales_ ? scales_->value(template_of(slot.key), slot.weight, slot.memory, time)
                   : average(slot.weight, slot.memory, time);
  }
  void move_slot(std::size_t slot, double descent, const Optimizer& optimizer, double step, double time);
  template <bool scaled>
  void sum_slots(std::span<const Key> keys, std::span<const std::uint32_t> ends, double time,
                 std::span<double> out) const;
  template <class Visit>
  void for_each_in_order(const Visit& visit) const;
  /// Makes room for so many weights at once. Keys that come in order lie far apart only then.
  void reserve(std::size_t num_weights);
  template <class Keep>
  void rehash(std::size_t num_slots, const Keep& keep);
  template <class Keep>
  void forget(const Keep& keep);
  void expect_templates() const;

  FeatureSet set_;
  std::uint64_t num_buckets_;
  bool averaged_;
  bool adaptive_;
  unsigned shift_;
  std::size_t size_ = 0;
  std::size_t most_ = 0;  // before the last time that it became smaller
  std::optional<TemplateScales> scales_;
  std::vector<Slot, numeric::LargeAllocator<Slot>> slots_;
  std::vector<float, numeric::LargeAllocator<float>> squares_;  // by slot, only beside averages
};

/// Calls visit(slot), ordered by key. As the upper bits of a key say its slot, only neighbours have changed places; and
/// some keys were pushed past the end of the table to its beginning.
template <class Visit>
void WeightStore::for_each_in_order(const Visit& visit) const {
  std::vector<std::size_t> run, pushed;
  for (std::size_t i = 0; i < slots_.size() && slots_[i].key != 0; ++i) {
    if (home(slots_[i].key) > i) pushed.push_back(i);
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    run.clear();
    for (; i < slots_.size() && slots_[i].key != 0; ++i) {
      if (home(slots_[i].key) <= i) run.push_back(i);
    }
    if (i == slots_.size()) run.insert(run.end(), pushed.begin(), pushed.end());
    std::ranges::sort(run, {}, [&](std::size_t slot) { return slots_[slot].key; });
    for (const std::size_t slot : run) visit(slot);
  }
}

/// The store as it learns.
class CurrentWeights : public WeightView {
 public:
  explicit CurrentWeights(const WeightStore& table) : table_(table) {}
  double sum(std::span<const Key> keys) const override { return table_.sum(keys, 0.0); }
  void label_sums(std::span<const Key> keys, std::span<const Key> labels, std::span<double> out) const override {
    table_.label_sums(keys, labels, 0.0, out);
  }
  void sums(std::span<const Key> keys, std::span<const std::uint32_t> ends, std::span<double> out) const override {
    table_.sums(keys, ends, 0.0, out);
  }

 private:
  const WeightStore& table_;
};

/// Its average over the updates so far.
class AveragedWeights : public WeightView {
 public:
  AveragedWeights(const WeightStore& table, double time) : table_(table), time_(time) {}
  double sum(std::span<const Key> keys) const override { return table_.sum(keys, time_); }
  void label_sums(std::span<const Key> keys, std::span<const Key> labels, std::span<double> out) const override {
    table_.label_sums(keys, labels, time_, out);
  }
  void sums(std::span<const Key> keys, std::span<const std::uint32_t> ends, std::span<double> out) const override {
    table_.sums(keys, ends, time_, out);
  }

 private:
  const WeightStore& table_;
  double time_;
};

}  // namespace ramify::learn
