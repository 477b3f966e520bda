// In which order the factors of a graph speak, and which of them speak at all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ramify/graph/factor_graph.hpp"

namespace ramify::inference {

using factors::Index;
using graph::FactorGraph;

/// Neighbouring factors of one group, numbered within it: one call serves them all.
struct Run {
  Index group;
  Index begin;
  Index end;
};

/// Phases follow each other; the factors of one phase all read what the phases before it left.
struct Schedule {
  std::vector<Run> runs;
  std::vector<std::size_t> phases = {0};  // phase p is runs[phases[p]] up to runs[phases[p + 1]]

  std::size_t num_phases() const { return phases.size() - 1; }
  std::span<const Run> phase(std::size_t p) const {
    return std::span(runs).subspan(phases[p], phases[p + 1] - phases[p]);
  }
};

/// One byte per factor, zero for those left out; empty means that all take part.
using Mask = std::span<const std::uint8_t>;

/// All active factors in one phase.
Schedule parallel_schedule(const FactorGraph& graph, Mask active);

/// In from the factors farthest from the largest one of their component, level by level, and back out: every
/// message once each way, so that one pass is exact on an acyclic graph. Gormley et al. (2015), footnote 4, with
/// the levels of a breadth-first spanning tree instead of its single nodes.
Schedule sequential_schedule(const FactorGraph& graph, Mask active);

/// Factor (numbered through the graph) of every edge.
std::vector<std::int32_t> factor_of_edge(const FactorGraph& graph);

/// Whether no two ways lead from one free variable to another. Variables with one possible state left connect nothing.
bool is_acyclic(const FactorGraph& graph, Mask active, factors::Scores unary);

/// Counting numbers of the factors, as large as possible, such that with 1 - (sum over its factors) for each variable
/// the entropy is concave: every factor lends each of its variables an even share of its count, so that the sum is one
/// of conditional entropies H(factor | variable) and entropies H(variable), none with a negative count.
std::vector<double> concave_counting(const FactorGraph& graph, Mask active);

}  // namespace ramify::inference
