#include "ramify/factors/logic.hpp"

#include "ramify/factors/automaton_group.hpp"
#include "ramify/factors/projections.hpp"

namespace ramify::factors {

namespace {

/// The automaton has one bit of memory: whether a literal has been true.
template <LogicRule kRule>
class LogicGroup final : public AutomatonGroup<LogicGroup<kRule>> {
 public:
  LogicGroup(std::string family, Layout layout, std::vector<std::uint8_t> negated)
      : AutomatonGroup<LogicGroup<kRule>>(std::move(family), std::move(layout), kAllCapabilities),
        negated_(std::move(negated)) {}

  struct Machine {
    Index size;
    const std::uint8_t* negated;  // null: none

    Index num_positions() const { return kRule == LogicRule::kOrOut ? size : size + 1; }

    Position position(Index i) const {
      Position p;
      p.num_states = i == 0 ? 1 : 2;
      if (i == size) return p;
      p.reads = Reads::kVariable;
      p.flipped = negated != nullptr && negated[i] != 0;
      p.slot = static_cast<std::int32_t>(i);
      p.num_symbols = 2;
      return p;
    }

    Transition step(Index i, std::int32_t seen, std::int32_t literal) const {
      if (i == size) return {kRule == LogicRule::kAtMostOne || seen == 1 ? 0 : -1, -1};
      if (kRule == LogicRule::kOrOut && i == size - 1) return {literal == seen ? 0 : -1, -1};
      if (literal == 0) return {seen, -1};
      constexpr bool kSingle = kRule == LogicRule::kExactlyOne || kRule == LogicRule::kAtMostOne;
      return {kSingle && seen == 1 ? -1 : 1, -1};
    }
  };

  Machine machine(Index f) const {
    const Index begin = this->layout().slots()[f];
    return {this->layout().slots().size(f), negated_.empty() ? nullptr : negated_.data() + begin};
  }

  Arguments arguments() const override { return {{"negated", {negated_.begin(), negated_.end()}}}; }

  double project_one(Index f, Scores a, Scores, Point z, Point, Workspace& ws) const {
    Face face(a.size(), ws);
    return solve(machine(f), a, z, face, ws) ? projection_value(a, z) : kForbidden;
  }

  void project_vjp_one(Index f, Scores a, Scores, Scores grad_z, Scores, Point grad_a, Point, Workspace& ws) const {
    Face face(a.size(), ws);
    if (solve(machine(f), a, ws.take<double>(a.size()), face, ws)) {
      face.apply(grad_z, grad_a);
    } else {
      std::ranges::fill(grad_a, 0.0);
    }
  }

  Constraints constraints(Index f) const override {
    Constraints out = this->bare_constraints(f);
    const Machine m = machine(f);
    constexpr double kInf = kForced;
    if constexpr (kRule == LogicRule::kOrOut) {
      for (Index i = 0; i + 1 < m.size; ++i) {  // input <= output
        add_literals(out, m, out.add_row(-kInf, 0.0), {{i, 1.0}, {m.size - 1, -1.0}});
      }
      const Index row = out.add_row(0.0, kInf);  // output <= sum of inputs
      for (Index i = 0; i + 1 < m.size; ++i) add_literals(out, m, row, {{i, 1.0}});
      add_literals(out, m, row, {{m.size - 1, -1.0}});
    } else {
      const Index row = out.add_row(kRule == LogicRule::kAtMostOne ? -kInf : 1.0, kRule == LogicRule::kOr ? kInf : 1.0);
      for (Index i = 0; i < m.size; ++i) add_literals(out, m, row, {{i, 1.0}});
    }
    return out;
  }

 private:
  struct Term {
    Index variable;
    double value;
  };

  // A negated literal is 1 - z: its coefficient changes sign and its constant moves to the bounds.
  static void add_literals(Constraints& out, const Machine& m, Index row, std::initializer_list<Term> terms) {
    for (const Term& term : terms) {
      const bool flipped = m.negated != nullptr && m.negated[term.variable] != 0;
      out.add(row, term.variable, flipped ? -term.value : term.value);
      if (!flipped) continue;
      out.lower[static_cast<std::size_t>(row)] -= term.value;
      out.upper[static_cast<std::size_t>(row)] -= term.value;
    }
  }

  static bool solve(const Machine& m, Scores a, Point z, Face& face, Workspace& ws) {
    const Workspace::Frame frame(ws);
    const Point b = ws.take<double>(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) b[i] = m.negated != nullptr && m.negated[i] ? 1.0 - a[i] : a[i];
    bool feasible;
    if constexpr (kRule == LogicRule::kOrOut) {
      feasible = project_or_out(b, z, face, ws);
    } else {
      constexpr Relation kRelation = kRule == LogicRule::kExactlyOne  ? Relation::kExactly
                                     : kRule == LogicRule::kAtMostOne ? Relation::kAtMost
                                                                      : Relation::kAtLeast;
      feasible = project_knapsack(b, {}, 1.0, kRelation, z, face, ws);
    }
    if (!feasible) {
      std::ranges::fill(z, 0.0);
      return false;
    }
    for (std::size_t i = 0; i < a.size() && m.negated != nullptr; ++i) {
      if (!m.negated[i]) continue;
      z[i] = 1.0 - z[i];
      face.direction[i] = -face.direction[i];
    }
    return true;
  }

  std::vector<std::uint8_t> negated_;
};

}  // namespace

std::unique_ptr<FactorGroup> make_logic(std::string family, LogicRule rule, Index num_factors, Offsets slots,
                                        std::vector<std::uint8_t> negated) {
  Layout layout(num_factors, std::move(slots), Offsets(0));
  switch (rule) {
    case LogicRule::kExactlyOne:
      return std::make_unique<LogicGroup<LogicRule::kExactlyOne>>(std::move(family), std::move(layout),
                                                                  std::move(negated));
    case LogicRule::kAtMostOne:
      return std::make_unique<LogicGroup<LogicRule::kAtMostOne>>(std::move(family), std::move(layout),
                                                                 std::move(negated));
    case LogicRule::kOr:
      return std::make_unique<LogicGroup<LogicRule::kOr>>(std::move(family), std::move(layout), std::move(negated));
    case LogicRule::kOrOut:
      break;
  }
  return std::make_unique<LogicGroup<LogicRule::kOrOut>>(std::move(family), std::move(layout), std::move(negated));
}

}  // namespace ramify::factors
