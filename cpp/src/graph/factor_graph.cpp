#include "ramify/graph/factor_graph.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>

namespace ramify::graph {
namespace {

constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

FactorGraph::FactorGraph(std::vector<std::int32_t> num_states, std::vector<const FactorGroup*> groups,
                         const std::vector<std::span<const std::int64_t>>& variables)
    : num_states_(std::move(num_states)) {
  coord_of_.reserve(num_states_.size() + 1);
  coord_of_.push_back(0);
  for (Index v = 0; v < num_variables(); ++v) coord_of_.push_back(coord_of_.back() + width(v));
  for (const FactorGroup* group : groups) groups_.push_back({group, 0, 0, 0, 0});
  place(variables);
  connect();
}

void FactorGraph::place(const std::vector<std::span<const std::int64_t>>& variables) {
  std::size_t num_slots = 0;
  std::size_t num_edges = 0;
  for (PlacedGroup& placed : groups_) {
    const factors::Layout& layout = placed.group->layout();
    const Index n = layout.num_factors();
    placed.factor_begin = num_factors_;
    placed.edge_begin = static_cast<Index>(num_edges);
    placed.part_begin = num_parts_;
    placed.slot_begin = static_cast<Index>(num_slots);
    num_factors_ += n;
    num_parts_ += layout.parts()[n];
    num_slots += index(layout.slots()[n]);
    num_edges += index(layout.coords()[n]);
  }
  if (num_edges > kMost || index(num_coords()) > kMost) throw std::length_error("a graph has at most 2^31 - 1 edges");
  slot_variable_.reserve(num_slots);
  edge_coord_.reserve(num_edges);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const factors::Layout& layout = groups_[g].group->layout();
    for (std::size_t slot = 0; slot < variables[g].size(); ++slot) {
      const Index variable = variables[g][slot];
      if (variable < 0 || variable >= num_variables() ||
          layout.num_states(static_cast<Index>(slot)) != num_states(variable))
        throw std::invalid_argument("a slot does not fit its variable");
      slot_variable_.push_back(static_cast<std::int32_t>(variable));
      for (Index c = coord_of(variable); c < coord_of(variable + 1); ++c) {
        edge_coord_.push_back(static_cast<std::int32_t>(c));
      }
    }
  }
}

void FactorGraph::connect() {
  edges_begin_.assign(index(num_coords()) + 1, 0);
  for (const std::int32_t coord : edge_coord_) ++edges_begin_[static_cast<std::size_t>(coord) + 1];
  std::partial_sum(edges_begin_.begin(), edges_begin_.end(), edges_begin_.begin());
  std::vector<std::int32_t> next(edges_begin_.begin(), edges_begin_.end() - 1);
  coord_edges_.resize(edge_coord_.size());
  for (std::size_t edge = 0; edge < edge_coord_.size(); ++edge) {
    coord_edges_[static_cast<std::size_t>(next[static_cast<std::size_t>(edge_coord_[edge])]++)] =
        static_cast<std::int32_t>(edge);
  }
}

double score(const FactorGraph& graph, factors::Scores unary, factors::Scores parts, factors::Assignment y) {
  double total = 0.0;
  for (Index v = 0; v < graph.num_variables(); ++v) {
    const std::int32_t state = y[index(v)];
    if (graph.num_states(v) > 2) {
      total += unary[index(graph.coord_of(v) + state)];
    } else if (state == 1) {
      total += unary[index(graph.coord_of(v))];
    }
  }
  std::vector<std::int32_t> local;
  std::vector<double> values;
  for (const PlacedGroup& placed : graph.groups()) {
    const factors::Layout& layout = placed.group->layout();
    const Index n = layout.num_factors();
    local.clear();
    for (const std::int32_t variable :
         graph.slot_variable().subspan(index(placed.slot_begin), index(layout.slots()[n]))) {
      local.push_back(y[static_cast<std::size_t>(variable)]);
    }
    values.assign(index(n), 0.0);
    placed.group->score({0, n}, local, parts.subspan(index(placed.part_begin), index(layout.parts()[n])), values);
    for (const double value : values) total += value;
  }
  return total;
}

}  // namespace ramify::graph
