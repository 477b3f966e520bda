// Which words are above which, as variables: paths and the flows that define them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ramify/factors/logic.hpp"
#include "ramify/parsing/problem.hpp"

namespace ramify::parsing {

class ProblemBuilder;

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

/// Adds variables behind the arcs of a problem, and collects the rules that make them follow from the arcs.
class PathFactors {
 public:
  PathFactors(const Candidates& candidates, const std::vector<std::vector<std::int32_t>>& arcs_by_head, PathRules rules,
              ParseProblem& problem);

  /// A variable that says that the arc is on and all words between its ends are below its head, or -1 where they
  /// cannot be.
  std::int64_t add_projective_arc(std::int32_t arc);
  /// Arcs to words that are always above their heads.
  void forbid_detours(std::span<double> arc_scores) const;
  /// Adds the rules to the graph.
  void close(ProblemBuilder& builder);

 private:
  static constexpr std::int64_t kNone = -1;

  /// Factors of one family: a rule of logic, its variables negated as the family of that name has them.
  struct Rules {
    std::string family;
    factors::LogicRule rule;
    std::vector<factors::Index> slots = {0};
    std::vector<std::int64_t> variables = {};
    std::vector<std::uint8_t> negated = {};
    /// The output is the last variable.
    void add(std::span<const std::int64_t> inputs, std::int64_t output, bool negate_inputs, bool negate_output);
  };

  std::int64_t add_variable(Consequence consequence);
  std::vector<std::uint8_t> possible(std::int32_t k) const;
  void add_flow(std::int32_t k);
  std::int64_t add_entering(std::int32_t m, std::int32_t k, const std::vector<std::uint8_t>& above);
  void add_definitions(std::int32_t k);

  const Candidates& candidates_;
  const std::vector<std::vector<std::int32_t>>& leaving_;  // arcs, by head
  ParseProblem& problem_;
  std::size_t width_;
  std::vector<std::int64_t> path_;  // variables, [h][k]
  std::vector<std::int64_t> flow_;  // variables of one word's flow, by arc
  std::vector<std::int64_t> inputs_;
  std::vector<std::int32_t> never_on_;
  Rules one_in_{"XorOut", factors::LogicRule::kExactlyOne};
  Rules arcs_only_{"Imply", factors::LogicRule::kOr};
  Rules all_{"AndOut", factors::LogicRule::kOrOut};
  Rules any_{"OrOut", factors::LogicRule::kOrOut};
};

}  // namespace ramify::parsing
