// Proximal steps that many small groups have not taken yet.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "ramify/learn/state.hpp"

namespace ramify::learn {

/// The history of a penalty that is the same for all groups: of norms of rows, or of sizes of single weights. Steps
/// that follow one another take from a norm what one step with the sum of their thresholds takes, so that a group need
/// not be looked at before it has a gradient (Martins et al. 2011, section 4; Carpenter 2008).
class Gravity {
 public:
  Gravity() : falls_(1, 0.0), moments_(1, 0.0) {}

  /// How many steps there were so far: the stamp of a group that has taken all of them.
  std::uint32_t now() const { return static_cast<std::uint32_t>(falls_.size() - 1); }
  void add(double threshold, double time) {
    falls_.push_back(falls_.back() + threshold);
    moments_.push_back(moments_.back() + threshold * time);
  }
  /// What a norm has lost since a stamp, if it was larger.
  double fall(std::uint32_t stamp) const { return falls_.back() - falls_[stamp]; }
  /// Sum of what it lost times when, which averages need.
  double moment(std::uint32_t stamp) const { return moments_.back() - moments_[stamp]; }

  void save(State& state) const {
    state.put("falls", falls_);
    state.put("moments", moments_);
  }
  void restore(const State& state) {
    const auto& falls = state.get<double>("falls");
    const auto& moments = state.get<double>("moments", falls.size());
    if (falls.empty()) throw std::invalid_argument("The state to go on from expects 'falls' of at least one number.");
    falls_ = falls;
    moments_ = moments;
  }

 private:
  std::vector<double> falls_, moments_;  // after each step, and before the first one
};

}  // namespace ramify::learn
