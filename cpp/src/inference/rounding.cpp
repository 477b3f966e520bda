#include "ramify/inference/rounding.hpp"
#include "ramify/numeric/index.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ramify::inference {

namespace {

using factors::kForbidden;
using factors::kForced;

/// Settles variables one factor after the other.
class Greedy {
 public:
  Greedy(const ScoredGraph& problem, Scores u, AssignmentOut y, factors::Workspace& ws)
      : problem_(problem), graph_(problem.graph), y_(y), ws_(ws) {
    coords_ = ws.take<double>(graph_.num_coords());
    for (std::size_t c = 0; c < coords_.size(); ++c) {
      const double s = problem.unary[c];
      coords_[c] = std::isfinite(s) ? u[c] - 0.5 : s;
    }
    edges_ = ws.take<double>(graph_.num_edges());
    // Which parts come with an assignment does not matter here, only whether it is allowed.
    parts_ = ws.take<double>(graph_.num_parts());
    for (std::size_t r = 0; r < parts_.size(); ++r) parts_[r] = problem.parts[r] == kForbidden ? kForbidden : 0.0;
    settled_ = ws.take<std::uint8_t>(graph_.num_variables(), std::uint8_t{0});
    slots_ = ws.take<std::int32_t>(graph_.num_slots());
    nu_ = ws.take<double>(graph_.num_parts());
    values_ = ws.take<double>(graph_.num_factors());
  }

  bool run() {
    std::map<Index, std::vector<std::pair<Index, Index>>, std::greater<>> order;  // by the number of variables
    for (std::size_t g = 0; g < graph_.groups().size(); ++g) {
      const factors::Layout& layout = graph_.groups()[g].group->layout();
      std::vector<std::pair<Index, Index>>* same = nullptr;
      Index size = -1;
      for (Index f = 0; f < layout.num_factors(); ++f) {
        if (layout.slots().size(f) != size) same = &order[size = layout.slots().size(f)];
        same->emplace_back(static_cast<Index>(g), f);
      }
    }
    for (const auto& [size, factors] : order) {
      for (const auto& [g, f] : factors) {
        if (num_settled_ == graph_.num_variables()) return true;
        if (!settle(graph_.groups()[at(g)], f)) return false;
      }
    }
    return true;
  }

 private:
  bool settle(const graph::PlacedGroup& placed, Index f) {
    const factors::Layout& layout = placed.group->layout();
    const auto variables =
        graph_.slot_variable().subspan(at(placed.slot_begin + layout.slots()[f]), at(layout.slots().size(f)));
    if (std::ranges::all_of(variables, [&](std::int32_t v) { return settled_[at(v)] != 0; })) return true;
    for (Index e = placed.edge_begin + layout.coords()[f]; e < placed.edge_begin + layout.coords()[f + 1]; ++e) {
      edges_[at(e)] = coords_[at(graph_.edge_coord()[at(e)])];
    }
    placed.group->argmax({f, f + 1}, edges_.subspan(at(placed.edge_begin)), parts_.subspan(at(placed.part_begin)),
                         slots_.subspan(at(placed.slot_begin)), nu_.subspan(at(placed.part_begin)),
                         values_.subspan(at(placed.factor_begin)), ws_);
    if (values_[at(placed.factor_begin + f)] == kForbidden) return false;
    for (std::size_t j = 0; j < variables.size(); ++j) {
      clamp(variables[j], slots_[at(placed.slot_begin + layout.slots()[f]) + j]);
    }
    return true;
  }

  void clamp(Index v, std::int32_t state) {
    num_settled_ += settled_[at(v)] == 0 ? 1 : 0;
    settled_[at(v)] = 1;
    y_[at(v)] = state;
    const Index begin = graph_.coord_of(v);
    if (graph_.num_states(v) == 2) {
      coords_[at(begin)] = state == 1 ? kForced : kForbidden;
      return;
    }
    for (Index c = begin; c < graph_.coord_of(v + 1); ++c) {
      if (c - begin != state) coords_[at(c)] = kForbidden;
    }
  }

  const ScoredGraph& problem_;
  const FactorGraph& graph_;
  AssignmentOut y_;
  factors::Workspace& ws_;
  Point coords_, edges_, parts_, nu_, values_;
  std::span<std::uint8_t> settled_;
  Index num_settled_ = 0;
  AssignmentOut slots_;
};

}  // namespace

void round_variables(const FactorGraph& graph, Scores u, AssignmentOut y) {
  for (Index v = 0; v < graph.num_variables(); ++v) {
    const Scores mine = u.subspan(at(graph.coord_of(v)), at(graph.width(v)));
    y[at(v)] = static_cast<std::int32_t>(mine.size() == 1 ? (mine[0] > 0.5 ? 1 : 0)
                                                          : std::ranges::max_element(mine) - mine.begin());
  }
}

double round_to_feasible(const ScoredGraph& problem, Scores u, AssignmentOut y, factors::Workspace& ws) {
  const Completion* completion = problem.completion;
  round_variables(problem.graph, u, y);
  if (completion != nullptr) completion->fill(y);
  const double value = value_of(problem, y);
  if (value != kForbidden) return value;
  const factors::Workspace::Frame frame(ws);
  const bool found = completion != nullptr ? completion->round(problem.unary, u, y) : Greedy(problem, u, y, ws).run();
  if (!found) return kForbidden;
  if (completion != nullptr) completion->fill(y);
  return value_of(problem, y);
}

}  // namespace ramify::inference
