#include "ramify/learn/frozen_label_rows.hpp"

#include <algorithm>
#include <bit>

#include "ramify/numeric/dispatch.hpp"
#include "slots.hpp"

namespace ramify::learn {

namespace {

RAMIFY_DISPATCH void add_whole(const std::int16_t* weights, float value, float* out, std::size_t n) {
  for (std::size_t l = 0; l < n; ++l) out[l] += value * static_cast<float>(weights[l]);
}

}  // namespace

FrozenLabelRows::FrozenLabelRows(std::size_t num_labels) : num_labels_(num_labels), slots_(16), shift_(shift_for(16)) {}

FrozenLabelRows::FrozenLabelRows(const QuantisedRows& rows, std::size_t num_labels)
    : num_labels_(num_labels), scale_(rows.scale) {
  const std::size_t num_slots = std::bit_ceil(std::max<std::size_t>(2 * rows.keys.size(), 16));
  slots_.resize(num_slots);
  shift_ = shift_for(num_slots);
  std::size_t from = 0;
  for (std::size_t k = 0; k < rows.keys.size(); ++k) {
    std::size_t i = static_cast<std::size_t>(rows.keys[k] >> shift_);
    while (slots_[i].mark != 0) i = (i + 1) & (num_slots - 1);
    slots_[i] = {mark_of(rows.keys[k]), static_cast<std::uint32_t>(pool_.size())};
    const std::size_t count = rows.counts[k];
    const bool is_whole = 2 * count > num_labels && num_labels >= 4;
    pool_.push_back({static_cast<std::uint16_t>(is_whole ? 0 : count), 0});
    if (is_whole) {
      std::vector<std::int16_t> all(num_labels + num_labels % 2, 0);
      for (std::size_t e = from; e < from + count; ++e) all[rows.labels[e]] = rows.weights[e];
      for (std::size_t l = 0; l < all.size(); l += 2) {
        pool_.push_back({std::bit_cast<std::uint16_t>(all[l]), all[l + 1]});
      }
    } else {
      for (std::size_t e = from; e < from + count; ++e) pool_.push_back({rows.labels[e], rows.weights[e]});
    }
    from += count;
  }
}

void FrozenLabelRows::add_row(std::uint32_t begin, float value, float* out) const {
  static_assert(sizeof(Pair) == 2 * sizeof(std::int16_t));
  const Pair* at = pool_.data() + begin;
  const std::size_t count = at->label;
  ++at;
  if (count == 0) {
    add_whole(reinterpret_cast<const std::int16_t*>(at), value, out, num_labels_);
    return;
  }
  for (const Pair* const end = at + count; at != end; ++at) out[at->label] += value * static_cast<float>(at->weight);
}

void FrozenLabelRows::find(std::span<const Key> keys, std::span<std::uint32_t> rows) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < std::min(kAhead, keys.size()); ++i) __builtin_prefetch(&slots_[keys[i] >> shift_]);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) __builtin_prefetch(&slots_[keys[i + kAhead] >> shift_]);
    const std::uint32_t mark = mark_of(keys[i]);
    rows[i] = kMissing;
    for (auto s = static_cast<std::size_t>(keys[i] >> shift_); slots_[s].mark != 0; s = (s + 1) & mask) {
      if (slots_[s].mark != mark) continue;
      rows[i] = slots_[s].begin;
      __builtin_prefetch(&pool_[rows[i]]);
      break;
    }
  }
}

void FrozenLabelRows::add(std::span<const std::uint32_t> rows, std::span<const float> values, float* out) const {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != kMissing) add_row(rows[i], values.empty() ? 1.0F : values[i], out);
  }
}

}  // namespace ramify::learn
