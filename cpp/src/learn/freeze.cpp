#include "ramify/learn/freeze.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "ramify/learn/frozen_weights.hpp"

namespace ramify::learn {

namespace {

static_assert(FrozenWeights::kKeyBits == FrozenLabelRows::kKeyBits);
constexpr Key kLow = (Key{1} << (64U - FrozenWeights::kKeyBits)) - 1;

/// What orders items of equal size, so that equal weights give equal files.
struct HashedItem {
  Key key;
  double weight;
  std::size_t number;  // of the template
  Key place() const { return key; }
};

struct RowItem {
  std::uint32_t feature;
  std::uint32_t label;
  float weight;
  std::tuple<std::uint32_t, std::uint32_t> place() const { return {feature, label}; }
};

/// Leaves the largest, of equals the first ones, in any order.
template <class Item>
void keep_largest(std::vector<Item>& items, std::size_t max_weights) {
  if (items.size() <= max_weights) return;
  const auto larger = [](const Item& a, const Item& b) {
    const auto x = std::abs(a.weight);
    const auto y = std::abs(b.weight);
    return x != y ? x > y : a.place() < b.place();
  };
  std::ranges::nth_element(items, items.begin() + static_cast<std::ptrdiff_t>(max_weights), larger);
  items.resize(max_weights);
}

/// The unit by which the largest weight just fits 16 bits.
template <class Item>
double scale_of(const std::vector<Item>& items) {
  double most = 0.0;
  for (const Item& item : items) most = std::max(most, static_cast<double>(std::abs(item.weight)));
  return most / std::numeric_limits<std::int16_t>::max();
}

std::int16_t quantise(double weight, double scale) { return static_cast<std::int16_t>(std::round(weight / scale)); }

std::vector<RowItem> largest(const LabelRows& rows, const FreezeOptions& options) {
  std::vector<RowItem> items;
  for (std::size_t f = 0; f < rows.num_features(); ++f) {
    for (const LabelRows::Entry& e : rows.row(f)) {
      const double weight = rows.value(f, e, options.time);
      if (std::abs(weight) <= options.min_weight) continue;
      items.push_back({static_cast<std::uint32_t>(f), e.label, static_cast<float>(weight)});
    }
  }
  keep_largest(items, options.max_weights);
  return items;
}

}  // namespace

QuantisedWeights freeze(const WeightStore& store, const FreezeOptions& options) {
  std::vector<HashedItem> items;
  items.reserve(store.size());
  store.for_each_weight(options.time, [&](Key whole_key, double weight) {
    const Key key = whole_key & ~kLow;
    if (!items.empty() && items.back().key == key) {
      items.back().weight += weight;
    } else {
      items.push_back({key, weight, template_of(whole_key)});
    }
  });
  std::erase_if(items, [&](const HashedItem& item) { return std::abs(item.weight) <= options.min_weight; });
  keep_largest(items, options.max_weights);
  QuantisedWeights out;
  out.scale = scale_of(items);
  if (out.scale == 0.0) return out;
  if (!std::ranges::is_sorted(items, {}, &HashedItem::key)) std::ranges::sort(items, {}, &HashedItem::key);
  for (const HashedItem& item : items) {
    const std::int16_t weight = quantise(item.weight, out.scale);
    if (weight == 0) continue;
    out.keys.push_back(item.key);
    out.weights.push_back(weight);
    if (!store.has_templates()) continue;
    if (out.templates.size() <= item.number) out.templates.resize(item.number + 1);
    ++out.templates[item.number].count;
    out.templates[item.number].squares += item.weight * item.weight;
  }
  return out;
}

QuantisedRows freeze(const LabelRows& rows, std::span<const Key> keys, const FreezeOptions& options) {
  QuantisedRows out;
  std::vector<RowItem> items = largest(rows, options);
  out.scale = scale_of(items);
  if (out.scale == 0.0) return out;
  const auto key_of = [&](const RowItem& item) { return keys[item.feature] & ~kLow; };
  std::ranges::sort(items, {}, [&](const RowItem& item) { return std::tuple(key_of(item), item.label, item.feature); });
  for (const RowItem& item : items) {
    const std::int16_t weight = quantise(static_cast<double>(item.weight), out.scale);
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

LabelRows keep_only(const LabelRows& rows, const FreezeOptions& options, const OptimizerOptions& optimizer) {
  LabelRows out(rows.templates(), rows.num_labels(), optimizer);
  std::vector<RowItem> items = largest(rows, options);
  std::ranges::sort(items, {}, &RowItem::place);
  for (const RowItem& item : items) out.open(item.feature, item.label);
  return out;
}

}  // namespace ramify::learn
