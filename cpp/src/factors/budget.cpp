#include "ramify/factors/budget.hpp"

#include <stdexcept>

#include "ramify/factors/automaton_group.hpp"

namespace ramify::factors {

namespace {

/// All automata here read one variable after the other, and then stop.
Position read_variable(Index i, Index size, Index num_states) {
  Position p;
  p.num_states = static_cast<std::int32_t>(num_states);
  if (i == size) return p;
  p.reads = Reads::kVariable;
  p.slot = static_cast<std::int32_t>(i);
  p.num_symbols = 2;
  return p;
}

/// The automaton counts, up to the budget.
class BudgetGroup final : public AutomatonGroup<BudgetGroup> {
 public:
  BudgetGroup(Layout layout, std::vector<std::uint8_t> negated, std::vector<std::int32_t> budgets, Relation relation)
      : AutomatonGroup<BudgetGroup>("Budget", std::move(layout), kAllCapabilities),
        negated_(std::move(negated)),
        budgets_(std::move(budgets)),
        relation_(relation) {}

  Arguments arguments() const override {
    return {{"budget", budgets_},
            {"kind", {static_cast<std::int32_t>(relation_)}},
            {"negated", {negated_.begin(), negated_.end()}}};
  }

  struct Machine {
    Index size;
    const std::uint8_t* negated;
    std::int32_t budget;
    Relation relation;

    Index num_positions() const { return size + 1; }

    Position position(Index i) const {
      Position p = read_variable(i, size, std::min<Index>(i, budget) + 1);
      p.flipped = i < size && negated != nullptr && negated[i] != 0;
      return p;
    }

    Transition step(Index i, std::int32_t count, std::int32_t literal) const {
      if (i == size) return {relation == Relation::kAtMost || count == budget ? 0 : -1, -1};
      if (count + literal <= budget) return {count + literal, -1};
      return {relation == Relation::kAtLeast ? count : -1, -1};
    }
  };

  Machine machine(Index f) const {
    const Index begin = layout().slots()[f];
    return {layout().slots().size(f), negated_.empty() ? nullptr : negated_.data() + begin,
            budgets_[static_cast<std::size_t>(f)], relation_};
  }

  double project_one(Index f, Scores a, Scores, Point z, Point, Workspace& ws) const {
    Face face(a.size(), ws);
    return solve(machine(f), a, z, face, ws) ? projection_value(a, z) : kForbidden;
  }

  void project_vjp_one(Index f, Scores a, Scores, Scores grad_z, Scores, Point grad_a, Point, Workspace& ws) const {
    Face face(a.size(), ws);
    std::ranges::fill(grad_a, 0.0);
    if (solve(machine(f), a, ws.take<double>(a.size()), face, ws)) face.apply(grad_z, grad_a);
  }

  Constraints constraints(Index f) const override {
    const Machine m = machine(f);
    Constraints out = bare_constraints(f);
    double budget = m.budget;
    const Index row = out.add_row(0.0, 0.0);
    for (Index i = 0; i < m.size; ++i) {
      const bool flipped = m.negated != nullptr && m.negated[i] != 0;
      out.add(row, i, flipped ? -1.0 : 1.0);
      if (flipped) budget -= 1.0;
    }
    out.lower[0] = relation_ == Relation::kAtMost ? -kForced : budget;
    out.upper[0] = relation_ == Relation::kAtLeast ? kForced : budget;
    return out;
  }

 private:
  static bool solve(const Machine& m, Scores a, Point z, Face& face, Workspace& ws) {
    const Workspace::Frame frame(ws);
    const Point b = ws.take<double>(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) b[i] = m.negated != nullptr && m.negated[i] ? 1.0 - a[i] : a[i];
    if (!project_knapsack(b, {}, m.budget, m.relation, z, face, ws)) return false;
    for (std::size_t i = 0; i < a.size() && m.negated != nullptr; ++i) {
      if (!m.negated[i]) continue;
      z[i] = 1.0 - z[i];
      face.direction[i] = -face.direction[i];
    }
    return true;
  }

  std::vector<std::uint8_t> negated_;
  std::vector<std::int32_t> budgets_;
  Relation relation_;
};

/// The automaton remembers the cost so far.
class KnapsackGroup final : public AutomatonGroup<KnapsackGroup> {
 public:
  KnapsackGroup(Layout layout, std::vector<std::int32_t> costs, std::vector<std::int32_t> capacities)
      : AutomatonGroup<KnapsackGroup>("Knapsack", std::move(layout), kAllCapabilities),
        costs_(costs.begin(), costs.end()),
        integer_costs_(std::move(costs)),
        capacities_(std::move(capacities)) {}

  Arguments arguments() const override { return {{"costs", integer_costs_}, {"capacity", capacities_}}; }

  struct Machine {
    Index size;
    const std::int32_t* costs;
    std::int32_t capacity;

    Index num_positions() const { return size + 1; }

    Position position(Index i) const { return read_variable(i, size, i == 0 ? 1 : Index{capacity} + 1); }

    Transition step(Index i, std::int32_t spent, std::int32_t on) const {
      if (i == size) return {0, -1};
      if (on == 0) return {spent, -1};
      return {costs[i] <= capacity - spent ? spent + costs[i] : -1, -1};
    }
  };

  Machine machine(Index f) const {
    return {layout().slots().size(f), integer_costs_.data() + layout().slots()[f],
            capacities_[static_cast<std::size_t>(f)]};
  }

  double project_one(Index f, Scores a, Scores, Point z, Point, Workspace& ws) const {
    Face face(a.size(), ws);
    return solve(f, a, z, face, ws) ? projection_value(a, z) : kForbidden;
  }

