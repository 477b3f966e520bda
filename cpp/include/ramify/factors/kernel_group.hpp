// From one factor's kernels to a group's capabilities: the loops, the layouts and the messages.
#pragma once

#include <algorithm>
#include <cmath>

#include "ramify/factors/factor_group.hpp"
#include "ramify/factors/semiring.hpp"

namespace ramify::factors {

inline constexpr double kSmallMass = 1e-250;

/// Scores of one factor's states (binary: off, on) from its coordinates; see FactorGroup for infinities.
void expand_scores(const Layout& layout, Index factor, Scores q, Point states);
/// The same for a direction: linear, state 0 of a binary variable gets 0.
void expand_direction(const Layout& layout, Index factor, Scores direction, Point states);
/// Coordinates from states: the on-state of binary variables, all states of others.
void gather_coords(const Layout& layout, Index factor, Scores states, Point coords);
/// Messages from log-masses (or max-marginals) of all states.
void messages_from_states(const Layout& layout, Index factor, Scores q, Scores log_masses, Point out);
/// The vertex of an assignment and its active parts.
void vertex_of(const Layout& layout, Index factor, Assignment y, Scores nu, Vertex& vertex);

template <class D>
concept HasSum = requires(const D& d, Workspace& ws) { d.sum_one(Index{}, Scores{}, Scores{}, Point{}, Point{}, ws); };
template <class D>
concept HasSweep = requires(const D& d, Workspace& ws) {
  d.template sweep_one<MaxSemiring>(Index{}, Scores{}, Scores{}, Point{}, ws);
};
template <class D>
concept HasProject =
    requires(const D& d, Workspace& ws) { d.project_one(Index{}, Scores{}, Scores{}, Point{}, Point{}, ws); };

/// Derived has, for one factor f, with w the scores of all states of its variables:
///   double score_one(f, y, parts)
///   double sum_one(f, w, parts, masses, nu, ws)      normalised masses of states and parts; returns log Z
///   double sweep_one<Semiring>(f, w, parts, out, ws) sum or max over assignments with each variable at each state
///   void   vjp_one(f, w, parts, dw, dparts, dmasses, dnu, ws)
///   double argmax_one(f, w, parts, y, nu, ws)        nu zeroed by the caller
/// and, where a closed form exists (else the active-set method over argmax_one serves),
///   double project_one(f, a, parts, z, nu, ws)
///   void   project_vjp_one(f, a, parts, grad_z, grad_nu, grad_a, grad_parts, ws)
template <class Derived>
class KernelGroup : public FactorGroup {
 public:
  using FactorGroup::FactorGroup;

  void score(Range range, Assignment y, Scores parts, Point out) const final {
    for (Index f = range.begin; f < range.end; ++f) {
      out[f] = self().score_one(f, cut(y, layout().slots(), f), cut(parts, layout().parts(), f));
    }
  }

  void marginals(Range range, Scores q, Scores parts, Point mu, Point nu, Point log_z, Workspace& ws) const override {
    if constexpr (HasSum<Derived>) {
      for (Index f = range.begin; f < range.end; ++f) {
        const Workspace::Frame frame(ws);
        const Point w = weights(f, q, ws);
        const Point masses = ws.take<double>(w.size(), 0.0);
        const Point part_masses = cut(nu, layout().parts(), f);
        std::ranges::fill(part_masses, 0.0);
        log_z[f] = self().sum_one(f, w, cut(parts, layout().parts(), f), masses, part_masses, ws);
        gather_coords(layout(), f, masses, cut(mu, layout().coords(), f));
      }
    } else {
      refuse("marginals");
    }
  }

  void messages(Range range, Product product, Scores q, Scores parts, Point out, Point value,
                Workspace& ws) const override {
    if constexpr (HasSweep<Derived>) {
      for (Index f = range.begin; f < range.end; ++f) {
        const Workspace::Frame frame(ws);
        const Point w = weights(f, q, ws);
        const Point masses = ws.take<double>(w.size(), 0.0);
        value[f] = product == Product::kMax
                       ? self().template sweep_one<MaxSemiring>(f, w, cut(parts, layout().parts(), f), masses, ws)
                       : log_masses(f, w, cut(parts, layout().parts(), f), masses, ws);
        messages_from_states(layout(), f, cut(q, layout().coords(), f), masses, cut(out, layout().coords(), f));
      }
    } else {
      refuse("messages");
    }
  }

  void marginals_vjp(Range range, Scores q, Scores parts, Scores grad_mu, Scores grad_nu, Point grad_q,
                     Point grad_parts, Workspace& ws) const override {
    if constexpr (HasSum<Derived>) {
      for (Index f = range.begin; f < range.end; ++f) {
        const Workspace::Frame frame(ws);
        const Point w = weights(f, q, ws);
        const Point dw = ws.take<double>(w.size());
        expand_direction(layout(), f, cut(grad_mu, layout().coords(), f), dw);
        const Point dmasses = ws.take<double>(w.size(), 0.0);
        const Point dnu = cut(grad_parts, layout().parts(), f);
        std::ranges::fill(dnu, 0.0);
        self().vjp_one(f, w, cut(parts, layout().parts(), f), dw, cut(grad_nu, layout().parts(), f), dmasses, dnu, ws);
        gather_coords(layout(), f, dmasses, cut(grad_q, layout().coords(), f));
      }
    } else {
      refuse("marginals_vjp");
    }
  }

  void argmax(Range range, Scores q, Scores parts, AssignmentOut y, Point nu, Point value,
              Workspace& ws) const override {
    for (Index f = range.begin; f < range.end; ++f) {
      const Workspace::Frame frame(ws);
      const Point part_on = cut(nu, layout().parts(), f);
      const AssignmentOut states = cut(y, layout().slots(), f);
      std::ranges::fill(part_on, 0.0);
      std::ranges::fill(states, 0);
      value[f] = self().argmax_one(f, weights(f, q, ws), cut(parts, layout().parts(), f), states, part_on, ws);
    }
  }

