// Factors over the modifiers of one head on one side, for all kinds of parts that have a shape.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/problem_builder.hpp"

namespace ramify::parsing {

/// kTight puts all parts of a head and side into one automaton, the other factorizations those of each shape into
/// factors of their own.
class SideFactors {
 public:
  explicit SideFactors(ProblemBuilder& builder);
  /// Collects the factors of all sides.
  void collect();
  /// Adds them to the graph.
  void close();

 private:
  using Family = ProblemBuilder::Family;
  const std::vector<PartKind>& of(Shape shape) const { return kinds_[static_cast<std::size_t>(shape)]; }
  void score(const Side& side);
  void add_grand_scores(std::int32_t g, std::int32_t h, std::vector<double>& table);
  void add_tight(const Side& side);
  void add_tight_scores(std::int32_t g, std::int32_t h);
  void add_apart(const Side& side);
  void add_grand_pairs(const Side& side, std::int32_t g, std::int32_t incoming);
  void add_gated(const Side& side, std::int32_t g, std::int32_t incoming);
  std::unique_ptr<factors::FactorGroup> make_automata();
  template <class Visit>
  void each_pair(Visit visit) const;
  template <class Visit>
  void each_triple(Visit visit) const;

  ProblemBuilder& builder_;
  const Candidates& candidates_;
  Scorer& scorer_;
  std::array<std::vector<PartKind>, kNumShapes> kinds_;
  bool grand_ = false;
  Family automata_, siblings_, tri_siblings_, gated_;
  std::vector<std::int32_t> word_;                           // of a side, start and stop included
  std::vector<double> pair_scores_, triple_scores_, table_;  // pairs are [i][j]
};

}  // namespace ramify::parsing
