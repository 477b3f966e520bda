#include "ramify/learn/label_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ramify/numeric/dispatch.hpp"
#include "slots.hpp"

namespace ramify::learn {

namespace {

constexpr Key kLow = (Key{1} << (64U - FrozenLabelRows::kKeyBits)) - 1;

RAMIFY_DISPATCH void add_whole(const std::int16_t* weights, float value, float* out, std::size_t n) {
  for (std::size_t l = 0; l < n; ++l) out[l] += value * static_cast<float>(weights[l]);
}

}  // namespace

FeatureIndex::FeatureIndex() : slots_(kFirstSlots), shift_(shift_for(kFirstSlots)) {}

FeatureIndex::Slot& FeatureIndex::slot_of(Key key) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = static_cast<std::size_t>(key >> shift_);
  while (slots_[i].key != 0 && slots_[i].key != key) i = (i + 1) & mask;
  return slots_[i];
}

void FeatureIndex::grow() {
  decltype(slots_) old(slots_.size() * 2);
  old.swap(slots_);
  shift_ = shift_for(slots_.size());
  for (const Slot& slot : old) {
    if (slot.key != 0) slot_of(slot.key) = slot;
  }
}

void FeatureIndex::count(Key key) {
  key = key == 0 ? 1 : key;
  Slot* slot = &slot_of(key);
  if (slot->key == 0) {
    if (2 * (used_ + 1) > slots_.size()) {
      grow();
      slot = &slot_of(key);
    }
    ++used_;
    slot->key = key;
    keys_.push_back(key);
  }
  ++slot->value;
}

void FeatureIndex::settle(std::uint32_t least) {
  std::vector<Key> kept;
  for (const Key key : keys_) {
    Slot& slot = slot_of(key);
    if (slot.value < least) {
      slot.value = kNone;
      continue;
    }
    slot.value = static_cast<std::uint32_t>(kept.size());
    kept.push_back(key);
  }
  keys_ = std::move(kept);
}

std::uint32_t FeatureIndex::find(Key key) const {
  const std::size_t mask = slots_.size() - 1;
  key = key == 0 ? 1 : key;
  for (std::size_t i = static_cast<std::size_t>(key >> shift_);; i = (i + 1) & mask) {
    if (slots_[i].key == key) return slots_[i].value;
    if (slots_[i].key == 0) return kNone;
  }
}

LabelRows::LabelRows(std::size_t num_features, std::size_t num_labels)
    : num_labels_(num_labels),
      most_(static_cast<std::uint32_t>(std::min<std::size_t>(std::max<std::size_t>(num_labels / 3, 4), 24))),
      rows_(num_features) {}

LabelRows::Entry* LabelRows::find(std::size_t feature, std::uint32_t label) {
  const Row& row = rows_[feature];
  Entry* const begin = pool_.data() + row.begin;
  if (whole(row)) return begin + label;
  for (std::uint32_t i = 0; i < row.size; ++i) {
    if (begin[i].label == label) return begin + i;
  }
  return nullptr;
}

void LabelRows::move_row(Row& row, std::uint32_t capacity) {
  const std::uint64_t begin = pool_.size();
  pool_.resize(begin + capacity);
  std::copy_n(pool_.data() + row.begin, row.size, pool_.data() + begin);
  row.begin = begin;
  row.capacity = capacity;
}

LabelRows::Entry& LabelRows::open(std::size_t feature, std::uint32_t label) {
  if (Entry* entry = find(feature, label)) return *entry;
  Row& row = rows_[feature];
  ++size_;
  if (row.size >= most_) {  // from here on with all labels, each in its place
    const std::vector<Entry> old(pool_.data() + row.begin, pool_.data() + row.begin + row.size);
    size_ += num_labels_ - row.size - 1;
    row.size = 0;
    move_row(row, static_cast<std::uint32_t>(num_labels_));
    row.size = static_cast<std::uint32_t>(num_labels_);
    for (std::uint32_t l = 0; l < num_labels_; ++l) pool_[row.begin + l].label = l;
    for (const Entry& entry : old) pool_[row.begin + entry.label] = entry;
    return pool_[row.begin + label];
  }
  if (row.size == row.capacity) move_row(row, std::max(2 * row.capacity, std::uint32_t{1}));
  Entry& entry = pool_[row.begin + row.size];
  entry = {0.0F, 0.0F, 0.0F, label};
  ++row.size;
  // A list as long as a whole row must be one.
  if (whole(row)) std::ranges::sort(std::span(pool_).subspan(row.begin, row.size), {}, &Entry::label);
  return *find(feature, label);
}

namespace {

struct Item {
  std::uint32_t feature;
  std::uint32_t label;
  float weight;
};

/// The weights that a model file will hold.
std::vector<Item> largest(const LabelRows& rows, const FreezeOptions& options) {
  std::vector<Item> items;
  for (std::size_t f = 0; f < rows.num_features(); ++f) {
    for (const LabelRows::Entry& e : rows.row(f)) {
      const double average =
          static_cast<double>(e.weight) - (options.time > 0.0 ? static_cast<double>(e.total) / options.time : 0.0);
      if (std::abs(average) > options.min_weight) {
        items.push_back({static_cast<std::uint32_t>(f), e.label, static_cast<float>(average)});
      }
    }
  }
  if (items.size() > options.max_weights) {
    // Ties at the limit are decided by number, so that equal tables give equal files.
    const auto larger = [](const Item& a, const Item& b) {
      const float x = std::abs(a.weight);
      const float y = std::abs(b.weight);
      return x != y ? x > y : a.feature != b.feature ? a.feature < b.feature : a.label < b.label;
    };
    std::ranges::nth_element(items, items.begin() + static_cast<std::ptrdiff_t>(options.max_weights), larger);
    items.resize(options.max_weights);
  }
  return items;
}

}  // namespace

LabelRows keep_only(const LabelRows& rows, const FreezeOptions& options) {
  LabelRows out(rows.num_features(), rows.num_labels());
  std::vector<Item> items = largest(rows, options);
  std::ranges::sort(items, [](const Item& a, const Item& b) {
    return a.feature != b.feature ? a.feature < b.feature : a.label < b.label;
  });
  for (const Item& item : items) out.open(item.feature, item.label);
  return out;
}

QuantisedRows freeze(const LabelRows& rows, std::span<const Key> keys, const FreezeOptions& options) {
  QuantisedRows out;
  std::vector<Item> items = largest(rows, options);
  if (items.empty()) return out;
  float most = 0.0F;
  for (const Item& item : items) most = std::max(most, std::abs(item.weight));
  out.scale = static_cast<double>(most) / std::numeric_limits<std::int16_t>::max();
  const auto key_of = [&](const Item& item) { return keys[item.feature] & ~kLow; };
  std::ranges::sort(items, [&](const Item& a, const Item& b) {
    const Key x = key_of(a);
    const Key y = key_of(b);
    return x != y ? x < y : a.label != b.label ? a.label < b.label : a.feature < b.feature;
  });
  for (const Item& item : items) {
    const auto weight = static_cast<std::int16_t>(std::lround(static_cast<double>(item.weight) / out.scale));
    if (weight == 0) continue;
    if (out.keys.empty() || key_of(item) != out.keys.back()) {
      out.keys.push_back(key_of(item));
      out.counts.push_back(0);
    } else if (out.labels.back() == item.label) {
      continue;  // two features whose keys share 40 bits: the first is kept
    }
    ++out.counts.back();
    out.labels.push_back(static_cast<std::uint16_t>(item.label));
    out.weights.push_back(weight);
  }
  return out;
}

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
