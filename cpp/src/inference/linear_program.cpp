#include "ramify/inference/linear_program.hpp"
#include "ramify/numeric/index.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>

namespace ramify::inference {
namespace {

using factors::Constraints;
using factors::Index;

/// Turns triplets of one factor after the other into compressed rows without repeated columns.
class Builder {
 public:
  explicit Builder(const graph::FactorGraph& graph)
      : graph_(graph), num_fixed_(graph.num_coords() + graph.num_parts()), position_(at(num_fixed_), -1) {
    rows_.starts.push_back(0);
  }

  void add_simplices() {
    for (Index v = 0; v < graph_.num_variables(); ++v) {
      if (graph_.num_states(v) == 2) continue;
      for (Index c = graph_.coord_of(v); c < graph_.coord_of(v + 1); ++c) put(c, 1.0);
      close(1.0, 1.0);
    }
  }

  void add(const Constraints& c, const graph::PlacedGroup& placed, Index factor) {
    columns_.resize(at(c.num_coords + c.num_parts + c.num_auxiliaries));
    const factors::Layout& layout = placed.group->layout();
    const Index edge = placed.edge_begin + layout.coords()[factor];
    const Index part = graph_.num_coords() + placed.part_begin + layout.parts()[factor];
    const Index first = num_fixed_ + static_cast<Index>(rows_.auxiliary_upper.size());
    for (Index i = 0; i < c.num_coords; ++i) columns_[at(i)] = graph_.edge_coord()[at(edge + i)];
    for (Index i = 0; i < c.num_parts; ++i) columns_[at(c.num_coords + i)] = part + i;
    for (Index i = 0; i < c.num_auxiliaries; ++i) columns_[at(c.num_coords + c.num_parts + i)] = first + i;
    rows_.auxiliary_upper.resize(rows_.auxiliary_upper.size() + at(c.num_auxiliaries), c.aux_upper);
    position_.resize(at(num_fixed_) + rows_.auxiliary_upper.size(), -1);
    sort_by_row(c);
    for (Index row = 0; row < c.num_rows(); ++row) {
      for (Index i = begin_[at(row)]; i < begin_[at(row) + 1]; ++i) {
        const std::size_t entry = at(order_[at(i)]);
        put(columns_[at(c.columns[entry])], c.values[entry]);
      }
      close(c.lower[at(row)], c.upper[at(row)]);
    }
  }

  void mark_factor() { rows_.factor_rows.push_back(static_cast<std::int32_t>(rows_.lower.size())); }

  ProgramRows finish() {
    mark_factor();
    return std::move(rows_);
  }

 private:
  void sort_by_row(const Constraints& c) {
    begin_.assign(at(c.num_rows()) + 1, 0);
    for (const Index row : c.rows) ++begin_[at(row) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    next_.assign(begin_.begin(), begin_.end());
    order_.resize(c.rows.size());
    for (std::size_t i = 0; i < c.rows.size(); ++i) order_[at(next_[at(c.rows[i])]++)] = static_cast<Index>(i);
  }

  void put(Index column, double value) {
    std::int32_t& position = position_[at(column)];
    if (position >= rows_.starts.back()) {
      rows_.values[at(position)] += value;  // a column that this row has already
      return;
    }
    if (rows_.columns.size() >= at(std::numeric_limits<std::int32_t>::max()))
      throw std::length_error("a linear program has at most 2^31 - 1 numbers");
    position = static_cast<std::int32_t>(rows_.columns.size());
    rows_.columns.push_back(static_cast<std::int32_t>(column));
    rows_.values.push_back(value);
  }

  void close(double lower, double upper) {
    rows_.lower.push_back(lower);
    rows_.upper.push_back(upper);
    rows_.starts.push_back(static_cast<std::int32_t>(rows_.columns.size()));
  }

  const graph::FactorGraph& graph_;
  Index num_fixed_;
  std::vector<std::int32_t> position_;  // of each column in rows_.columns, stale where before the current row
  std::vector<Index> columns_, begin_, next_, order_;
  ProgramRows rows_;
};

}  // namespace

ProgramRows program_rows(const graph::FactorGraph& graph, const std::vector<GroupRows>& replacements) {
  Builder builder(graph);
  builder.add_simplices();
  for (std::size_t g = 0; g < graph.groups().size(); ++g) {
    const graph::PlacedGroup& placed = graph.groups()[g];
    for (Index f = 0; f < placed.group->layout().num_factors(); ++f) {
      builder.mark_factor();
      if (replacements[g].empty()) {
        builder.add(placed.group->constraints(f), placed, f);
      } else {
        builder.add(*replacements[g][at(f)], placed, f);
      }
    }
  }
  return builder.finish();
}

}  // namespace ramify::inference
