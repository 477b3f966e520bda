// Families whose legal assignments are the words of a small automaton: logic, counts, sequences, head automata.
#pragma once

#include "ramify/factors/kernel_group.hpp"

namespace ramify::factors {

/// What an automaton reads at one position.
enum class Reads {
  kVariable,  // the state of one variable; a flipped binary one is read negated
  kOneHot,    // which one of num_symbols binary variables is on
  kNothing,   // a single symbol that belongs to no variable: the final check
};

struct Position {
  Reads reads = Reads::kNothing;
  bool flipped = false;
  std::int32_t slot = 0;  // first variable read, within the factor
  std::int32_t num_symbols = 1;
  std::int32_t num_states = 1;  // of the automaton before this position; state 0 is the start
};

/// Next state (negative: no such transition) and the part that scores it (negative: none).
struct Transition {
  std::int32_t to = -1;
  std::int32_t part = -1;
};

/// The positions of one factor with offsets into arrays of automaton states, symbols and transitions.
struct Trellis {
  std::span<Position> positions;
  std::span<Index> first_state;  // one more than positions; the last position leads to a single state
  std::span<Index> first_symbol;
  std::span<Index> first_edge;
  Index num_states = 0;
  Index num_symbols = 0;
  Index num_edges = 0;
};

/// Scores of the symbols from the scores of the variables' states; direction says to add without infinities.
void symbol_scores(const Layout& layout, Index factor, const Trellis& trellis, Scores w, Point symbols);
/// Scores of "variable k is on and the others are off" from the states' scores of a one-hot group.
void one_hot_scores(Scores w, Point out);
/// States of a one-hot group from its symbols; off is all the others, gathered from both sides, not by subtraction.
template <class Plus>
void one_hot_states(Scores symbols, Point states, double zero, Plus plus, Workspace& ws) {
  const Workspace::Frame frame(ws);
  const Point after = ws.take<double>(symbols.size() + 1, zero);
  for (std::size_t y = symbols.size(); y-- > 0;) after[y] = plus(after[y + 1], symbols[y]);
  double before = zero;
  for (std::size_t y = 0; y < symbols.size(); ++y) {
    states[2 * y] = plus(before, after[y + 1]);
    states[2 * y + 1] = symbols[y];
    before = plus(before, symbols[y]);
  }
}
/// States from symbols: plus is + with zero 0, or a semiring's with zero -inf.
template <class Plus>
void states_from_symbols(const Layout& layout, Index factor, const Trellis& trellis, Scores symbols, Point states,
                         double zero, Plus plus, Workspace& ws);

/// Derived has `auto machine(f) const`, an object with
///   Index num_positions()
///   Position position(i)
///   Transition step(i, state, symbol)     all transitions of the last position lead to state 0
/// From these come all capabilities, each exact and free of subtraction: both the on and the off mass of a variable
/// are sums over transitions.
template <class Derived>
class AutomatonGroup : public KernelGroup<Derived> {
 public:
  using KernelGroup<Derived>::KernelGroup;

  double score_one(Index f, Assignment y, Scores parts) const {
    const auto machine = self().machine(f);
    double total = 0.0;
    std::int32_t state = 0;
    for (Index i = 0; i < machine.num_positions(); ++i) {
      const std::int32_t symbol = read_symbol(machine.position(i), y);
      if (symbol < 0) return kForbidden;
      const Transition t = machine.step(i, state, symbol);
      if (t.to < 0) return kForbidden;
      if (t.part >= 0) total += parts[t.part];
      state = t.to;
    }
    return total;
  }

  double sum_one(Index f, Scores w, Scores parts, Point masses, Point nu, Workspace& ws) const {
    const auto machine = self().machine(f);
    const Trellis trellis = build(machine, ws);
    const Point weights = ws.take<double>(trellis.num_symbols);
    symbol_scores(this->layout(), f, trellis, w, weights);
    const Point p = ws.take<double>(trellis.num_edges);
    const double log_z = conditional_probabilities(machine, trellis, weights, parts, p, ws);
    if (log_z == kForbidden) return log_z;
    const Point symbols = ws.take<double>(trellis.num_symbols, 0.0);
    const Point visit = ws.take<double>(trellis.num_states, 0.0);
    visit[0] = 1.0;
    each_edge(machine, trellis, [&](Index e, Index from, Index to, Index symbol, std::int32_t part) {
      const double mass = visit[from] * p[e];
      if (mass == 0.0) return;
      visit[to] += mass;
      symbols[symbol] += mass;
      if (part >= 0) nu[part] += mass;
    });
    states_from_symbols(this->layout(), f, trellis, symbols, masses, 0.0, std::plus<double>(), ws);
    return log_z;
  }

