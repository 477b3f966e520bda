// From a scored sentence to its best tree, its k best trees and the probabilities of its arcs.
#pragma once

#include "ramify/inference/ad3.hpp"
#include "ramify/parsing/problem.hpp"
#include "ramify/trees/arborescence.hpp"
#include "ramify/trees/matrix_tree.hpp"

namespace ramify::parsing {

enum class Method : std::uint8_t {
  kAd3,                // relaxed, rounded where it is fractional
  kExact,              // branch and bound around it
  kBeliefPropagation,  // the tree of least expected errors under the arcs' marginals
  kRelax,              // the same, with marginals from the factors that matter (Riedel & Smith 2010)
  kDynamicProgram,     // of projective trees, where there is one for the parts; kExact otherwise
  kSubgradient,        // dual decomposition by subgradient steps, rounded where they disagree (Koo et al. 2010)
};

struct DecoderOptions {
  TreeKind tree;
  bool single_root;
  Method method;
  inference::Ad3Options ad3;
  std::int64_t node_iterations;  // of AD3 at every node of branch and bound but the root
  std::int64_t max_nodes;        // of branch and bound
  double subgradient_step;       // the first one, with kSubgradient
  std::int64_t bp_iterations;    // of the marginals
  double bp_tolerance;           // belief propagation stops where no message moves by more
  double relax_gain;             // least gain of a factor that is added, with kRelax
  std::int64_t relax_rounds;     // how often factors are added, with kRelax
  bool mbr;                      // find the tree of least expected errors whatever the method
  double temperature;            // scores are divided by it before they become probabilities
  /// After that: probabilities that chosen arcs with log-odds kFirstKnot, kFirstKnot + 1, … turned out to deserve, with
  /// straight lines between. Empty: none.
  std::vector<double> curve;
  static constexpr double kFirstKnot = -4.0;
};

/// A tree with its labels.
struct Tree {
  std::vector<std::int32_t> heads;   // n + 1, -1 first; empty if there is none
  std::vector<std::int32_t> labels;  // n + 1, -1 first
  double value = 0.0;                // sum of the scores of its parts
};

struct Solution {
  Tree tree;
  double bound = 0.0;
  bool certified = false;
  std::int32_t iterations = 0;
};

struct Expectation {
  double value = 0.0;         // temperature times log Z: at 0 it is the best tree's
  std::vector<double> arcs;   // marginals
  std::vector<double> parts;  // of the loose problem; empty where arcs are all there is, or a dynamic program
  WeightedParts named_parts;  // of a dynamic program, and those of variables
};

struct DecoderScratch {
  trees::ArborescenceWorkspace arborescence;
  trees::MatrixTreeWorkspace matrix_tree;
};

/// One sentence. What it is made of must outlive it.
class Decoder {
 public:
  Decoder(const Candidates& candidates, const ArcScores& arcs, Scorer& scorer, const DecoderOptions& options,
          DecoderScratch& scratch);

  /// Best tree: by arborescence where arcs are all there is, by the method of the options otherwise.
  Solution solve();
  /// The k best trees by Lawler's (1972) partition: each next one is the best of the trees that differ. Exact as far
  /// as the solutions of the method are.
  std::vector<Tree> k_best(std::int64_t k);
  /// Of every candidate arc and part, at the temperature of the options: by the matrix-tree theorem where arcs are all
  /// there is, by a dynamic program where that is the method and there is one, by belief propagation otherwise.
  Expectation expect();
  /// Whether the method is a dynamic program, and there is one.
  bool has_program() const;
  /// Parts whose marginals expect() gives.
  const ParseProblem& loose_problem() { return problem(Factorization::kLoose); }

 private:
  const ParseProblem& problem(Factorization factorization);
  /// The unary scores of the next functions are those of the arcs, some of them forbidden.
  Solution solve(std::span<const double> unary);
  Solution solve_arcs(std::span<const double> unary);
  Solution solve_mbr();
  Solution solve_program(std::span<const double> unary);
  Solution solve_graph(std::span<const double> unary);
  std::vector<double> variable_scores(const ParseProblem& problem, std::span<const double> unary) const;
  inference::Completion completion_of(const ParseProblem& problem);
  bool best_tree(std::span<const double> scores, std::vector<std::int32_t>& heads);
  std::vector<std::int32_t> indicators(std::span<const std::int32_t> heads) const;
  Tree read(std::span<const std::int32_t> on, double value) const;
  Tree label(std::vector<std::int32_t> heads) const;

  const Candidates& candidates_;
  const ArcScores& arcs_;
  Scorer& scorer_;
  const DecoderOptions& options_;
  DecoderScratch& scratch_;
  bool arcs_only_;
  std::array<std::optional<ParseProblem>, 3> problems_;  // by factorization, made when asked for
};

}  // namespace ramify::parsing
