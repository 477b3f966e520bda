// Marginal inference on as few factors as will do (Riedel & Smith 2010).
#pragma once

#include <vector>

#include "ramify/inference/belief_propagation.hpp"

namespace ramify::inference {

/// What looking through the factors left out found.
struct Separation {
  Index added = 0;
  double bound = 0.0;  // eta of their Proposition 2, summed over the factors still out
};

/// Adds to `active` the factors whose gain exceeds epsilon: the divergence of the current model from the one with that
/// factor, its variables taken as independent (their Proposition 1; for a pair, log(1 - mu + mu e^theta) - mu theta
/// with mu the product of the two marginals). beliefs: log-odds of the variables (k-ary: log-masses). Only for factors
/// that forbid nothing by themselves.
Separation separate(const FactorGraph& graph, factors::Scores beliefs, factors::Scores parts, double epsilon,
                    std::vector<std::uint8_t>& active);

struct RelaxProgress {
  BpProgress inner;  // of the last round; iterations of all rounds
  Index rounds = 0;
  double bound = 0.0;
  bool complete = false;  // a last look found nothing more to add
};

/// Belief propagation on a growing set of factors, each round from the messages of the one before.
RelaxProgress relax(const FactorGraph& graph, BeliefPropagation& engine, factors::Scores parts, double epsilon,
                    Index max_rounds, std::vector<std::uint8_t>& active, Buffer& messages);

}  // namespace ramify::inference
