// What can be computed with any grammar of projective_grammar.hpp: one algorithm per quantity, no recursion
// in sight.
//
// `parts` is the flat table of scores the grammar's comment describes. Forward passes give each item its
// inside value (a log-potential). Backward passes push mass from the goal down: a derivation gets its share
// of the item's mass, so that probabilities stay in [0, 1] whatever the scale of the scores, and nothing is
// subtracted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "ramify/numeric/semiring.hpp"
#include "ramify/trees/projective_grammar.hpp"

namespace ramify::trees {

using numeric::kForbidden;
using numeric::LogSum;
using numeric::MaxPlus;

/// Scratch, reused over the sentences of a batch.
struct ProjectiveWorkspace {
  std::vector<double> inside, other_inside, mass, tangent, mass_tangent, alternatives;
};

namespace detail {

/// Value of one derivation: the product of its items and its part.
inline double value(const std::vector<double>& inside, const double* parts, std::ptrdiff_t a, std::ptrdiff_t b,
                    std::ptrdiff_t part) {
  double v = part == kNone ? 0.0 : parts[part];
  if (a != kNone) v += inside[static_cast<std::size_t>(a)];
  if (b != kNone) v += inside[static_cast<std::size_t>(b)];
  return v;
}

/// f(item, index, inside) for the items that can be built, from the goal down.
template <class G, class F>
void for_each_item_downwards(const G& grammar, const std::vector<double>& inside, F f) {
  for (int level = grammar.num_levels() - 1; level >= 0; --level) {
    grammar.items(level, [&](const Item& x) {
      const auto index = static_cast<std::size_t>(grammar.index(x));
      if (inside[index] != kForbidden) f(x, index, inside[index]);
    });
  }
}

}  // namespace detail

/// Fills `inside` and returns the goal's value: log Z (LogSum) or the best score (MaxPlus).
template <class S, class G>
double inside_pass(const G& grammar, const double* parts, std::vector<double>& inside,
                   std::vector<double>& alternatives) {
  inside.assign(grammar.num_items(), kForbidden);
  for (int level = 0; level < grammar.num_levels(); ++level) {
    grammar.items(level, [&](const Item& x) {
      alternatives.clear();
      grammar.derivations(x, [&](auto a, auto b, auto part) {
        const double v = detail::value(inside, parts, a, b, part);
        if (v != kForbidden) alternatives.push_back(v);
      });
      inside[static_cast<std::size_t>(grammar.index(x))] = S::sum(alternatives);
    });
  }
  return inside[static_cast<std::size_t>(grammar.goal())];
}

/// After inside_pass<S>: collects into part_mass[part] the mass that flows through each part.
template <class S, class G>
void outside_pass(const G& grammar, const double* parts, ProjectiveWorkspace& ws, double* part_mass) {
  ws.mass.assign(grammar.num_items(), S::kNothing);
  ws.mass[static_cast<std::size_t>(grammar.goal())] = S::kAll;
  detail::for_each_item_downwards(grammar, ws.inside, [&](const Item& x, std::size_t index, double total) {
    const double mass = ws.mass[index];
    if (mass == S::kNothing) return;
    grammar.derivations(x, [&](auto a, auto b, auto part) {
      const double v = detail::value(ws.inside, parts, a, b, part);
      if (v == kForbidden) return;
      const double flow = S::flow(mass, v, total);
      if (a != kNone) S::collect(ws.mass[static_cast<std::size_t>(a)], flow);
      if (b != kNone) S::collect(ws.mass[static_cast<std::size_t>(b)], flow);
      if (part != kNone) S::collect(part_mass[part], flow);
    });
  });
}

/// Hessian of log Z times `direction`, by carrying a tangent through both passes. Adds into grad_parts.
template <class G>
void hessian_product(const G& grammar, const double* parts, const double* direction, ProjectiveWorkspace& ws,
                     double* grad_parts) {
  if (inside_pass<LogSum>(grammar, parts, ws.inside, ws.alternatives) == kForbidden) return;
  ws.tangent.assign(grammar.num_items(), 0.0);
  const auto tangent_of = [&](auto a, auto b, auto part) {
    double t = part == kNone ? 0.0 : direction[part];
    if (a != kNone) t += ws.tangent[static_cast<std::size_t>(a)];
    if (b != kNone) t += ws.tangent[static_cast<std::size_t>(b)];
    return t;
  };
  for (int level = 0; level < grammar.num_levels(); ++level) {
    grammar.items(level, [&](const Item& x) {
      const auto index = static_cast<std::size_t>(grammar.index(x));
      const double total = ws.inside[index];
      if (total == kForbidden) return;
      double t = 0.0;
      grammar.derivations(x, [&](auto a, auto b, auto part) {
        const double v = detail::value(ws.inside, parts, a, b, part);
        if (v != kForbidden) t += std::exp(v - total) * tangent_of(a, b, part);
      });
      ws.tangent[index] = t;
    });
  }
  ws.mass.assign(grammar.num_items(), 0.0);
  ws.mass_tangent.assign(grammar.num_items(), 0.0);
  ws.mass[static_cast<std::size_t>(grammar.goal())] = 1.0;
  detail::for_each_item_downwards(grammar, ws.inside, [&](const Item& x, std::size_t index, double total) {
    const double mass = ws.mass[index];
    const double mass_tangent = ws.mass_tangent[index];
    grammar.derivations(x, [&](auto a, auto b, auto part) {
      const double v = detail::value(ws.inside, parts, a, b, part);
      if (v == kForbidden) return;
      const double share = std::exp(v - total);
      const double flow = mass * share;
      const double flow_tangent = share * (mass_tangent + mass * (tangent_of(a, b, part) - ws.tangent[index]));
      for (const auto tail : {a, b}) {
        if (tail == kNone) continue;
        ws.mass[static_cast<std::size_t>(tail)] += flow;
        ws.mass_tangent[static_cast<std::size_t>(tail)] += flow_tangent;
      }
      if (part != kNone) grad_parts[part] += flow_tangent;
    });
  });
}

/// Expected sum of gain(index, total, a, b, part, value) over the derivations that are chosen from the goal down.
/// After inside_pass<LogSum>.
template <class G, class Gain>
double expected_gain(const G& grammar, const double* parts, ProjectiveWorkspace& ws, Gain gain) {
  ws.mass.assign(grammar.num_items(), 0.0);
  ws.mass[static_cast<std::size_t>(grammar.goal())] = 1.0;
  double result = 0.0;
  detail::for_each_item_downwards(grammar, ws.inside, [&](const Item& x, std::size_t index, double total) {
    const double mass = ws.mass[index];
    if (mass == 0.0) return;
    grammar.derivations(x, [&](auto a, auto b, auto part) {
      const double v = detail::value(ws.inside, parts, a, b, part);
      if (v == kForbidden) return;
      const double flow = mass * std::exp(v - total);
      if (flow == 0.0) return;
      result += flow * gain(index, total, a, b, part, v);
      if (a != kNone) ws.mass[static_cast<std::size_t>(a)] += flow;
      if (b != kNone) ws.mass[static_cast<std::size_t>(b)] += flow;
    });
  });
  return result;
}

/// Entropy: the expected surprise of the choices made from the goal down, so that no large numbers cancel.
/// -inf if there is no tree (the caller rejects that).
template <class G>
double entropy(const G& grammar, const double* parts, ProjectiveWorkspace& ws) {
  if (inside_pass<LogSum>(grammar, parts, ws.inside, ws.alternatives) == kForbidden) return kForbidden;
  return expected_gain(grammar, parts, ws,
                       [](std::size_t, double total, auto, auto, auto, double v) { return total - v; });
}

/// KL(p || q) between the distributions of two tables; +inf where p allows a tree that q forbids, -inf if
/// either is empty (the caller rejects that).
template <class G>
double kl_divergence(const G& grammar, const double* p, const double* q, ProjectiveWorkspace& ws) {
  if (inside_pass<LogSum>(grammar, q, ws.other_inside, ws.alternatives) == kForbidden) return kForbidden;
  if (inside_pass<LogSum>(grammar, p, ws.inside, ws.alternatives) == kForbidden) return kForbidden;
  return expected_gain(grammar, p, ws, [&](std::size_t index, double total, auto a, auto b, auto part, double v) {
    const double other = detail::value(ws.other_inside, q, a, b, part);
    return other == kForbidden ? -kForbidden : (v - total) - (other - ws.other_inside[index]);
  });
}

namespace detail {

/// Walks one derivation from the goal down; choose(item, inside) returns the derivation (a, b, part) taken
/// there.
template <class G, class Choose>
void walk(const G& grammar, std::vector<std::ptrdiff_t>& stack, std::int32_t* heads, Choose choose) {
  std::fill(heads, heads + grammar.num_words() + 1, -1);
  stack.assign(1, grammar.goal());
  while (!stack.empty()) {
    const std::ptrdiff_t index = stack.back();
    stack.pop_back();
    const auto [a, b, part] = choose(grammar.decode(index), index);
    if (a != kNone) stack.push_back(a);
    if (b != kNone) stack.push_back(b);
    if (part == kNone) continue;
    const PartArc arc = grammar.arc(part);
    if (arc.modifier != 0) heads[arc.modifier] = arc.head;
  }
}

struct Derivation {
  std::ptrdiff_t a = kNone, b = kNone, part = kNone;
};

}  // namespace detail

/// Best tree. heads (n+1 entries) are all -1 if there is none. Ties go to the derivation listed first.
template <class G>
double best_tree(const G& grammar, const double* parts, ProjectiveWorkspace& ws, std::int32_t* heads) {
  const double best = inside_pass<MaxPlus>(grammar, parts, ws.inside, ws.alternatives);
  std::fill(heads, heads + grammar.num_words() + 1, -1);
  if (best == kForbidden) return best;
  std::vector<std::ptrdiff_t> stack;
  detail::walk(grammar, stack, heads, [&](const Item& x, std::ptrdiff_t) {
    double top = kForbidden;
    detail::Derivation choice;
    grammar.derivations(x, [&](auto a, auto b, auto part) {
      const double v = detail::value(ws.inside, parts, a, b, part);
      if (v > top) {
        top = v;
        choice = {a, b, part};
      }
    });
    return choice;
  });
  return best;
}

/// `count` independent trees, exactly from the distribution. Needs a finite log Z (returned); heads is
/// (count, width).
template <class G>
double sample_trees(const G& grammar, const double* parts, std::uint64_t seed, std::size_t count, std::size_t width,
                    ProjectiveWorkspace& ws, std::int32_t* heads) {
  const double log_z = inside_pass<LogSum>(grammar, parts, ws.inside, ws.alternatives);
  if (log_z == kForbidden) return log_z;
  std::mt19937_64 random(seed);
  std::vector<std::ptrdiff_t> stack;
  for (std::size_t i = 0; i < count; ++i) {
    detail::walk(grammar, stack, heads + i * width, [&](const Item& x, std::ptrdiff_t index) {
      const double total = ws.inside[static_cast<std::size_t>(index)];
      double left = static_cast<double>(random() >> 11U) * 0x1p-53;
      bool chosen = false;
      detail::Derivation choice;
      grammar.derivations(x, [&](auto a, auto b, auto part) {
        const double v = chosen ? kForbidden : detail::value(ws.inside, parts, a, b, part);
        if (v == kForbidden) return;
        choice = {a, b, part};  // the last possible one stays if rounding leaves something over
        left -= std::exp(v - total);
        chosen = left < 0.0;
      });
      return choice;
    });
  }
  return log_z;
}

/// The k best trees, lazily: Huang & Chiang (2005). Trees are distinct because grammars are
/// unambiguous.
template <class G>
class KBest {
 public:
  KBest(const G& grammar, const double* parts, ProjectiveWorkspace& ws)
      : grammar_(grammar), parts_(parts), inside_(ws.inside), states_(grammar.num_items()) {
    inside_pass<MaxPlus>(grammar, parts, ws.inside, ws.alternatives);
  }

