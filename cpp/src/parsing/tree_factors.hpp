// Factors that say what is demanded of the arcs.
#pragma once

#include "ramify/parsing/problem_builder.hpp"

namespace ramify::parsing {

void add_tree_factors(ProblemBuilder& builder, TreeKind tree, bool single_root);

}  // namespace ramify::parsing
