#include "ramify/learn/weights.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "ramify/numeric/dispatch.hpp"
#include "slots.hpp"

namespace ramify::learn {

namespace {

constexpr double kDamping = 0.1;  // of AdaGrad

/// Sharing a fixed number of weights is the same table with fewer keys.
Key reduce_to(Key key, std::uint64_t num_buckets) {
  const Key bucket = num_buckets == 0 ? key : mix(key % num_buckets);
  return bucket == 0 ? 1 : bucket;
}

/// AdaGrad's h. The addend keeps features that have only seen tiny gradients from steps as long as the rate.
double damped_root(float squares) { return kDamping + std::sqrt(static_cast<double>(squares)); }

/// Adds the weights of all slots from `home` to the next free one to the labels whose marks they have.
RAMIFY_DISPATCH void add_matches(const FrozenWeights::Slot* slots, std::size_t home, std::size_t mask,
                                 const std::uint16_t* marks, std::size_t num_labels, std::int32_t* totals) {
  for (std::size_t at = home; slots[at].mark != 0; at = (at + 1) & mask) {
    const FrozenWeights::Slot slot = slots[at];
    for (std::size_t l = 0; l < num_labels; ++l) totals[l] += marks[l] == slot.mark ? slot.weight : 0;
  }
}

}  // namespace

WeightTable::WeightTable(FeatureSet set, std::uint64_t num_buckets)
    : set_(set),
      num_buckets_(set == FeatureSet::kBuckets ? num_buckets : 0),
      shift_(shift_for(kFirstSlots)),
      slots_(kFirstSlots) {}

Key WeightTable::reduce(Key key) const { return reduce_to(key, num_buckets_); }

const WeightTable::Slot* WeightTable::find(Key key) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = home(key);; i = (i + 1) & mask) {
    if (slots_[i].key == key) return &slots_[i];
    if (slots_[i].key == 0) return nullptr;
  }
}

WeightTable::Slot* WeightTable::find_or_open(Key key) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = home(key);; i = (i + 1) & mask) {
    if (slots_[i].key == key) return &slots_[i];
    if (slots_[i].key != 0) continue;
    if (2 * (size_ + 1) > slots_.size()) {
      grow();
      return find_or_open(key);
    }
    ++size_;
    slots_[i].key = key;
    return &slots_[i];
  }
}

void WeightTable::grow() {
  decltype(slots_) old(slots_.size() * 2);
  old.swap(slots_);
  shift_ = shift_for(slots_.size());
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.key == 0) continue;
    std::size_t i = home(slot.key);
    while (slots_[i].key != 0) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

void WeightTable::support(std::span<const Key> keys) {
  for (const Key key : keys) find_or_open(reduce(key));
}

void WeightTable::add(std::span<const Key> keys, std::span<const float> values, double step, double time) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) __builtin_prefetch(&slots_[home(reduce(keys[i + kAhead]))], 1);
    const Key key = reduce(keys[i]);
    Slot* slot = set_ == FeatureSet::kSupported ? const_cast<Slot*>(find(key)) : find_or_open(key);
    if (slot == nullptr) continue;
    const double change = step * static_cast<double>(values[i]);
    slot->weight += static_cast<float>(change);
    slot->total += static_cast<float>(change * time);
  }
}

void WeightTable::descend(std::vector<std::pair<Key, float>>& gradient, double rate) {
  for (auto& [key, value] : gradient) key = reduce(key);
  // Not by value too: equal keys keep the order they came in, and sums do not depend on the sorting.
  if (!std::ranges::is_sorted(gradient, {}, &std::pair<Key, float>::first)) {
    std::ranges::stable_sort(gradient, {}, &std::pair<Key, float>::first);
  }
  for (std::size_t i = 0; i < gradient.size();) {
    if (i + kAhead < gradient.size()) __builtin_prefetch(&slots_[home(gradient[i + kAhead].first)], 1);
    const Key key = gradient[i].first;
    double value = 0.0;
    for (; i < gradient.size() && gradient[i].first == key; ++i) value += static_cast<double>(gradient[i].second);
    Slot* slot = set_ == FeatureSet::kSupported ? const_cast<Slot*>(find(key)) : find_or_open(key);
    if (slot == nullptr) continue;
    slot->total += static_cast<float>(value * value);
    slot->weight += static_cast<float>(rate * value / damped_root(slot->total));
  }
}

void WeightTable::shrink(double strength, double steps) {
  for (Slot& slot : slots_) {
    if (slot.weight == 0.0F) continue;
    const double h = damped_root(slot.total);
    slot.weight = static_cast<float>(static_cast<double>(slot.weight) * std::pow(h / (h + strength), steps));
  }
}

double WeightTable::weight(Key key) const {
  const Slot* slot = find(reduce(key));
  return slot == nullptr ? 0.0 : static_cast<double>(slot->weight);
}

double WeightTable::sum(std::span<const Key> keys, double time) const {
  const std::uint32_t end[] = {static_cast<std::uint32_t>(keys.size())};
  double total = 0.0;
  sums(keys, end, time, {&total, 1});
  return total;
}