  template <class Semiring>
  double sweep_one(Index f, Scores w, Scores parts, Point out, Workspace& ws) const {
    const auto machine = self().machine(f);
    const Trellis trellis = build(machine, ws);
    const Point weights = ws.take<double>(trellis.num_symbols);
    symbol_scores(this->layout(), f, trellis, w, weights);
    const Point beta = backward<Semiring>(machine, trellis, weights, parts, ws);
    const Point alpha = ws.take<double>(trellis.num_states, kForbidden);
    const Point symbols = ws.take<double>(trellis.num_symbols, kForbidden);
    alpha[0] = 0.0;
    each_edge(machine, trellis, [&](Index, Index from, Index to, Index symbol, std::int32_t part) {
      const double x = alpha[from] + weights[symbol] + (part >= 0 ? parts[part] : 0.0);
      if (x == kForbidden) return;
      alpha[to] = Semiring::plus(alpha[to], x);
      symbols[symbol] = Semiring::plus(symbols[symbol], x + beta[to]);
    });
    states_from_symbols(this->layout(), f, trellis, symbols, out, kForbidden, Semiring::plus, ws);
    return beta[0];
  }

  // Tangents of the same two passes: dlog p of a transition, then the mass it carries.
  void vjp_one(Index f, Scores w, Scores parts, Scores dw, Scores dparts, Point dmasses, Point dnu,
               Workspace& ws) const {
    const auto machine = self().machine(f);
    const Trellis trellis = build(machine, ws);
    const Point weights = ws.take<double>(trellis.num_symbols);
    const Point dweights = ws.take<double>(trellis.num_symbols);
    symbol_scores(this->layout(), f, trellis, w, weights);
    symbol_scores(this->layout(), f, trellis, dw, dweights);
    const Point p = ws.take<double>(trellis.num_edges);
    if (conditional_probabilities(machine, trellis, weights, parts, p, ws) == kForbidden) return;
    const Point dbeta = ws.take<double>(trellis.num_states, 0.0);
    each_edge_backward(machine, trellis, [&](Index e, Index from, Index to, Index symbol, std::int32_t part) {
      dbeta[from] += p[e] * (dweights[symbol] + (part >= 0 ? dparts[part] : 0.0) + dbeta[to]);
    });
    const Point dsymbols = ws.take<double>(trellis.num_symbols, 0.0);
    const Point visit = ws.take<double>(trellis.num_states, 0.0);
    const Point dvisit = ws.take<double>(trellis.num_states, 0.0);
    visit[0] = 1.0;
    each_edge(machine, trellis, [&](Index e, Index from, Index to, Index symbol, std::int32_t part) {
      if (p[e] == 0.0) return;
      const double dlog = dweights[symbol] + (part >= 0 ? dparts[part] : 0.0) + dbeta[to] - dbeta[from];
      const double dmass = p[e] * (dvisit[from] + visit[from] * dlog);
      visit[to] += visit[from] * p[e];
      dvisit[to] += dmass;
      dsymbols[symbol] += dmass;
      if (part >= 0) dnu[part] += dmass;
    });
    states_from_symbols(this->layout(), f, trellis, dsymbols, dmasses, 0.0, std::plus<double>(), ws);
  }

  double argmax_one(Index f, Scores w, Scores parts, AssignmentOut y, Point nu, Workspace& ws) const {
    const auto machine = self().machine(f);
    const Trellis trellis = build(machine, ws);
    const Point weights = ws.take<double>(trellis.num_symbols);
    symbol_scores(this->layout(), f, trellis, w, weights);
    const Point beta = backward<MaxSemiring>(machine, trellis, weights, parts, ws);
    if (beta[0] == kForbidden) return kForbidden;
    std::int32_t state = 0;
    for (std::size_t i = 0; i < trellis.positions.size(); ++i) {
      const Position& position = trellis.positions[i];
      double best = kForbidden;
      std::int32_t best_symbol = 0;
      Transition best_step;
      for (std::int32_t symbol = 0; symbol < position.num_symbols; ++symbol) {
        const Transition t = machine.step(static_cast<Index>(i), state, symbol);
        if (t.to < 0) continue;
        const double x = weights[trellis.first_symbol[i] + symbol] + (t.part >= 0 ? parts[t.part] : 0.0) +
                         beta[trellis.first_state[i + 1] + t.to];
        if (x > best) best = x, best_symbol = symbol, best_step = t;
      }
      write_symbol(position, best_symbol, y);
      if (best_step.part >= 0) nu[best_step.part] = 1.0;
      state = best_step.to;
    }
    return beta[0];
  }

