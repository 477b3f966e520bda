// What templates say of the trees in a treebank: without weights, and with those of a model.
#pragma once

#include <span>
#include <vector>

#include "ramify/parsing/trainer.hpp"

namespace ramify::parsing {

/// The mutual information of the features of each template with whether a part is in the gold tree, by the number of
/// the template: equation 16 of Martins et al. (2011), divided by the entropy of the latter, so that kinds can be
/// compared. Parts are those among the candidate arcs; where labels are concerned, all that the gold arcs may have.
/// Longer treebanks are sampled evenly.
std::vector<double> information_gain(const ParserModel& model, std::span<const Example> examples, int num_threads);

/// Adds the absolute values of what the features of a tree count, by the number of their template.
void add_contributions(const ParserModel& model, const Example& example, std::vector<double>& sums);

}  // namespace ramify::parsing
