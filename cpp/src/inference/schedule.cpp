#include "ramify/inference/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace ramify::inference {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

bool is_active(Mask active, Index factor) { return active.empty() || active[index(factor)] != 0; }

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
                     graph.slot_variable().subspan(index(placed.slot_begin + slots[f]), index(slots.size(f)))});
    }
  }
  return out;
}

/// Members of every variable, as one array and where each variable's stretch begins.
struct Neighbours {
  std::vector<std::int32_t> begin, members;

  Neighbours(const FactorGraph& graph, std::span<const Member> all) : begin(index(graph.num_variables()) + 1, 0) {
    for (const Member& m : all) {
      for (const std::int32_t v : m.variables) ++begin[index(v) + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    members.resize(index(begin.back()));
    std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const std::int32_t v : all[i].variables) members[index(next[index(v)]++)] = static_cast<std::int32_t>(i);
    }
  }
};

/// Distance of each member in factors from the largest one of its component. Takes time in the active ones only.
std::vector<std::int32_t> levels(const FactorGraph& graph, std::span<const Member> all) {
  const Neighbours neighbours(graph, all);
  std::vector<std::int32_t> by_size(all.size());
  std::iota(by_size.begin(), by_size.end(), 0);
  std::ranges::stable_sort(by_size, std::greater<>(), [&](std::int32_t i) { return all[index(i)].variables.size(); });
  std::vector<std::int32_t> level(all.size(), -1);
  std::vector<std::uint8_t> seen(index(graph.num_variables()), 0);
  std::vector<std::int32_t> queue;
  for (const std::int32_t root : by_size) {
    if (level[index(root)] >= 0) continue;
    level[index(root)] = 0;
    queue.assign(1, root);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::int32_t member = queue[next];
      for (const std::int32_t v : all[index(member)].variables) {
        if (std::exchange(seen[index(v)], std::uint8_t{1}) != 0) continue;
        for (std::int32_t n = neighbours.begin[index(v)]; n < neighbours.begin[index(v) + 1]; ++n) {
          const std::int32_t other = neighbours.members[index(n)];
          if (level[index(other)] >= 0) continue;
          level[index(other)] = level[index(member)] + 1;
          queue.push_back(other);
        }
      }
    }
  }
  return level;
}

struct Forest {
  std::vector<std::int32_t> above;
  explicit Forest(Index size) : above(index(size)) { std::iota(above.begin(), above.end(), 0); }
  std::int32_t root(std::int32_t x) {
    while (above[index(x)] != x) x = above[index(x)] = above[index(above[index(x)])];
    return x;
  }
  bool join(std::int32_t a, std::int32_t b) {
    a = root(a);
    b = root(b);
    above[index(a)] = b;
    return a != b;
  }
};

bool is_decided(const FactorGraph& graph, Index variable, factors::Scores unary) {
  const Index begin = graph.coord_of(variable);
  if (graph.num_states(variable) == 2) return !std::isfinite(unary[index(begin)]);
  Index possible = 0;
  for (Index c = begin; c < graph.coord_of(variable + 1); ++c) possible += unary[index(c)] != factors::kForbidden;
  return possible <= 1;
}

}  // namespace

std::vector<std::int32_t> factor_of_edge(const FactorGraph& graph) {
  std::vector<std::int32_t> out;
  out.reserve(index(graph.num_edges()));
  for (const graph::PlacedGroup& placed : graph.groups()) {
    const auto& layout = placed.group->layout();
    for (Index f = 0; f < layout.num_factors(); ++f) {
      out.insert(out.end(), index(layout.coords().size(f)), static_cast<std::int32_t>(placed.factor_begin + f));
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
  std::vector<std::vector<std::int32_t>> at(index(deepest + 1));
  for (std::size_t i = 0; i < level.size(); ++i) at[index(level[i])].push_back(all[i].factor);
  Schedule schedule;
  const auto visit = [&](std::int32_t depth) {
    for (const std::int32_t factor : at[index(depth)]) {
      const Index g = group_of(graph, factor);
      append(schedule, g, factor - graph.groups()[index(g)].factor_begin);
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
        const std::int32_t variable = graph.slot_variable()[index(slot)];
        if (!is_decided(graph, variable, unary) && !forest.join(node, variable)) return false;
      }
    }
  }
  return true;
}

std::vector<double> concave_counting(const FactorGraph& graph, Mask active) {
  std::vector<double> load(index(graph.num_variables()), 0.0);
  std::vector<double> counting(index(graph.num_factors()), 1.0);
  const auto each = [&](auto visit) {
    for (const graph::PlacedGroup& placed : graph.groups()) {
      const auto& slots = placed.group->layout().slots();
      for (Index f = 0; f < placed.group->layout().num_factors(); ++f) {
        if (is_active(active, placed.factor_begin + f)) {
          visit(index(placed.factor_begin + f),
                graph.slot_variable().subspan(index(placed.slot_begin + slots[f]), index(slots.size(f))));
        }
      }
    }
  };
  each([&](std::size_t, std::span<const std::int32_t> variables) {
    const double share = 1.0 - 1.0 / static_cast<double>(variables.size());
    for (const std::int32_t v : variables) load[index(v)] += share;
  });
  each([&](std::size_t factor, std::span<const std::int32_t> variables) {
    for (const std::int32_t v : variables) counting[factor] = std::min(counting[factor], 1.0 / load[index(v)]);
  });
  return counting;
}

}  // namespace ramify::inference
