// Projective trees by dynamic programs: the best one, exact marginals, and the way back through these.
#pragma once

#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ramify/parsing/scoring.hpp"
#include "ramify/trees/projective.hpp"

namespace ramify::parsing {

/// Whether there is a program for these parts whose table, of (n + 1)^4 entries where siblings and grandparents meet,
/// is small enough.
bool has_projective_program(const PartChoice& choice, std::int32_t num_words);

/// The table that the program of a model reads; what is no candidate is forbidden there.
class ProjectiveTable {
 public:
  /// A part in the sum that an entry is.
  struct Term {
    std::size_t entry;
    Part part;
    double times;  // -1: the entry takes it back
  };

  /// record: whether arcs(), terms() and constant_parts() will be asked for.
  ProjectiveTable(const Candidates& candidates, std::span<const double> arc_scores, Scorer& scorer, bool record);

  const std::vector<double>& scores() const { return scores_; }
  double constant() const { return constant_; }
  const std::vector<std::pair<std::size_t, std::int32_t>>& arcs() const { return arcs_; }  // entries with their arcs
  const std::vector<Term>& terms() const { return terms_; }
  const std::vector<Part>& constant_parts() const { return constant_parts_; }  // that every tree has
  /// The problem with these scores in the table.
  trees::ProjectiveBatch batch(std::span<const double> scores, bool single_root) const {
    return {order_, single_root, static_cast<int>(stride_), {&candidates_.num_words, 1}, scores.data(), 1};
  }

 private:
  void open(std::initializer_list<std::int32_t> indices, std::int32_t arc);  // an entry; arc -1: it has none
  /// To that entry: a part of each kind.
  void add_all(std::span<const PartKind> kinds, const Roles& roles, double times = 1.0);
  void add_grandparent(const Side& side, std::int32_t g);
  void add_sequences(const Side& side, std::int32_t g);

  const Candidates& candidates_;
  std::span<const double> arc_scores_;
  Scorer& scorer_;
  bool record_;
  std::vector<PartKind> pairs_, grands_, grand_pairs_;  // kinds by shape
  trees::ProjectiveOrder order_;
  std::size_t stride_;
  std::vector<double> scores_;
  double constant_ = 0.0;
  std::size_t entry_ = 0;
  std::vector<std::pair<std::size_t, std::int32_t>> arcs_;
  std::vector<Term> terms_;
  std::vector<Part> constant_parts_;
};

struct ProjectiveProgram {
  std::vector<std::int32_t> heads;  // n + 1, -1 first
  double value;
};

/// Eisner (1996) for arcs and neighbouring siblings, Koo & Collins (2010) for grandparents and grand-siblings.
/// arc_scores: one per candidate. Nothing where no projective tree is left.
std::optional<ProjectiveProgram> solve_projective_program(const Candidates& candidates,
                                                          std::span<const double> arc_scores, Scorer& scorer,
                                                          bool single_root);

/// Exact marginals by the same programs. Candidates and scorer must outlive it.
class ProjectiveBeliefs {
 public:
  /// Scores are divided by the temperature.
  ProjectiveBeliefs(const Candidates& candidates, std::span<const double> arc_scores, Scorer& scorer, bool single_root,
                    double temperature);

  bool feasible() const { return log_partition_ > -std::numeric_limits<double>::infinity(); }
  double log_partition() const { return log_partition_ + table_.constant() / temperature_; }
  std::vector<double> arcs() const;
  /// A part may come several times: its marginal is the sum.
  WeightedParts parts() const;
  /// Gradients of something that has these with respect to arcs().
  ScoreGradients backward(std::span<const double> grad_arcs) const;

 private:
  std::vector<double> sum_arcs(std::span<const double> entries) const;
  WeightedParts sum_parts(std::span<const double> entries) const;

  ProjectiveTable table_;
  bool single_root_;
  double temperature_;
  std::size_t num_arcs_;
  std::vector<double> scores_, marginals_;
  double log_partition_ = 0.0;
};

}  // namespace ramify::parsing
