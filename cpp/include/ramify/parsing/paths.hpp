// Which words are above which, as variables: paths and the flows that define them.
#pragma once

#include <string>
#include <vector>

#include "ramify/factors/logic.hpp"
#include "ramify/parsing/problem.hpp"

namespace ramify::parsing {

/// Variables behind the arcs, and the rules that make them follow from the arcs.
struct PathFactors {
  /// Factors of one family: a rule of logic, its variables negated as the family of that name has them.
  struct Rules {
    std::string family;
    factors::LogicRule rule;
    std::vector<factors::Index> slots = {0};
    std::vector<std::int64_t> variables = {};
    std::vector<std::uint8_t> negated = {};
  };
  std::vector<Consequence> consequences;
  std::vector<std::int32_t> never_projective;  // arcs over words that cannot be below their heads
  std::vector<std::int32_t> never_on;          // arcs to words that are always above their heads
  std::vector<Rules> rules;
};

/// How paths follow from arcs. What no tree of candidates can have is left out: there are as many variables as
/// candidate arcs times words at most.
enum class PathRules : std::uint8_t {
  /// Martins et al. (2011), Table 1, after Martins, Smith & Xing (2009), section 3.5: a unit of flow goes from the root
  /// to each word along the arcs, and passes the words above it. If every word has one head and the arcs that are
  /// never on are off, they hold for trees only: a tight relaxation, which says "tree" once more for every word.
  kFlows,
  /// A word is above another if one of its arcs leads there, or to one that is: for belief propagation, which would
  /// count all those trees. Where paths have no scores, the rules have nothing to say about arcs.
  kDefinitions,
};
PathFactors make_path_factors(const Candidates& candidates, const PartChoice& choice, PathRules rules);

}  // namespace ramify::parsing
