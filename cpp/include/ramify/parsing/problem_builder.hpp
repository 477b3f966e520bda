// What builds the graph of a sentence, as kinds of parts see it.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include "ramify/factors/factor_group.hpp"
#include "ramify/parsing/paths.hpp"
#include "ramify/parsing/problem.hpp"

namespace ramify::parsing {

class ProblemBuilder {
 public:
  /// Collects the factors of one family.
  struct Family {
    std::vector<factors::Index> slots = {0};  // offsets
    std::vector<std::int64_t> variables;      // of the slots
    std::vector<std::int32_t> counts;         // what the family asks for: heads of an automaton, of a word
    std::vector<double> scores;               // of the parts
    std::vector<Part> names;                  // of what each score is made of
    std::vector<std::int32_t> num_names;
    void name(std::initializer_list<Part> parts) {
      names.insert(names.end(), parts);
      num_names.push_back(static_cast<std::int32_t>(parts.size()));
    }
    factors::Index size() const { return static_cast<factors::Index>(slots.size()) - 1; }
    void close() { slots.push_back(static_cast<factors::Index>(variables.size())); }
  };

  ProblemBuilder(const Candidates& candidates, std::span<const double> arc_scores, Scorer& scorer,
                 Factorization factorization);
  ParseProblem build(TreeKind tree, bool single_root);

  const Candidates& candidates() const { return candidates_; }
  Scorer& scorer() { return scorer_; }
  Factorization factorization() const { return factorization_; }
  ParseProblem& problem() { return problem_; }
  /// Candidate arcs by their head, from left to right.
  const std::vector<std::vector<std::int32_t>>& arcs_by_head();
  /// Variables for what is above what. Made when first asked for.
  PathFactors& paths();

  void add(std::unique_ptr<factors::FactorGroup> group, Family& family);
  /// A part that every tree has.
  void add_constant(const Part& part);
  /// A part that is there if both arcs are.
  void add_pair(std::int32_t a, std::int32_t b, const Part& part, double score);

 private:
  void add_kinds(bool share_pairs);
  void connect();

  const Candidates& candidates_;
  Scorer& scorer_;
  Factorization factorization_;
  ParseProblem problem_;
  Family pairs_;
  std::vector<std::vector<std::int32_t>> arcs_by_head_;
  std::optional<PathFactors> paths_;
};

struct PendingFactors {
  std::unique_ptr<factors::FactorGroup> group;
  ProblemBuilder::Family family;
};

/// What is demanded of the arcs.
void add_tree_factors(ProblemBuilder& builder, TreeKind tree, bool single_root);
/// For all kinds that have a shape: factors over the modifiers of one head on one side, to be added later. Parts of all
/// trees, and pairs of arcs, are added at once.
std::vector<PendingFactors> make_side_factors(ProblemBuilder& builder);

}  // namespace ramify::parsing