  void max_marginals(Range range, Scores q, Scores parts, Point out, Workspace& ws) const override {
    if constexpr (HasSweep<Derived>) {
      for (Index f = range.begin; f < range.end; ++f) {
        const Workspace::Frame frame(ws);
        self().template sweep_one<MaxSemiring>(f, weights(f, q, ws), cut(parts, layout().parts(), f),
                                               cut(out, layout().states(), f), ws);
      }
    } else {
      refuse("max_marginals");
    }
  }

  void project(Range range, Scores a, Scores parts, ProjectionState& state, Point z, Point nu, Point value,
               Workspace& ws) const override {
    [[maybe_unused]] ActiveSetScratch scratch;
    for (Index f = range.begin; f < range.end; ++f) {
      const Workspace::Frame frame(ws);
      const Scores af = cut(a, layout().coords(), f);
      const Scores pf = cut(parts, layout().parts(), f);
      const Point zf = cut(z, layout().coords(), f);
      const Point nf = cut(nu, layout().parts(), f);
      if constexpr (HasProject<Derived>) {
        value[f] = self().project_one(f, af, pf, zf, nf, ws);
      } else {
        Oracle oracle(self(), f, ws);
        value[f] = solve_active_set(oracle, af, pf, state.sets[static_cast<std::size_t>(f)], zf, nf, scratch);
      }
    }
  }

  void project_vjp(Range range, Scores a, Scores parts, const ProjectionState& state, Scores grad_z, Scores grad_nu,
                   Point grad_a, Point grad_parts, Workspace& ws) const override {
    for (Index f = range.begin; f < range.end; ++f) {
      const Workspace::Frame frame(ws);
      const Scores gz = cut(grad_z, layout().coords(), f);
      const Scores gn = cut(grad_nu, layout().parts(), f);
      const Point ga = cut(grad_a, layout().coords(), f);
      const Point gp = cut(grad_parts, layout().parts(), f);
      if constexpr (HasProject<Derived>) {
        self().project_vjp_one(f, cut(a, layout().coords(), f), cut(parts, layout().parts(), f), gz, gn, ga, gp, ws);
      } else {
        active_set_vjp(state.sets[static_cast<std::size_t>(f)], gz, gn, ga, gp);
      }
    }
  }

  void entropy(Range range, Scores q, Scores parts, Point out, Workspace& ws) const override {
    if constexpr (HasSum<Derived>) {
      for (Index f = range.begin; f < range.end; ++f) {
        const Workspace::Frame frame(ws);
        const Point w = weights(f, q, ws);
        const Point masses = ws.take<double>(w.size(), 0.0);
        const Scores pf = cut(parts, layout().parts(), f);
        const Point nu = ws.take<double>(pf.size(), 0.0);
        double total = self().sum_one(f, w, pf, masses, nu, ws);
        // Impossible states and parts have mass 0 and perhaps a score of -inf: 0 * inf counts as 0.
        for (std::size_t i = 0; i < w.size(); ++i) total -= masses[i] > 0.0 ? masses[i] * w[i] : 0.0;
        for (std::size_t r = 0; r < nu.size(); ++r) total -= nu[r] > 0.0 ? nu[r] * pf[r] : 0.0;
        out[f] = total;
      }
    } else {
      refuse("entropy");
    }
  }

  bool keeps_state() const final { return !HasProject<Derived>; }

 protected:
  /// One factor's stretch of a group-wide array.
  template <class T>
  static std::span<T> cut(std::span<T> all, const Offsets& offsets, Index f) {
    return all.subspan(static_cast<std::size_t>(offsets[f]), static_cast<std::size_t>(offsets.size(f)));
  }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }

  Point weights(Index f, Scores q, Workspace& ws) const {
    const Point w = ws.take<double>(layout().states().size(f));
    expand_scores(layout(), f, cut(q, layout().coords(), f), w);
    return w;
  }

  // Probabilities are exact to many digits unless they underflow; only then the slower sweep in logs is needed.
  double log_masses(Index f, Scores w, Scores parts, Point masses, Workspace& ws) const {
    if constexpr (HasSum<Derived>) {
      const Workspace::Frame frame(ws);
      const Point nu = ws.take<double>(parts.size(), 0.0);
      const double log_z = self().sum_one(f, w, parts, masses, nu, ws);
      if (std::ranges::all_of(masses, [](double m) { return m > kSmallMass; })) {
        for (double& m : masses) m = std::log(m);
        return log_z;
      }
    }
    return self().template sweep_one<LogSemiring>(f, w, parts, masses, ws);
  }

  /// argmax_one as the oracle of the active-set method.
  class Oracle final : public VertexOracle {
   public:
    Oracle(const Derived& group, Index f, Workspace& ws) : group_(group), f_(f), ws_(ws) {}
    bool argmax(Scores coord_scores, Scores part_scores, Vertex& vertex) override {
      const Workspace::Frame frame(ws_);
      const Layout& layout = group_.layout();
      const Point w = ws_.take<double>(layout.states().size(f_));
      const Point nu = ws_.take<double>(part_scores.size(), 0.0);
      const AssignmentOut y = ws_.take<std::int32_t>(layout.slots().size(f_), 0);
      expand_scores(layout, f_, coord_scores, w);
      if (group_.argmax_one(f_, w, part_scores, y, nu, ws_) == kForbidden) return false;
      vertex_of(layout, f_, y, nu, vertex);
      return true;
    }

   private:
    const Derived& group_;
    Index f_;
    Workspace& ws_;
  };
};

}  // namespace ramify::factors
