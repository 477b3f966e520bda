// Alternating directions dual decomposition: Martins, Figueiredo, Aguiar, Smith & Xing (2011), section 4.
#pragma once

#include <vector>

#include "ramify/inference/dual.hpp"

namespace ramify::inference {

struct Ad3Options {
  Index max_iterations;
  double tolerance;    // of both residuals (root mean square over the edges)
  double penalty;      // first one, relative to the spread of the scores
  bool adapt_penalty;  // keep the residuals of similar size
  double relaxation;   // 1: plain; up to 2: each step goes further
  Index acceleration;  // steps that extrapolation remembers; 0: none
  double quadratic;    // gamma: maximise <s, u> + <parts, nu> - gamma |u|^2 / 2; 0 is the linear program
  Index check_every;   // iterations between dual bounds and roundings
  double time_limit;   // seconds
  double cutoff;       // stop as soon as the bound is at most this
  double idle;         // a factor is solved again when an input has moved by more; 0: by anything
};

/// What the next solve can start from. Empty: a cold start.
struct Ad3State {
  double penalty = 0.0;
  std::vector<double> duals;  // one per edge, zero-sum over the edges of a coordinate
  std::vector<double> u;      // one per coordinate
  std::vector<double> z;      // one per edge
  std::vector<factors::ProjectionState> projections;
  bool empty() const { return duals.empty(); }
};

enum class Ad3Status { kCertified, kConverged, kIterationLimit, kTimeLimit, kInfeasible, kCutOff };

struct Ad3Result {
  Ad3Status status = Ad3Status::kIterationLimit;
  std::vector<double> u;        // coordinates
  std::vector<double> nu;       // parts
  std::vector<std::int32_t> y;  // best assignment found; empty where there is none
  double value = factors::kForbidden;
  double bound = factors::kForced;
  double relaxed_value = 0.0;  // objective at (u, nu)
  double primal_residual = 0.0;
  double dual_residual = 0.0;
  Index iterations = 0;
  Index projections = 0;              // of single factors, idle ones skipped
  std::vector<Index> active_factors;  // by iteration: those that were solved
  std::vector<Index> active_slots;    // theirs
  Conflict conflict;
};

/// Value and bound agree up to 1e-8 of the value, or of 1: the largest score is of that order in units (below).
bool is_proved(double value, double bound);

/// Solves in units of the largest score, so that tolerances mean the same at every scale.
[[gnu::visibility("default")]] Ad3Result solve_ad3(const ScoredGraph& problem, const Ad3Options& options,
                                                   Ad3State& state);

/// The same for scores that are in such units already.
Ad3Result solve_ad3_in_units(const ScoredGraph& problem, const Ad3Options& options, Ad3State& state);

}  // namespace ramify::inference
