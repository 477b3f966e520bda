// Losses on the beliefs of arcs and labels (Gormley, Dredze & Eisner 2015, section 4), with their gradients.
#pragma once

#include <vector>

#include "ramify/factors/workspace.hpp"
#include "ramify/parsing/problem.hpp"

namespace ramify::parsing {

/// What inference says of a sentence: arcs[a] of every candidate; labels given an arc are in ArcScores.
struct LabelledBeliefs {
  const Candidates& candidates;
  const ArcScores& scores;  // with labels summed over
  std::span<const double> arcs;
};

struct BeliefLoss {
  double value = 0.0;
  std::vector<double> grad_arcs;    // per candidate
  std::vector<double> grad_labels;  // per entry of label_marginals
};

/// Equation 12: squared distance of all beliefs, on and off, to 0 and 1 as gold has them. An arc is a variable, and so
/// is each label of a gold arc, given the arc; the costs of gold weigh the two. One label: theirs.
BeliefLoss l2_loss(const LabelledBeliefs& beliefs, const Cost& gold);

/// Equations 10 and 11: what a decoder costs on average that draws trees with probability proportional to
/// exp(sum of its arcs' beliefs / T), and labels of gold arcs likewise. With T it approaches the cost of the tree of
/// least expected errors under these beliefs. (They leave out the constant, and have no labels.)
BeliefLoss risk_loss(const LabelledBeliefs& beliefs, const Cost& gold, double temperature, TreeKind tree,
                     bool single_root, factors::Workspace& workspace);

}  // namespace ramify::parsing
