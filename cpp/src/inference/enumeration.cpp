#include "ramify/inference/enumeration.hpp"
#include "ramify/numeric/index.hpp"

#include <algorithm>

namespace ramify::inference {
namespace {

using factors::kForbidden;
using factors::kForced;

/// A factor sees of an assignment only its own variables: their joint state is a number, its key. Walking through all
/// assignments in order, the key changes by a constant at each digit of the odometer.
class Walk {
 public:
  explicit Walk(const graph::FactorGraph& graph) : graph_(graph), num_assignments_(1) {
    for (Index v = 0; v < graph.num_variables(); ++v) num_assignments_ *= graph.num_states(v);
  }

  Index num_assignments() const { return num_assignments_; }

  /// visit(assignment, key) for all assignments; strides has one entry per variable, 0 where it does not matter.
  template <class Visit>
  void each(const std::vector<Index>& strides, Visit visit) const {
    const Index n = graph_.num_variables();
    std::vector<std::int32_t> state(at(n), 0);
    Index key = 0;
    for (Index y = 0; y < num_assignments_; ++y) {
      visit(y, key);
      for (Index v = n - 1; v >= 0; --v) {
        if (++state[at(v)] < graph_.num_states(v)) {
          key += strides[at(v)];
          break;
        }
        key -= strides[at(v)] * (graph_.num_states(v) - 1);
        state[at(v)] = 0;
      }
    }
  }

 private:
  const graph::FactorGraph& graph_;
  Index num_assignments_;
};

/// One factor of a group, and all joint states of its variables.
class LocalFactor {
 public:
  LocalFactor(const graph::FactorGraph& graph, const graph::PlacedGroup& placed, Index factor)
      : graph_(graph), placed_(placed), layout_(placed.group->layout()), factor_(factor) {}

  Index num_keys() const {
    Index out = 1;
    for (Index s = layout_.slots()[factor_]; s < layout_.slots()[factor_ + 1]; ++s) out *= layout_.num_states(s);
    return out;
  }

  std::vector<Index> strides() const {
    std::vector<Index> out(at(graph_.num_variables()), 0);
    Index stride = 1;
    for (Index s = layout_.slots()[factor_ + 1]; s-- > layout_.slots()[factor_];) {
      out[at(graph_.slot_variable()[at(placed_.slot_begin + s)])] = stride;
      stride *= layout_.num_states(s);
    }
    return out;
  }

  /// visit(key) with the states of that key written into y, the group-wide assignment.
  void write_states(Index key, std::vector<std::int32_t>& y) const {
    for (Index s = layout_.slots()[factor_ + 1]; s-- > layout_.slots()[factor_];) {
      const std::int32_t k = layout_.num_states(s);
      y[at(s)] = static_cast<std::int32_t>(key % k);
      key /= k;
    }
  }

  /// Scores that allow nothing but the states of a key.
  void write_clamps(Index key, std::vector<double>& q) const {
    for (Index s = layout_.slots()[factor_ + 1]; s-- > layout_.slots()[factor_];) {
      const std::int32_t k = layout_.num_states(s);
      const Index state = key % k;
      key /= k;
      const Index c = layout_.coord_of(s);
      if (k == 2) {
        q[at(c)] = state == 1 ? kForced : kForbidden;
      } else {
        for (std::int32_t i = 0; i < k; ++i) q[at(c + i)] = i == state ? 0.0 : kForbidden;
      }
    }
  }

  Index part_begin() const { return layout_.parts()[factor_]; }
  Index num_parts() const { return layout_.parts().size(factor_); }

 private:
  const graph::FactorGraph& graph_;
  const graph::PlacedGroup& placed_;
  const factors::Layout& layout_;
  Index factor_;
};

/// Room for one group's arrays, and what a factor's parts are under a joint state of its variables.
struct GroupRoom {
  explicit GroupRoom(const graph::PlacedGroup& p)
      : placed(p),
        y(at(p.group->layout().slots()[p.group->layout().num_factors()])),
        q(at(p.group->layout().coords()[p.group->layout().num_factors()])),
        parts(at(p.group->layout().parts()[p.group->layout().num_factors()]), 0.0),
        zeros(parts.size(), 0.0),
        values(at(p.group->layout().num_factors())) {}

  /// False if the joint state is forbidden.
  bool find_parts(const LocalFactor& local, Index factor, Index key) {
    local.write_clamps(key, q);
    std::fill_n(parts.begin() + local.part_begin(), local.num_parts(), 0.0);
    placed.group->argmax({factor, factor + 1}, q, zeros, y, parts, values, workspace);
    return values[at(factor)] != kForbidden;
  }