  /// Unit flow through the automaton: an exact description whatever the family (Martin, Rardin & Campbell 1990 show
  /// this for any dynamic program).
  Constraints constraints(Index f) const override {
    Workspace ws;
    const auto machine = self().machine(f);
    const Trellis trellis = build(machine, ws);
    Constraints out = this->bare_constraints(f);
    const Point ones = ws.take<double>(trellis.num_symbols, 0.0);
    const Point parts = ws.take<double>(out.num_parts, 0.0);
    const Point beta = backward<MaxSemiring>(machine, trellis, ones, parts, ws);
    const Point alpha = ws.take<double>(trellis.num_states, kForbidden);
    alpha[0] = 0.0;
    std::vector<Index> conservation;
    for (Index s = 0; s < trellis.num_states; ++s) {
      const double unit = s == 0 ? 1.0 : s == trellis.num_states - 1 ? -1.0 : 0.0;
      conservation.push_back(out.add_row(unit, unit));
    }
    const Index first_coord = out.num_rows();
    for (Index c = 0; c < out.num_coords; ++c) out.add(out.add_row(0.0, 0.0), c, -1.0);
    const Index first_part = out.num_rows();
    for (Index r = 0; r < out.num_parts; ++r) out.add(out.add_row(0.0, 0.0), out.num_coords + r, -1.0);
    const std::span<Index> coord_of_symbol = symbol_coords(f, trellis, ws);
    each_edge(machine, trellis, [&](Index, Index from, Index to, Index symbol, std::int32_t part) {
      if (alpha[from] == kForbidden || beta[to] == kForbidden) return;
      alpha[to] = 0.0;
      const Index flow = out.add_auxiliary();
      out.add(conservation[static_cast<std::size_t>(from)], flow, 1.0);
      out.add(conservation[static_cast<std::size_t>(to)], flow, -1.0);
      if (coord_of_symbol[symbol] >= 0) out.add(first_coord + coord_of_symbol[symbol], flow, 1.0);
      if (part >= 0) out.add(first_part + part, flow, 1.0);
    });
    return out;
  }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }

  static std::int32_t read_symbol(const Position& position, Assignment y) {
    if (position.reads == Reads::kNothing) return 0;
    if (position.reads == Reads::kVariable) return position.flipped ? 1 - y[position.slot] : y[position.slot];
    std::int32_t on = -1;
    for (std::int32_t k = 0; k < position.num_symbols; ++k) {
      if (y[position.slot + k] == 0) continue;
      if (on >= 0) return -1;
      on = k;
    }
    return on;
  }

  static void write_symbol(const Position& position, std::int32_t symbol, AssignmentOut y) {
    if (position.reads == Reads::kVariable) y[position.slot] = position.flipped ? 1 - symbol : symbol;
    if (position.reads == Reads::kOneHot) y[position.slot + symbol] = 1;
  }

  template <class Machine>
  static Trellis build(const Machine& machine, Workspace& ws) {
    Trellis t;
    const Index n = machine.num_positions();
    t.positions = ws.take<Position>(n);
    t.first_state = ws.take<Index>(n + 1);
    t.first_symbol = ws.take<Index>(n + 1);
    t.first_edge = ws.take<Index>(n + 1);
    for (Index i = 0; i < n; ++i) {
      const Position p = machine.position(i);
      t.positions[i] = p;
      t.first_state[i] = t.num_states;
      t.first_symbol[i] = t.num_symbols;
      t.first_edge[i] = t.num_edges;
      t.num_states += p.num_states;
      t.num_symbols += p.num_symbols;
      t.num_edges += Index{p.num_states} * p.num_symbols;
    }
    t.first_state[n] = t.num_states++;
    t.first_symbol[n] = t.num_symbols;
    t.first_edge[n] = t.num_edges;
    return t;
  }

  // visit(edge, from, to, symbol, part) over all transitions of one position.
  template <class Machine, class Visit>
  static void position_edges(const Machine& machine, const Trellis& trellis, Index i, Visit& visit) {
    const Position position = trellis.positions[i];
    Index e = trellis.first_edge[i];
    for (std::int32_t s = 0; s < position.num_states; ++s) {
      for (std::int32_t y = 0; y < position.num_symbols; ++y, ++e) {
        const Transition t = machine.step(i, s, y);
        if (t.to >= 0) {
          visit(e, trellis.first_state[i] + s, trellis.first_state[i + 1] + t.to, trellis.first_symbol[i] + y, t.part);
        }
      }
    }
  }

  template <class Machine, class Visit>
  static void each_edge(const Machine& machine, const Trellis& trellis, Visit visit) {
    const auto n = static_cast<Index>(trellis.positions.size());
    for (Index i = 0; i < n; ++i) position_edges(machine, trellis, i, visit);
  }

