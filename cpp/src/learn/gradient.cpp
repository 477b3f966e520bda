#include "ramify/learn/gradient.hpp"

#include <algorithm>

namespace ramify::learn {

/// By key, then by value. Keys are hashes, so that buckets by their upper bits are small and about equal.
void GradientSum::sort() {
  constexpr unsigned kShift = 64 - 10;
  ends_.assign((std::size_t{1} << (64 - kShift)) + 1, 0);
  for (const auto& [key, value] : entries_) ++ends_[(key >> kShift) + 1];
  for (std::size_t i = 1; i < ends_.size(); ++i) ends_[i] += ends_[i - 1];
  sorted_.resize(entries_.size());
  for (const auto& entry : entries_) sorted_[ends_[entry.first >> kShift]++] = entry;
  auto begin = sorted_.begin();
  for (std::size_t i = 0; i + 1 < ends_.size(); ++i) {
    const auto end = sorted_.begin() + static_cast<std::ptrdiff_t>(ends_[i]);
    std::sort(begin, end);
    begin = end;
  }
  entries_.swap(sorted_);
}

Gradient GradientSum::take(double loss) {
  sort();
  Gradient out;
  out.loss = loss;
  out.keys.reserve(entries_.size());
  out.values.reserve(entries_.size());
  for (std::size_t i = 0; i < entries_.size();) {
    const Key key = entries_[i].first;
    float value = 0.0F;
    for (; i < entries_.size() && entries_[i].first == key; ++i) value += entries_[i].second;
    if (value == 0.0F) continue;
    out.keys.push_back(key);
    out.values.push_back(value);
    out.squared_norm += static_cast<double>(value) * static_cast<double>(value);
  }
  return out;
}

}  // namespace ramify::learn
