#include "ramify/learn/freeze.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ramify::learn {

QuantisedWeights freeze(const WeightTable& table, double time, std::size_t max_weights) {
  constexpr Key kLow = (Key{1} << (64U - FrozenWeights::kKeyBits)) - 1;
  std::vector<WeightTable::Entry> entries = table.entries();
  std::vector<std::pair<Key, double>> averages;
  averages.reserve(entries.size());
  for (const WeightTable::Entry& e : entries) {
    const Key key = e.key & ~kLow;
    const double average = static_cast<double>(e.weight) - (time > 0.0 ? static_cast<double>(e.total) / time : 0.0);
    if (!averages.empty() && averages.back().first == key) {
      averages.back().second += average;
    } else {
      averages.emplace_back(key, average);
    }
  }
  double largest = 0.0;
  for (const auto& [key, average] : averages) largest = std::max(largest, std::abs(average));
  QuantisedWeights out;
  out.scale = largest / std::numeric_limits<std::int16_t>::max();
  if (out.scale == 0.0) return out;
  double smallest = out.scale / 2;
  if (averages.size() > max_weights) {
    std::vector<double> sizes;
    sizes.reserve(averages.size());
    for (const auto& [key, average] : averages) sizes.push_back(std::abs(average));
    const auto cut = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() - max_weights);
    std::ranges::nth_element(sizes, cut);
    smallest = std::max(smallest, *cut);
  }
  // Of equals at the threshold the first ones are taken.
  const auto larger = static_cast<std::size_t>(
      std::ranges::count_if(averages, [&](const auto& entry) { return std::abs(entry.second) > smallest; }));
  std::size_t ties = max_weights > larger ? max_weights - larger : 0;
  for (const auto& [key, average] : averages) {
    const double quantised = std::round(average / out.scale);
    if (std::abs(average) < smallest || quantised == 0.0) continue;
    if (std::abs(average) == smallest && ties-- == 0) {
      ties = 0;
      continue;
    }
    out.keys.push_back(key);
    out.weights.push_back(static_cast<std::int16_t>(quantised));
  }
  return out;
}

}  // namespace ramify::learn
