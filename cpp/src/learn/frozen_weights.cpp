#include "ramify/learn/frozen_weights.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "ramify/numeric/dispatch.hpp"
#include "slots.hpp"

namespace ramify::learn {

namespace {

/// Adds the weights of all slots from `home` to the next free one to the labels whose marks they have.
RAMIFY_DISPATCH void add_matches(const FrozenWeights::Slot* slots, std::size_t home, std::size_t mask,
                                 const std::uint16_t* marks, std::size_t num_labels, std::int32_t* totals) {
  for (std::size_t at = home; slots[at].mark != 0; at = (at + 1) & mask) {
    const FrozenWeights::Slot slot = slots[at];
    for (std::size_t l = 0; l < num_labels; ++l) totals[l] += marks[l] == slot.mark ? slot.weight : 0;
  }
}

}  // namespace

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

Key FrozenWeights::reduce(Key key) const { return to_bucket(key, num_buckets_); }

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