  template <class Machine, class Visit>
  static void each_edge_backward(const Machine& machine, const Trellis& trellis, Visit visit) {
    for (auto i = static_cast<Index>(trellis.positions.size()); i-- > 0;) {
      position_edges(machine, trellis, i, visit);
    }
  }

  template <class Semiring, class Machine>
  static Point backward(const Machine& machine, const Trellis& trellis, Scores weights, Scores parts, Workspace& ws) {
    const Point beta = ws.take<double>(trellis.num_states, kForbidden);
    beta[trellis.num_states - 1] = 0.0;
    each_edge_backward(machine, trellis, [&](Index, Index from, Index to, Index symbol, std::int32_t part) {
      const double x = weights[symbol] + (part >= 0 ? parts[part] : 0.0) + beta[to];
      beta[from] = Semiring::plus(beta[from], x);
    });
    return beta;
  }

  // p[e]: probability of a transition given the state it leaves. One exponential per transition.
  template <class Machine>
  static double conditional_probabilities(const Machine& machine, const Trellis& trellis, Scores weights, Scores parts,
                                          Point p, Workspace& ws) {
    const Workspace::Frame frame(ws);
    const Point beta = ws.take<double>(trellis.num_states);
    beta[trellis.num_states - 1] = 0.0;
    for (auto i = static_cast<Index>(trellis.positions.size()); i-- > 0;) {
      const Position position = trellis.positions[i];
      for (std::int32_t s = 0; s < position.num_states; ++s) {
        const Point x = p.subspan(static_cast<std::size_t>(trellis.first_edge[i] + Index{s} * position.num_symbols),
                                  static_cast<std::size_t>(position.num_symbols));
        double high = kForbidden;
        for (std::int32_t y = 0; y < position.num_symbols; ++y) {
          const Transition t = machine.step(i, s, y);
          x[y] = t.to < 0 ? kForbidden
                          : weights[trellis.first_symbol[i] + y] + (t.part >= 0 ? parts[t.part] : 0.0) +
                                beta[trellis.first_state[i + 1] + t.to];
          high = std::max(high, x[y]);
        }
        beta[trellis.first_state[i] + s] = normalise(x, high);
      }
    }
    return beta[0];
  }

  static double normalise(Point x, double high) {
    if (high == kForbidden) {
      std::ranges::fill(x, 0.0);
      return kForbidden;
    }
    if (x.size() == 1) {
      x[0] = 1.0;
      return high;
    }
    double total = 0.0;
    for (double& v : x) total += v = std::exp(v - high);
    for (double& v : x) v /= total;
    return high + std::log(total);
  }

  // The coordinate that a symbol switches on, -1 if none: off-states have no coordinate of their own.
  std::span<Index> symbol_coords(Index f, const Trellis& trellis, Workspace& ws) const {
    const std::span<Index> out = ws.take<Index>(trellis.num_symbols, Index{-1});
    const Layout& layout = this->layout();
    for (std::size_t i = 0; i < trellis.positions.size(); ++i) {
      const Position& p = trellis.positions[i];
      if (p.reads == Reads::kNothing) continue;
      const Index slot = layout.slots()[f] + p.slot;
      const Index coord = layout.coord_of(slot) - layout.coords()[f];
      for (std::int32_t y = 0; y < p.num_symbols; ++y) {
        Index& c = out[trellis.first_symbol[i] + y];
        if (p.reads == Reads::kOneHot || layout.num_states(slot) > 2) {
          c = coord + y;
        } else if (y == (p.flipped ? 0 : 1)) {
          c = coord;
        }
      }
    }
    return out;
  }
};

template <class Plus>
void states_from_symbols(const Layout& layout, Index factor, const Trellis& trellis, Scores symbols, Point states,
                         double zero, Plus plus, Workspace& ws) {
  const Index first = layout.states()[factor];
  for (std::size_t i = 0; i < trellis.positions.size(); ++i) {
    const Position& p = trellis.positions[i];
    if (p.reads == Reads::kNothing) continue;
    const Scores x =
        symbols.subspan(static_cast<std::size_t>(trellis.first_symbol[i]), static_cast<std::size_t>(p.num_symbols));
    const Point out =
        states.subspan(static_cast<std::size_t>(layout.state_of(layout.slots()[factor] + p.slot) - first));
    if (p.reads == Reads::kVariable) {
      for (std::size_t y = 0; y < x.size(); ++y) out[p.flipped ? 1 - y : y] = x[y];
      continue;
    }
    one_hot_states(x, out, zero, plus, ws);
  }
}

}  // namespace ramify::factors
