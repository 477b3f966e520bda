// Factors whose algorithms live outside the engine, such as in Python.
#pragma once

#include <functional>
#include <memory>

#include "ramify/factors/factor_group.hpp"

namespace ramify::factors {

/// The functions that outside code provides for one factor; the second and the third may be empty.
struct Callbacks {
  /// Best assignment and its active parts for coordinates q; false where nothing is feasible.
  std::function<bool(Index factor, Scores q, Scores parts, AssignmentOut y, Point nu)> argmax;
  /// mu over coordinates, nu over parts; returns log Z.
  std::function<double(Index factor, Scores q, Scores parts, Point mu, Point nu)> marginals;
  std::function<double(Index factor, Assignment y, Scores parts)> score;
};

/// argmax gives project() by the active-set method; marginals and score are reported only where they are given.
std::unique_ptr<FactorGroup> make_callback_group(std::string family, Layout layout, Callbacks callbacks);

}  // namespace ramify::factors
