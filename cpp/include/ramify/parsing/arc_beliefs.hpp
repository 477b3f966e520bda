// Belief propagation over the graph of one sentence, and the way back through it.
#pragma once

#include <optional>
#include <vector>

#include "ramify/inference/belief_propagation.hpp"
#include "ramify/parsing/problem.hpp"

namespace ramify::parsing {

/// Runs when it is made, in order from the tree outwards and back, undamped. The problem (kLoose) must outlive it.
class ArcBeliefs {
 public:
  /// Only the factors that matter (Riedel & Smith 2010); there is no way back then.
  struct Relaxation {
    double gain;          // least one of a factor that is let in
    std::int64_t rounds;  // in which factors are let in
  };
  struct Options {
    double temperature;           // scores are divided by it
    std::int64_t max_iterations;  // one is enough where the tree is all there is
    double tolerance;             // stops where no message moves by more
    bool backward;                // whether the way back will be asked for
    std::optional<Relaxation> relaxation;
  };
  ArcBeliefs(const ParseProblem& loose, const Options& options);
  ArcBeliefs(const ArcBeliefs&) = delete;
  ArcBeliefs& operator=(const ArcBeliefs&) = delete;

  bool feasible() const { return progress_.feasible; }
  /// Of the arcs alone, which costs next to nothing.
  std::vector<double> arcs();
  /// Of all variables, arcs first, and of parts, with log Z.
  inference::BpAnswer answer() { return bp_.answer(messages_); }
  /// Gradients with respect to the problem's scores of something that has these with respect to arcs().
  inference::BeliefPropagation::Gradients backward(std::span<const double> grad_arcs);

 private:
  static inference::BpOptions bp_options(const ParseProblem& loose, const Options& options);

  std::size_t num_arcs_;
  std::vector<double> unary_, parts_;
  double scale_;
  std::vector<std::uint8_t> active_;
  inference::BeliefPropagation bp_;
  inference::Buffer messages_;
  inference::BpTape tape_;
  inference::BpProgress progress_;
};

}  // namespace ramify::parsing