  void project_vjp_one(Index f, Scores a, Scores, Scores grad_z, Scores, Point grad_a, Point, Workspace& ws) const {
    Face face(a.size(), ws);
    std::ranges::fill(grad_a, 0.0);
    if (solve(f, a, ws.take<double>(a.size()), face, ws)) face.apply(grad_z, grad_a);
  }

  Constraints constraints(Index f) const override {
    Constraints out = bare_constraints(f);
    out.exact = false;
    const Scores costs = cut(Scores(costs_), layout().slots(), f);
    const Index row = out.add_row(-kForced, capacities_[static_cast<std::size_t>(f)]);
    for (Index i = 0; i < out.num_coords; ++i) out.add(row, i, costs[i]);
    return out;
  }

 private:
  bool solve(Index f, Scores a, Point z, Face& face, Workspace& ws) const {
    const Scores costs = cut(Scores(costs_), layout().slots(), f);
    return project_knapsack(a, costs, capacities_[static_cast<std::size_t>(f)], Relation::kAtMost, z, face, ws);
  }

  std::vector<double> costs_;
  std::vector<std::int32_t> integer_costs_;
  std::vector<std::int32_t> capacities_;
};

/// The automaton counts, up to the last number that has a score of its own.
class CountGroup final : public AutomatonGroup<CountGroup> {
 public:
  explicit CountGroup(Layout layout)
      : AutomatonGroup<CountGroup>("Count", std::move(layout), kAllCapabilities, kSoft) {}

  Arguments arguments() const override {
    std::vector<std::int32_t> lengths;
    for (Index f = 0; f < layout().num_factors(); ++f)
      lengths.push_back(static_cast<std::int32_t>(layout().parts().size(f)));
    return {{"num_scores", std::move(lengths)}};
  }

  struct Machine {
    Index size;
    std::int32_t most;

    Index num_positions() const { return size + 1; }

    Position position(Index i) const { return read_variable(i, size, std::min<Index>(i, most) + 1); }

    Transition step(Index i, std::int32_t count, std::int32_t on) const {
      if (i == size) return {0, count};
      return {std::min(count + on, most), -1};
    }
  };

  Machine machine(Index f) const {
    return {layout().slots().size(f), static_cast<std::int32_t>(layout().parts().size(f)) - 1};
  }

  /// Of each number, the best are those that gain most by being on.
  double argmax_one(Index f, Scores w, Scores parts, AssignmentOut y, Point nu, Workspace& ws) const {
    const std::size_t n = layout().slots().size(f);
    const std::size_t most = parts.size() - 1;
    const std::span<std::int32_t> order = ws.take<std::int32_t>(n);
    const auto gain = [&](std::int32_t i) {
      const double off = w[2 * static_cast<std::size_t>(i)];
      const double on = w[2 * static_cast<std::size_t>(i) + 1];
      return off == kForbidden ? kForced : on - off;
    };
    double total = 0.0;
    std::size_t forced = 0;
    for (std::size_t i = 0; i < n; ++i) {
      order[i] = static_cast<std::int32_t>(i);
      const bool is_forced = w[2 * i] == kForbidden;
      if (is_forced && w[2 * i + 1] == kForbidden) return kForbidden;
      forced += is_forced ? 1 : 0;
      total += is_forced ? w[2 * i + 1] : w[2 * i];
    }
    std::ranges::stable_sort(order, std::greater<>(), gain);
    double best = kForbidden;
    std::size_t best_count = 0;
    for (std::size_t count = forced;; ++count) {
      const double x = total + parts[std::min(count, most)];
      if (x > best) best = x, best_count = count;
      if (count == n || gain(order[count]) == kForbidden) break;
      total += gain(order[count]);
    }
    if (best == kForbidden) return kForbidden;
    for (std::size_t i = 0; i < best_count; ++i) y[static_cast<std::size_t>(order[i])] = 1;
    nu[std::min(best_count, most)] = 1.0;
    return best;
  }
};

}  // namespace

std::unique_ptr<FactorGroup> make_count(Index num_factors, Offsets slots, std::vector<std::int32_t> num_scores) {
  std::vector<Index> parts = {0};
  for (const std::int32_t n : num_scores) parts.push_back(parts.back() + n);
  return std::make_unique<CountGroup>(Layout(num_factors, std::move(slots), Offsets(std::move(parts))));
}

std::unique_ptr<FactorGroup> make_budget(Index num_factors, Offsets slots, std::vector<std::uint8_t> negated,
                                         std::vector<std::int32_t> budgets, Relation relation) {
  return std::make_unique<BudgetGroup>(Layout(num_factors, std::move(slots), Offsets(0)), std::move(negated),
                                       std::move(budgets), relation);
}

std::unique_ptr<FactorGroup> make_knapsack(Index num_factors, Offsets slots, std::vector<std::int32_t> costs,
                                           std::vector<std::int32_t> capacities) {
  // Two gigabytes of scores; beyond that the costs are better scaled and rounded.
  constexpr Index kMostCells = Index{1} << 28;
  for (Index f = 0; f < num_factors; ++f) {
    if (Index{capacities[static_cast<std::size_t>(f)]} + 1 > kMostCells / std::max<Index>(slots.size(f), 1)) {
      throw std::length_error(
          "Knapsack expects a capacity times number of variables below 2^28; got more. Scale the costs down.");
    }
  }
  return std::make_unique<KnapsackGroup>(Layout(num_factors, std::move(slots), Offsets(0)), std::move(costs),
                                         std::move(capacities));
}

}  // namespace ramify::factors