  const graph::PlacedGroup& placed;
  std::vector<std::int32_t> y;
  std::vector<double> q, parts, zeros, values;
  factors::Workspace workspace;
};

void add_table(const Walk& walk, const std::vector<Index>& strides, const std::vector<double>& table,
               std::vector<double>& out) {
  walk.each(strides, [&](Index y, Index key) { out[at(y)] += table[at(key)]; });
}

/// table(variable) gives one number per state.
template <class Table>
void add_unaries(const graph::FactorGraph& graph, const Walk& walk, Table table, std::vector<double>& out) {
  std::vector<Index> strides(at(graph.num_variables()), 0);
  for (Index v = 0; v < graph.num_variables(); ++v) {
    strides[at(v)] = 1;
    add_table(walk, strides, table(v), out);
    strides[at(v)] = 0;
  }
}

/// Adds up the tables of all variables and factors. unary(v) gives one number per state, and
/// value(room, local, f, key, scores) the number of one assignment of a factor.
template <class Unary, class Value>
std::vector<double> add_up(const graph::FactorGraph& graph, Scores parts, Unary unary, Value value) {
  const Walk walk(graph);
  std::vector<double> out(at(walk.num_assignments()), 0.0);
  add_unaries(graph, walk, unary, out);
  for (const graph::PlacedGroup& placed : graph.groups()) {
    GroupRoom room(placed);
    const Scores own = parts.subspan(at(placed.part_begin), room.parts.size());
    for (Index f = 0; f < placed.group->layout().num_factors(); ++f) {
      const LocalFactor local(graph, placed, f);
      std::vector<double> table(at(local.num_keys()));
      for (Index key = 0; key < local.num_keys(); ++key) table[at(key)] = value(room, local, f, key, own);
      add_table(walk, local.strides(), table, out);
    }
  }
  return out;
}

}  // namespace

Index count_assignments(const graph::FactorGraph& graph, Index limit) {
  Index total = 1;
  for (Index v = 0; v < graph.num_variables(); ++v) {
    if (total > limit / graph.num_states(v)) return -1;
    total *= graph.num_states(v);
  }
  return total;
}

std::vector<double> log_weights(const graph::FactorGraph& graph, Scores unary, Scores parts) {
  const auto unary_table = [&](Index v) {
    const Scores own = unary.subspan(at(graph.coord_of(v)), at(graph.width(v)));
    if (graph.num_states(v) > 2) return std::vector<double>(own.begin(), own.end());
    if (own[0] == kForced) return std::vector<double>{kForbidden, 0.0};
    return std::vector<double>{0.0, own[0]};
  };
  return add_up(graph, parts, unary_table,
                [](GroupRoom& room, const LocalFactor& local, Index f, Index key, Scores own) {
                  local.write_states(key, room.y);
                  room.placed.group->score({f, f + 1}, room.y, own, room.values);
                  return room.values[at(f)];
                });
}

std::vector<double> dot_products(const graph::FactorGraph& graph, Scores coords, Scores parts) {
  const auto unary_table = [&](Index v) {
    const Scores own = coords.subspan(at(graph.coord_of(v)), at(graph.width(v)));
    return graph.num_states(v) > 2 ? std::vector<double>(own.begin(), own.end()) : std::vector<double>{0.0, own[0]};
  };
  return add_up(graph, parts, unary_table,
                [](GroupRoom& room, const LocalFactor& local, Index f, Index key, Scores own) {
                  double sum = 0.0;
                  if (local.num_parts() == 0 || !room.find_parts(local, f, key)) return sum;
                  for (Index p = local.part_begin(); p < local.part_begin() + local.num_parts(); ++p) {
                    sum += own[at(p)] * room.parts[at(p)];
                  }
                  return sum;
                });
}

void weighted_sums(const graph::FactorGraph& graph, Scores weights, Point coords, Point parts) {
  const Walk walk(graph);
  std::vector<Index> strides(at(graph.num_variables()), 0);
  for (Index v = 0; v < graph.num_variables(); ++v) {
    std::vector<double> mass(at(graph.num_states(v)), 0.0);
    strides[at(v)] = 1;
    walk.each(strides, [&](Index y, Index key) { mass[at(key)] += weights[at(y)]; });
    strides[at(v)] = 0;
    const bool binary = graph.num_states(v) == 2;
    for (Index i = 0; i < graph.width(v); ++i) coords[at(graph.coord_of(v) + i)] = mass[at(binary ? 1 : i)];
  }
  std::fill(parts.begin(), parts.end(), 0.0);
  for (const graph::PlacedGroup& placed : graph.groups()) {
    GroupRoom room(placed);
    for (Index f = 0; f < placed.group->layout().num_factors(); ++f) {
      const LocalFactor local(graph, placed, f);
      if (local.num_parts() == 0) continue;
      std::vector<double> mass(at(local.num_keys()), 0.0);
      walk.each(local.strides(), [&](Index y, Index key) { mass[at(key)] += weights[at(y)]; });
      for (Index key = 0; key < local.num_keys(); ++key) {
        if (mass[at(key)] == 0.0 || !room.find_parts(local, f, key)) continue;
        for (Index p = local.part_begin(); p < local.part_begin() + local.num_parts(); ++p) {
          parts[at(placed.part_begin + p)] += mass[at(key)] * room.parts[at(p)];
        }
      }
    }
  }
}

}  // namespace ramify::inference