  /// Score of the tree of this rank (0 = best) and its heads; -inf if there are fewer trees.
  double tree(std::size_t rank, std::int32_t* heads) {
    std::fill(heads, heads + grammar_.num_words() + 1, -1);
    if (!reach(grammar_.goal(), rank)) return kForbidden;
    collect(grammar_.goal(), rank, heads);
    return state(grammar_.goal()).best[rank].value;
  }

 private:
  struct Candidate {
    double value;
    std::uint32_t derivation, rank_a, rank_b;
    bool operator<(const Candidate& other) const { return value < other.value; }
  };
  struct State {
    std::vector<detail::Derivation> derivations;
    std::vector<Candidate> best;
    std::priority_queue<Candidate> waiting;
    bool spent = false;
  };

  State& state(std::ptrdiff_t index) {
    auto& slot = states_[static_cast<std::size_t>(index)];
    if (slot) return *slot;
    slot = std::make_unique<State>();
    grammar_.derivations(grammar_.decode(index), [&](auto a, auto b, auto part) {
      const double v = detail::value(inside_, parts_, a, b, part);
      if (v == kForbidden) return;
      slot->waiting.push({v, static_cast<std::uint32_t>(slot->derivations.size()), 0, 0});
      slot->derivations.push_back({a, b, part});
    });
    return *slot;
  }

