#include "ramify/inference/schedule.hpp"
#include "ramify/numeric/index.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace ramify::inference {
namespace {

bool is_active(Mask active, Index factor) { return active.empty() || active[at(factor)] != 0; }

/// Appends a factor to the last run of the phase if it is its next neighbour.
void append(Schedule& schedule, Index group, Index factor) {
  const bool same_phase = schedule.runs.size() > schedule.phases.back();
  if (same_phase && schedule.runs.back().group == group && schedule.runs.back().end == factor) {
    ++schedule.runs.back().end;
  } else {
    schedule.runs.push_back({group, factor, factor + 1});
  }
}

void end_phase(Schedule& schedule) {
  if (schedule.runs.size() > schedule.phases.back()) schedule.phases.push_back(schedule.runs.size());
}

Index group_of(const FactorGraph& graph, Index factor) {
  const auto groups = graph.groups();
  const auto next = std::ranges::upper_bound(groups, factor, {}, &graph::PlacedGroup::factor_begin);
  return static_cast<Index>(next - groups.begin()) - 1;
}

struct Member {
  std::int32_t factor;
  std::span<const std::int32_t> variables;
};

/// Active factors in their order.
std::vector<Member> members(const FactorGraph& graph, Mask active) {
  std::vector<Member> out;
  for (const graph::PlacedGroup& placed : graph.groups()) {
    const auto& slots = placed.group->layout().slots();
    for (Index f = 0; f < placed.group->layout().num_factors(); ++f) {
      if (!is_active(active, placed.factor_begin + f)) continue;
      out.push_back({static_cast<std::int32_t>(placed.factor_begin + f),
                     graph.slot_variable().subspan(at(placed.slot_begin + slots[f]), at(slots.size(f)))});
    }
  }
  return out;
}

/// Members of every variable, as one array and where each variable's stretch begins.
struct Neighbours {
  std::vector<std::int32_t> begin, members;

  Neighbours(const FactorGraph& graph, std::span<const Member> all) : begin(at(graph.num_variables()) + 1, 0) {
    for (const Member& m : all) {
      for (const std::int32_t v : m.variables) ++begin[at(v) + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    members.resize(at(begin.back()));
    std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const std::int32_t v : all[i].variables) members[at(next[at(v)]++)] = static_cast<std::int32_t>(i);
    }
  }
};

/// Distance of each member in factors from the largest one of its component. Takes time in the active ones only.
std::vector<std::int32_t> levels(const FactorGraph& graph, std::span<const Member> all) {
  const Neighbours neighbours(graph, all);
  std::vector<std::int32_t> by_size(all.size());
  std::iota(by_size.begin(), by_size.end(), 0);
  std::ranges::stable_sort(by_size, std::greater<>(), [&](std::int32_t i) { return all[at(i)].variables.size(); });
  std::vector<std::int32_t> level(all.size(), -1);
  std::vector<std::uint8_t> seen(at(graph.num_variables()), 0);
  std::vector<std::int32_t> queue;
  for (const std::int32_t root : by_size) {
    if (level[at(root)] >= 0) continue;
    level[at(root)] = 0;
    queue.assign(1, root);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::int32_t member = queue[next];
      for (const std::int32_t v : all[at(member)].variables) {
        if (std::exchange(seen[at(v)], std::uint8_t{1}) != 0) continue;
        for (std::int32_t n = neighbours.begin[at(v)]; n < neighbours.begin[at(v) + 1]; ++n) {
          const std::int32_t other = neighbours.members[at(n)];
          if (level[at(other)] >= 0) continue;
          level[at(other)] = level[at(member)] + 1;
          queue.push_back(other);
        }
      }
    }
  }
  return level;
}

struct Forest {
  std::vector<std::int32_t> above;
  explicit Forest(Index size) : above(at(size)) { std::iota(above.begin(), above.end(), 0); }
  std::int32_t root(std::int32_t x) {
    while (above[at(x)] != x) x = above[at(x)] = above[at(above[at(x)])];
    return x;
  }
  bool join(std::int32_t a, std::int32_t b) {
    a = root(a);
    b = root(b);
    above[at(a)] = b;
    return a != b;
  }
};

bool is_decided(const FactorGraph& graph, Index variable, factors::Scores unary) {
  const Index begin = graph.coord_of(variable);
  if (graph.num_states(variable) == 2) return !std::isfinite(unary[at(begin)]);
  Index possible = 0;
  for (Index c = begin; c < graph.coord_of(variable + 1); ++c) possible += unary[at(c)] != factors::kForbidden;
  return possible <= 1;
}

}  // namespace

