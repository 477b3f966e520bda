// The sum of scores and messages at every coordinate of the variables, infinities counted apart.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "ramify/graph/factor_graph.hpp"

namespace ramify::inference {

/// What a variable knows, less what one factor told it, without ever subtracting infinities.
class Beliefs {
 public:
  /// Starts from the scores; counting (per edge, empty = all 1) scales the messages that are added later.
  void reset(factors::Scores unary) {
    sum_.assign(unary.begin(), unary.end());
    if (!hard_) hard_ = !std::ranges::all_of(unary, [](double s) { return std::isfinite(s); });
    if (!hard_) return;
    forced_.assign(unary.size(), 0);
    forbidden_.assign(unary.size(), 0);
    for (std::size_t c = 0; c < unary.size(); ++c) {
      if (!std::isfinite(unary[c])) sum_[c] = 0.0, count(c, unary[c], 1);
    }
  }

  /// Whether some score or message so far was infinite; only then the slower path is needed.
  bool hard() const { return hard_; }
  /// Call before adding the first infinite message.
  void harden() {
    if (hard_) return;
    hard_ = true;
    forced_.assign(sum_.size(), 0);
    forbidden_.assign(sum_.size(), 0);
  }

  void add(std::size_t coord, double message, double scale) {
    if (!hard_ || std::isfinite(message)) {
      sum_[coord] += scale * message;
    } else {
      count(coord, message, 1);
    }
  }
  void remove(std::size_t coord, double message, double scale) {
    if (!hard_ || std::isfinite(message)) {
      sum_[coord] -= scale * message;
    } else {
      count(coord, message, -1);
    }
  }

  /// Belief less one message; sets contradiction where the rest both forbids and forces the state.
  double without(std::size_t coord, double message, bool& contradiction) const {
    if (!hard_) return sum_[coord] - message;
    const bool finite = std::isfinite(message);
    const std::int32_t forced = forced_[coord] - (!finite && message > 0.0);
    const std::int32_t forbidden = forbidden_[coord] - (!finite && message < 0.0);
    if (forced > 0 && forbidden > 0) {
      contradiction = true;
      return 0.0;
    }
    if (forbidden > 0) return factors::kForbidden;
    if (forced > 0) return factors::kForced;
    return finite ? sum_[coord] - message : sum_[coord];
  }
  double at(std::size_t coord, bool& contradiction) const { return without(coord, 0.0, contradiction); }

 private:
  void count(std::size_t coord, double message, std::int32_t by) {
    (message > 0.0 ? forced_ : forbidden_)[coord] += by;
  }

  bool hard_ = false;
  std::vector<double> sum_;
  std::vector<std::int32_t> forced_;
  std::vector<std::int32_t> forbidden_;
};

}  // namespace ramify::inference
