// The best projective tree by dynamic programs.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ramify/parsing/scoring.hpp"

namespace ramify::parsing {

/// Whether there is a program for these parts whose table, of (n + 1)^4 entries where siblings and grandparents meet,
/// is small enough.
bool has_projective_program(const PartChoice& choice, std::int32_t num_words);

struct ProjectiveProgram {
  std::vector<std::int32_t> heads;  // n + 1, -1 first
  double value;
};

/// Eisner (1996) for arcs and neighbouring siblings, Koo & Collins (2010) for grandparents and grand-siblings.
/// arc_scores: one per candidate. Nothing where no projective tree is left.
std::optional<ProjectiveProgram> solve_projective_program(const Candidates& candidates,
                                                          std::span<const double> arc_scores, Scorer& scorer,
                                                          bool single_root);

}  // namespace ramify::parsing