void WeightTable::label_sums(std::span<const Key> keys, std::span<const Key> labels, double time,
                             std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) __builtin_prefetch(&slots_[home(reduce(keys[i + kAhead]))]);
    for (std::size_t l = 0; l < labels.size(); ++l) {
      const Slot* slot = find(reduce(with_label(keys[i], labels[l])));
      if (slot == nullptr) continue;
      out[l] += static_cast<double>(slot->weight) - (time > 0.0 ? static_cast<double>(slot->total) / time : 0.0);
    }
  }
}

void WeightTable::sums(std::span<const Key> keys, std::span<const std::uint32_t> ends, double time,
                       std::span<double> out) const {
  std::size_t i = 0;
  for (std::size_t part = 0; part < ends.size(); ++part) {
    double weight = 0.0;
    double total = 0.0;
    for (; i < ends[part]; ++i) {
      if (i + kAhead < keys.size()) __builtin_prefetch(&slots_[home(reduce(keys[i + kAhead]))]);
      if (const Slot* slot = find(reduce(keys[i]))) {
        weight += static_cast<double>(slot->weight);
        total += static_cast<double>(slot->total);
      }
    }
    out[part] = time > 0.0 ? weight - total / time : weight;
  }
}

std::vector<WeightTable::Entry> WeightTable::entries() const {
  std::vector<Entry> entries;
  entries.reserve(size_);
  for (const Slot& slot : slots_) {
    if (slot.key != 0) entries.push_back({slot.key, slot.weight, slot.total});
  }
  std::ranges::sort(entries, {}, &Entry::key);
  return entries;
}

void WeightTable::restore(std::span<const Entry> entries) {
  for (const Entry& entry : entries) {
    Slot* slot = find_or_open(entry.key);
    slot->weight = entry.weight;
    slot->total = entry.total;
  }
}

FrozenWeights::FrozenWeights(std::span<const Key> keys, std::span<const std::int16_t> quantised, double scale,
                             std::uint64_t num_buckets)
    : scale_(scale), num_buckets_(num_buckets) {
  const std::size_t num_slots = std::bit_ceil(std::max<std::size_t>(2 * keys.size(), std::size_t{1} << kSmallest));
  slots_.resize(num_slots);
  shift_ = shift_for(num_slots);
  const std::size_t mask = num_slots - 1;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    std::size_t i = static_cast<std::size_t>(keys[k] >> shift_);
    while (slots_[i].mark != 0) i = (i + 1) & mask;
    slots_[i] = {mark_of(keys[k]), quantised[k]};
  }
}

Key FrozenWeights::reduce(Key key) const { return reduce_to(key, num_buckets_); }

std::int64_t FrozenWeights::look_up(Key key) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint16_t mark = mark_of(key);
  for (auto i = static_cast<std::size_t>(key >> shift_);; i = (i + 1) & mask) {
    if (slots_[i].mark == mark) return slots_[i].weight;
    if (slots_[i].mark == 0) return 0;
  }
}

double FrozenWeights::sum(std::span<const Key> keys) const {
  const std::uint32_t end[] = {static_cast<std::uint32_t>(keys.size())};
  double total = 0.0;
  sums(keys, end, {&total, 1});
  return total;
}

void FrozenWeights::label_sums(std::span<const Key> keys, std::span<const Key> labels, std::span<double> out) const {
  constexpr std::size_t kMost = 256;
  if (num_buckets_ > 0 || labels.size() > kMost) {  // shared buckets have no place that labels keep
    for (std::size_t l = 0; l < labels.size(); ++l) {
      std::int64_t total = 0;
      for (const Key key : keys) total += look_up(reduce(with_label(key, labels[l])));
      out[l] = static_cast<double>(total) * scale_;
    }
    return;
  }
  std::array<std::uint16_t, kMost> marks;
  std::array<std::int32_t, kMost> totals{};
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) __builtin_prefetch(&slots_[keys[i + kAhead] >> shift_]);
    const auto home = static_cast<std::size_t>(keys[i] >> shift_);
    if (slots_[home].mark == 0) continue;
    for (std::size_t l = 0; l < labels.size(); ++l) marks[l] = mark_of(with_label(keys[i], labels[l]));
    add_matches(slots_.data(), home, mask, marks.data(), labels.size(), totals.data());
  }
  for (std::size_t l = 0; l < labels.size(); ++l) out[l] = static_cast<double>(totals[l]) * scale_;
}

void FrozenWeights::sums(std::span<const Key> keys, std::span<const std::uint32_t> ends, std::span<double> out) const {
  std::size_t i = 0;
  for (std::size_t part = 0; part < ends.size(); ++part) {
    std::int64_t total = 0;
    for (; i < ends[part]; ++i) {
      if (i + kAhead < keys.size()) __builtin_prefetch(&slots_[reduce(keys[i + kAhead]) >> shift_]);
      total += look_up(reduce(keys[i]));
    }
    out[part] = static_cast<double>(total) * scale_;
  }
}

}  // namespace ramify::learn
