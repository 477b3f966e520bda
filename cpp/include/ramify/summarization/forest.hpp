// The best choice of units in all trees within a budget, by dynamic programming.
#pragma once

#include "ramify/summarization/problem.hpp"

namespace ramify::summarization {

/// Units are read backwards, each after all below it, so that a choice for a unit and all that follow is either to keep
/// it and choose for the next one, or to cut it and jump behind its subtree. O(units * budget).
class Forest {
 public:
  Forest(const Problem& problem, const Parts& parts);

  /// The best choice in some sentences, ascending, with scores of units that stay; others are not touched in `kept`.
  double best(Numbers gains, const std::vector<Index>& sentences, Index budget, Mask& kept);

  /// After `best` of all sentences with the whole budget: the value of the best choices in which a unit stays, and in
  /// which it does not.
  void max_marginals(Numbers gains, std::vector<double>& stays, std::vector<double>& goes);

  /// Whether values are exact. In very large tables, lengths are counted in larger pieces and rounded up.
  bool is_exact() const { return piece_ == 1; }

  /// Cells of tables that were filled so far.
  Index work() const { return work_; }

 private:
  double* row(Index u) { return table_.data() + u * width_; }

  const Problem& problem_;
  const Parts& parts_;
  Index piece_ = 1, width_ = 0, work_ = 0;
  std::vector<Index> lengths_;
  std::vector<double> table_, forward_;
};

}  // namespace ramify::summarization