std::vector<std::int32_t> factor_of_edge(const FactorGraph& graph) {
  std::vector<std::int32_t> out;
  out.reserve(at(graph.num_edges()));
  for (const graph::PlacedGroup& placed : graph.groups()) {
    const auto& layout = placed.group->layout();
    for (Index f = 0; f < layout.num_factors(); ++f) {
      out.insert(out.end(), at(layout.coords().size(f)), static_cast<std::int32_t>(placed.factor_begin + f));
    }
  }
  return out;
}

Schedule parallel_schedule(const FactorGraph& graph, Mask active) {
  Schedule schedule;
  for (std::size_t g = 0; g < graph.groups().size(); ++g) {
    const graph::PlacedGroup& placed = graph.groups()[g];
    const Index n = placed.group->layout().num_factors();
    if (active.empty()) {
      if (n > 0) schedule.runs.push_back({static_cast<Index>(g), 0, n});
      continue;
    }
    for (Index f = 0; f < n; ++f) {
      if (is_active(active, placed.factor_begin + f)) append(schedule, static_cast<Index>(g), f);
    }
  }
  end_phase(schedule);
  return schedule;
}

Schedule sequential_schedule(const FactorGraph& graph, Mask active) {
  const std::vector<Member> all = members(graph, active);
  const std::vector<std::int32_t> level = levels(graph, all);
  std::int32_t deepest = -1;
  for (const std::int32_t depth : level) deepest = std::max(deepest, depth);
  std::vector<std::vector<std::int32_t>> by_level(at(deepest + 1));
  for (std::size_t i = 0; i < level.size(); ++i) by_level[at(level[i])].push_back(all[i].factor);
  Schedule schedule;
  const auto visit = [&](std::int32_t depth) {
    for (const std::int32_t factor : by_level[at(depth)]) {
      const Index g = group_of(graph, factor);
      append(schedule, g, factor - graph.groups()[at(g)].factor_begin);
    }
    end_phase(schedule);
  };
  for (std::int32_t depth = deepest; depth > 0; --depth) visit(depth);
  for (std::int32_t depth = 0; depth <= deepest; ++depth) visit(depth);
  return schedule;
}

bool is_acyclic(const FactorGraph& graph, Mask active, factors::Scores unary) {
  Forest forest(graph.num_variables() + graph.num_factors());
  for (const graph::PlacedGroup& placed : graph.groups()) {
    const auto& slots = placed.group->layout().slots();
    for (Index f = 0; f < placed.group->layout().num_factors(); ++f) {
      if (!is_active(active, placed.factor_begin + f)) continue;
      const auto node = static_cast<std::int32_t>(graph.num_variables() + placed.factor_begin + f);
      for (Index slot = placed.slot_begin + slots[f]; slot < placed.slot_begin + slots[f + 1]; ++slot) {
        const std::int32_t variable = graph.slot_variable()[at(slot)];
        if (!is_decided(graph, variable, unary) && !forest.join(node, variable)) return false;
      }
    }
  }
  return true;
}

std::vector<double> concave_counting(const FactorGraph& graph, Mask active) {
  std::vector<double> load(at(graph.num_variables()), 0.0);
  std::vector<double> counting(at(graph.num_factors()), 1.0);
  const auto each = [&](auto visit) {
    for (const graph::PlacedGroup& placed : graph.groups()) {
      const auto& slots = placed.group->layout().slots();
      for (Index f = 0; f < placed.group->layout().num_factors(); ++f) {
        if (is_active(active, placed.factor_begin + f)) {
          visit(at(placed.factor_begin + f),
                graph.slot_variable().subspan(at(placed.slot_begin + slots[f]), at(slots.size(f))));
        }
      }
    }
  };
  each([&](std::size_t, std::span<const std::int32_t> variables) {
    const double share = 1.0 - 1.0 / static_cast<double>(variables.size());
    for (const std::int32_t v : variables) load[at(v)] += share;
  });
  each([&](std::size_t factor, std::span<const std::int32_t> variables) {
    for (const std::int32_t v : variables) counting[factor] = std::min(counting[factor], 1.0 / load[at(v)]);
  });
  return counting;
}

}  // namespace ramify::inference
