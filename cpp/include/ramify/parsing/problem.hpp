// The factor graph of one sentence: a tree over the candidate arcs, and factors that carry the larger parts.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ramify/graph/factor_graph.hpp"
#include "ramify/parsing/scoring.hpp"

namespace ramify::parsing {

/// What is demanded of the arcs. All but the first three are weaker than a tree, as in Smith & Eisner (2008),
/// section 3.3: what a method finds under them is turned into a tree at the end.
enum class TreeKind : std::uint8_t {
  kNonProjective,
  kProjective,
  kFlow,        // nonprojective, by many small rules instead of one factor: Martins et al. (2011), Table 1
  kExactlyOne,  // head a word
  kNoTwoCycle,  // besides, no two words are each other's heads
  kAtMostOne,   // head a word
  kNotTwo,      // the same, said of every pair of heads
};
inline bool is_tree(TreeKind kind) { return kind <= TreeKind::kFlow; }

/// The same scores in three graphs.
enum class Factorization : std::uint8_t {
  kTight,  // all siblings and grandparents of a head and side in one automaton: for AD3, whose relaxation is tighter
  kLoose,  // no constraint twice: for belief propagation, which would count it twice
  kApart,  // each kind of part in factors of its own: for linear programs as papers have them
};

/// What follows from the arcs, as a variable of its own behind them.
struct Consequence {
  enum class Kind : std::uint8_t {
    kPath,        // word `first` is above word `second`
    kFlow,        // arc `first` is on, and its modifier is above word `second`
    kProjective,  // arc `first` is on, and all words between its ends are below its head
  };
  Kind kind;
  std::int32_t first;
  std::int32_t second;
};

/// A part whose score, times the sign, is in that of a variable: it is there as often as all its variables say.
struct VariablePart {
  std::int32_t variable;
  double sign;
  Part part;
};

/// One binary variable per candidate arc, then one per consequence.
struct ParseProblem {
  std::vector<double> arc_scores;  // those of non-projective arcs included
  std::vector<double> extra_scores;
  std::vector<Consequence> consequences;
  std::vector<VariablePart> variable_parts;  // besides arcs
  std::vector<double> part_scores;
  double constant = 0.0;  // of parts that every tree has: heads without candidates on a side
  /// Which parts each entry of part_scores stands for (kLoose only): names[name_begin[i]..name_begin[i + 1]).
  std::vector<Part> names;
  std::vector<std::int32_t> name_begin;
  std::vector<std::unique_ptr<factors::FactorGroup>> groups;
  std::vector<std::vector<std::int64_t>> variables;  // of the slots of each group
  std::optional<graph::FactorGraph> graph;
  /// Of all variables.
  std::vector<double> unary() const {
    std::vector<double> out(arc_scores);
    out.insert(out.end(), extra_scores.begin(), extra_scores.end());
    return out;
  }
};

/// kTight: Martins, Almeida & Smith (2013), section 3, with all siblings and grandparents of a head and side in one
/// automaton (they have two, which must agree); head bigrams are one sequence, any two siblings are pairs. kLoose:
/// Smith & Eisner (2008), section 5: grandparents are pairs of arcs, grand-siblings automata that one arc switches on.
/// Its head bigrams still repeat that each word has one head; paths are defined without flows, and a tree of flows is
/// one factor. kApart is the same with flows and with the crossings of kTight.
ParseProblem build_problem(const Candidates& candidates, std::span<const double> arc_scores, Scorer& scorer,
                           TreeKind tree, bool single_root, Factorization factorization);

/// The arcs' states with those of what follows from them.
std::vector<std::int32_t> with_consequences(const Candidates& candidates, const ParseProblem& problem,
                                            std::span<const std::int32_t> arcs);

}  // namespace ramify::parsing
