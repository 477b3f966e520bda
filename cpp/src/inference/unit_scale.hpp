// Scores in units of their largest, so that what counts as equal does not depend on the units of the caller.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "ramify/inference/ad3.hpp"

namespace ramify::inference {

/// The same problem with all scores divided by a power of two, which rounds nothing: the largest finite one is then
/// between 1 and 2.
class UnitScale {
 public:
  explicit UnitScale(const ScoredGraph& problem) : unit_(unit_of(problem)) {
    for (const double s : problem.unary) unary_.push_back(s / unit_);
    for (const double s : problem.parts) parts_.push_back(s / unit_);
    completion_ = problem.completion;
  }

  ScoredGraph problem(const FactorGraph& graph) const { return {graph, unary_, parts_, completion_}; }

  Ad3Options inside(Ad3Options options) const {
    options.cutoff /= unit_;
    options.quadratic /= unit_;
    return options;
  }
  void enter(std::vector<double>& duals) const {
    for (double& dual : duals) dual /= unit_;
  }
  void leave(std::vector<double>& duals) const {
    for (double& dual : duals) dual *= unit_;
  }
  void enter(Ad3State& state) const {
    enter(state.duals);
    state.penalty /= unit_;
  }
  void leave(Ad3State& state) const {
    leave(state.duals);
    state.penalty *= unit_;
  }
  void leave(Ad3Result& result) const {
    result.value *= unit_;
    result.bound *= unit_;
    result.relaxed_value *= unit_;
  }

 private:
  static double unit_of(const ScoredGraph& problem) {
    double largest = 0.0;
    for (const Scores scores : {problem.unary, problem.parts}) {
      for (const double s : scores) largest = std::isfinite(s) ? std::max(largest, std::abs(s)) : largest;
    }
    constexpr int kMost = 1000;  // beyond, 1 / unit would be no number any more
    return largest > 0.0 ? std::ldexp(1.0, std::clamp(std::ilogb(largest), -kMost, kMost)) : 1.0;
  }

  double unit_;
  std::vector<double> unary_, parts_;
  const Completion* completion_ = nullptr;
};

}  // namespace ramify::inference
