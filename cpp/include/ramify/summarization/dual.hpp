// Lagrangian relaxation of concepts that several tokens bring: trees and the budget stay exact, and every step also
// gives a summary. Search around the best of these.
#pragma once

#include <limits>

#include "ramify/summarization/problem.hpp"

namespace ramify::summarization {

struct Options {
  Index iterations;
  double gap;  // relative to the value; stop where the bound is so near
  Index work;  // cells of tables at most
};

struct Answer {
  Mask kept;
  double value = 0.0;  // of the empty summary at least
  double bound = std::numeric_limits<double>::infinity();
  // Upper bounds on the score of a summary in which a unit stays, and in which it does not.
  std::vector<double> stays, goes;
};

/// `start`: a summary to begin with, or nothing.
[[gnu::visibility("default")]] Answer solve(const Problem& problem, const Options& options, const Mask& start);

}  // namespace ramify::summarization
