// What an example teaches: minus the gradient of its loss, by feature.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "ramify/learn/feature_hash.hpp"

namespace ramify::learn {

struct Gradient {
  std::vector<Key> keys;  // ascending, each once
  std::vector<float> values;
  double squared_norm = 0.0;
  double loss = 0.0;
};

/// Adds up the features of parts. Reused from example to example, since its memory is large.
class GradientSum {
 public:
  void clear() { entries_.clear(); }
  void add(std::span<const Key> keys, float value) {
    for (const Key key : keys) entries_.emplace_back(key, value);
  }
  void add(Key key, float value) { entries_.emplace_back(key, value); }
  /// What adds up to 0 is left out.
  Gradient take(double loss);

 private:
  void sort();

  std::vector<std::pair<Key, float>> entries_, sorted_;
  std::vector<std::size_t> ends_;
};

}  // namespace ramify::learn