  bool reach(std::ptrdiff_t index, std::size_t rank) {
    State& s = state(index);
    while (s.best.size() <= rank) {
      if (!s.best.empty()) push_successors(s, s.best.back());
      if (s.waiting.empty()) return false;
      s.best.push_back(s.waiting.top());
      s.waiting.pop();
    }
    return true;
  }

  /// Each pair of ranks has one predecessor (second rank first), so nothing is queued twice.
  void push_successors(State& s, const Candidate last) {
    if (s.spent) return;
    push(s, {0.0, last.derivation, last.rank_a + 1, last.rank_b});
    if (last.rank_a == 0) push(s, {0.0, last.derivation, 0, last.rank_b + 1});
    s.spent = s.waiting.empty();
  }

  void push(State& s, Candidate next) {
    const detail::Derivation& d = s.derivations[next.derivation];
    double v = d.part == kNone ? 0.0 : parts_[d.part];
    for (const auto& [tail, rank] : {std::pair{d.a, next.rank_a}, std::pair{d.b, next.rank_b}}) {
      if (tail == kNone) {
        if (rank > 0) return;
        continue;
      }
      if (!reach(tail, rank)) return;
      v += state(tail).best[rank].value;
    }
    next.value = v;
    s.waiting.push(next);
  }

  void collect(std::ptrdiff_t index, std::size_t rank, std::int32_t* heads) {
    reach(index, rank);  // rank 0 of an item enters a candidate by its inside value, without being listed
    const Candidate c = state(index).best[rank];
    const detail::Derivation d = state(index).derivations[c.derivation];
    if (d.part != kNone) {
      const PartArc arc = grammar_.arc(d.part);
      if (arc.modifier != 0) heads[arc.modifier] = arc.head;
    }
    if (d.a != kNone) collect(d.a, c.rank_a, heads);
    if (d.b != kNone) collect(d.b, c.rank_b, heads);
  }

  const G& grammar_;
  const double* parts_;
  const std::vector<double>& inside_;
  std::vector<std::unique_ptr<State>> states_;
};

}  // namespace ramify::trees
