#include "ramify/factors/siblings.hpp"

#include "ramify/factors/automaton_group.hpp"

namespace ramify::factors {

namespace {

constexpr Index choose2(Index n) { return n * (n - 1) / 2; }
constexpr Index choose3(Index n) { return n * (n - 1) * (n - 2) / 6; }

// Rank of m < s among all pairs of n things, row by row.
std::int32_t pair_rank(Index n, Index m, Index s) {
  return static_cast<std::int32_t>(choose2(n) - choose2(n - m) + s - m - 1);
}

std::int32_t triple_rank(Index n, Index l, Index m, Index s) {
  return static_cast<std::int32_t>(choose3(n) - choose3(n - l) + choose2(n - l - 1) - choose2(n - m) + s - m - 1);
}

Position modifier(Index slot, Index num_states) {
  return {Reads::kVariable, false, static_cast<std::int32_t>(slot), 2, static_cast<std::int32_t>(num_states)};
}

Position stop(Index num_states) { return {Reads::kNothing, false, 0, 1, static_cast<std::int32_t>(num_states)}; }

/// Scores of a grandparent automaton's symbols, where switching a modifier off costs nothing (the usual case) or is
/// forbidden.
struct Choice {
  Choice(Index size, std::int32_t num_heads, Scores w, Workspace& ws) {
    heads = ws.take<double>(std::max(num_heads, 1), 0.0);
    if (num_heads > 0) one_hot_scores(w.first(2 * static_cast<std::size_t>(num_heads)), heads);
    on = ws.take<double>(size + 2, 0.0);
    furthest = ws.take<std::size_t>(size + 2);
    std::size_t forced = static_cast<std::size_t>(size) + 1;
    for (std::size_t s = static_cast<std::size_t>(size); s > 0; --s) {
      const std::size_t slot = static_cast<std::size_t>(num_heads) + s - 1;
      plain = plain && (w[2 * slot] == 0.0 || w[2 * slot] == kForbidden);
      on[s] = w[2 * slot + 1];
      furthest[s] = forced;
      if (w[2 * slot] == kForbidden) forced = s;
    }
    furthest[0] = forced;
  }
  Point heads;                      // at least one
  Point on;                         // by position, 0 at start and stop
  std::span<std::size_t> furthest;  // position that may follow: the next modifier that is forced, else stop
  bool plain = true;
};

/// The automaton remembers the last modifier (0: none yet).
class ConsecutiveSiblingsGroup final : public AutomatonGroup<ConsecutiveSiblingsGroup> {
 public:
  explicit ConsecutiveSiblingsGroup(Layout layout)
      : AutomatonGroup<ConsecutiveSiblingsGroup>("ConsecutiveSiblings", std::move(layout), kAllCapabilities, kSoft) {}

  struct Machine {
    Index size;
    Index num_positions() const { return size + 1; }
    Position position(Index i) const { return i == size ? stop(i + 1) : modifier(i, i + 1); }
    Transition step(Index i, std::int32_t last, std::int32_t symbol) const {
      if (i == size) return {0, pair_rank(size + 2, last, size + 1)};
      if (symbol == 0) return {last, -1};
      return {static_cast<std::int32_t>(i + 1), pair_rank(size + 2, last, i + 1)};
    }
  };
  Machine machine(Index f) const { return {layout().slots().size(f)}; }

  /// The automaton's best word, without building it: best[s] is that of ending with modifier s (0: start) on.
  double argmax_one(Index f, Scores w, Scores parts, AssignmentOut y, Point nu, Workspace& ws) const {
    const auto size = static_cast<std::size_t>(layout().slots().size(f));
    const Point best = ws.take<double>(size + 2, kForbidden);
    const std::span<std::int32_t> from = ws.take<std::int32_t>(size + 2, 0);
    std::size_t next_forced = size + 1;  // the first after m: a sibling pair may not skip it
    best[0] = 0.0;
    const double* row = parts.data() - 1;
    for (std::size_t m = 0; m <= size; ++m) {
      if (m == 0 || m == next_forced) {
        next_forced = m + 1;
        while (next_forced <= size && w[2 * next_forced - 2] != kForbidden) ++next_forced;
      }
      const double here = best[m];
      const std::size_t last = here == kForbidden ? m : std::min(next_forced, size);
      for (std::size_t s = m + 1; s <= last; ++s) {
        const double x = here + row[s - m] + w[2 * s - 1];
        if (x > best[s]) {
          best[s] = x;
          from[s] = static_cast<std::int32_t>(m);
        }
      }
      if (next_forced > size && here + row[size + 1 - m] > best[size + 1]) {
        best[size + 1] = here + row[size + 1 - m];
        from[size + 1] = static_cast<std::int32_t>(m);
      }
      row += size + 1 - m;
    }
    if (best[size + 1] == kForbidden) return kForbidden;
    for (std::size_t s = size + 1; s > 0;) {
      const auto m = static_cast<std::size_t>(from[s]);
      nu[static_cast<std::size_t>(
          pair_rank(static_cast<Index>(size) + 2, static_cast<Index>(m), static_cast<Index>(s)))] = 1.0;
      if (m > 0) y[m - 1] = 1;
      s = m;
    }
    return best[size + 1];
  }
};

/// The automaton chooses the head's head, then remembers it and the last modifier.
class GrandSiblingsGroup final : public AutomatonGroup<GrandSiblingsGroup> {
 public:
  GrandSiblingsGroup(Layout layout, std::vector<std::int32_t> num_heads)
      : AutomatonGroup<GrandSiblingsGroup>("GrandSiblings", std::move(layout), kAllCapabilities),
        num_heads_(std::move(num_heads)) {}

  Arguments arguments() const override { return {{"num_incoming", num_heads_}}; }

  struct Machine {
    Index size;              // modifiers
    std::int32_t num_heads;  // variables for them
    std::int32_t choices;    // at least one

    Index num_positions() const { return size + 2; }

    Position position(Index i) const {
      if (i == 0) return {num_heads == 0 ? Reads::kNothing : Reads::kOneHot, false, 0, choices, 1};
      return i == size + 1 ? stop(choices * i) : modifier(num_heads + i - 1, choices * i);
    }

    Transition step(Index i, std::int32_t state, std::int32_t symbol) const {
      if (i == 0) return {symbol, -1};
      if (i <= size && symbol == 0) return {state, -1};
      const std::int32_t head = state % choices;
      const std::int32_t last = state / choices;
      const std::int32_t part = static_cast<std::int32_t>(head * choose2(size + 2)) + pair_rank(size + 2, last, i);
      return {i == size + 1 ? 0 : static_cast<std::int32_t>(i) * choices + head, part};
    }
  };

  Machine machine(Index f) const {
    const std::int32_t heads = num_heads_[static_cast<std::size_t>(f)];
    return {layout().slots().size(f) - heads, heads, std::max(heads, 1)};
  }

  double argmax_one(Index f, Scores w, Scores parts, AssignmentOut y, Point nu, Workspace& ws) const {
    const Machine m = machine(f);
    const Choice choice(m.size, m.num_heads, w, ws);
    if (!choice.plain) return AutomatonGroup<GrandSiblingsGroup>::argmax_one(f, w, parts, y, nu, ws);
    const auto size = static_cast<std::size_t>(m.size);
    const auto table = static_cast<std::size_t>(choose2(m.size + 2));
    const Point best = ws.take<double>((size + 2) * choice.heads.size(), kForbidden);
    std::size_t best_head = 0;
    double value = kForbidden;
    for (std::size_t g = 0; g < choice.heads.size(); ++g) {
      const Point mine = best.subspan(g * (size + 2), size + 2);
      if (choice.heads[g] == kForbidden) continue;
      best_sequence(choice, parts.subspan(g * table, table), mine);
      if (mine[size + 1] + choice.heads[g] > value) value = mine[size + 1] + choice.heads[g], best_head = g;
    }
    if (value == kForbidden) return value;
    if (m.num_heads > 0) y[best_head] = 1;
    const Point mine = best.subspan(best_head * (size + 2), size + 2);
    const auto rank = [&](std::size_t l, std::size_t s) {
      return best_head * table +
             static_cast<std::size_t>(pair_rank(m.size + 2, static_cast<Index>(l), static_cast<Index>(s)));
    };
    for (std::size_t s = size + 1; s > 0;) {
      std::size_t l = s - 1;  // whoever reaches the maximum is a predecessor
      while (mine[l] + parts[rank(l, s)] + choice.on[s] != mine[s]) --l;
      nu[rank(l, s)] = 1.0;
      if (l > 0) y[static_cast<std::size_t>(m.num_heads) + l - 1] = 1;
      s = l;
    }
    return value;
  }

 private:
  /// best[s]: of all sequences that end with modifier s (0: start, size + 1: stop).
  static void best_sequence(const Choice& choice, Scores parts, Point best) {
    best[0] = 0.0;
    const double* row = parts.data();
    const double* on = choice.on.data();
    const std::size_t last = best.size() - 1;
    for (std::size_t l = 0; l < last; ++l) {
      const std::size_t end = best[l] == kForbidden ? l : choice.furthest[l];
      for (std::size_t s = l + 1; s <= end; ++s) best[s] = std::max(best[s], best[l] + row[s - l - 1] + on[s]);
      row += last - l;
    }
  }

  std::vector<std::int32_t> num_heads_;
};

/// The first variable switches the scores on; the automaton remembers it and the last modifier.
class GatedSiblingsGroup final : public AutomatonGroup<GatedSiblingsGroup> {
 public:
  explicit GatedSiblingsGroup(Layout layout)
      : AutomatonGroup<GatedSiblingsGroup>("GatedSiblings", std::move(layout), kAllCapabilities, kSoft) {}

  struct Machine {
    Index size;  // modifiers
    Index num_positions() const { return size + 2; }
    Position position(Index i) const {
      if (i == 0) return modifier(0, 1);
      return i == size + 1 ? stop(i + 1) : modifier(i, i + 1);
    }
    /// State 0: switched off; 1 + last otherwise.
    Transition step(Index i, std::int32_t state, std::int32_t symbol) const {
      if (i == 0) return {symbol, -1};
      if (i <= size && symbol == 0) return {state, -1};
      const std::int32_t part = state == 0 ? -1 : pair_rank(size + 2, state - 1, i);
      if (i == size + 1) return {0, part};
      return {state == 0 ? 0 : static_cast<std::int32_t>(i + 1), part};
    }
  };
  Machine machine(Index f) const { return {layout().slots().size(f) - 1}; }
};

/// The last two modifiers as a state: 0 is "none yet", 1 + choose2(last) + before otherwise.
struct Pair {
  std::int32_t before, last;
};

std::vector<Pair> modifier_pairs(Index longest) {
  std::vector<Pair> pairs = {{0, 0}};
  for (std::int32_t last = 1; last <= longest; ++last) {
    for (std::int32_t before = 0; before < last; ++before) pairs.push_back({before, last});
  }
  return pairs;
}

/// The automaton remembers the last two modifiers.
class TriSiblingsGroup final : public AutomatonGroup<TriSiblingsGroup> {
 public:
  TriSiblingsGroup(Layout layout, Index longest)
      : AutomatonGroup<TriSiblingsGroup>("TriSiblings", std::move(layout), kAllCapabilities, kSoft),
        pairs_(modifier_pairs(longest)) {}

  struct Machine {
    Index size;
    const Pair* pairs;
    Index num_positions() const { return size + 1; }
    Position position(Index i) const {
      const Index states = 1 + choose2(i + 1);
      return i == size ? stop(states) : modifier(i, states);
    }
    Transition step(Index i, std::int32_t state, std::int32_t symbol) const {
      if (i < size && symbol == 0) return {state, -1};
      const Pair pair = pairs[state];
      const std::int32_t part = state == 0 ? -1 : triple_rank(size + 2, pair.before, pair.last, i + 1);
      if (i == size) return {0, part};
      return {static_cast<std::int32_t>(1 + choose2(i + 1)) + pair.last, part};
    }
  };
  Machine machine(Index f) const { return {layout().slots().size(f), pairs_.data()}; }

 private:
  std::vector<Pair> pairs_;
};

/// Both together: the head's head and the last two modifiers.
class GrandTriSiblingsGroup final : public AutomatonGroup<GrandTriSiblingsGroup> {
 public:
  GrandTriSiblingsGroup(Layout layout, std::vector<std::int32_t> num_heads, Index longest)
      : AutomatonGroup<GrandTriSiblingsGroup>("GrandTriSiblings", std::move(layout), kAllCapabilities),
        num_heads_(std::move(num_heads)),
        pairs_(modifier_pairs(longest)) {}

  Arguments arguments() const override { return {{"num_incoming", num_heads_}}; }

  struct Machine {
    Index size;
    std::int32_t num_heads;
    std::int32_t choices;
    const Pair* pairs;

    Index table() const { return 1 + choose3(size + 2); }  // parts of one grandparent
    Index num_positions() const { return size + 2; }
    Position position(Index i) const {
      if (i == 0) return {num_heads == 0 ? Reads::kNothing : Reads::kOneHot, false, 0, choices, 1};
      const Index states = choices * (1 + choose2(i));
      return i == size + 1 ? stop(states) : modifier(num_heads + i - 1, states);
    }
    Transition step(Index i, std::int32_t state, std::int32_t symbol) const {
      if (i == 0) return {symbol, -1};
      if (i <= size && symbol == 0) return {state, -1};
      const std::int32_t head = state % choices;
      const std::int32_t inner = state / choices;
      const Pair pair = pairs[inner];
      std::int32_t part = inner == 0 ? (i == size + 1 ? 0 : -1) : 1 + triple_rank(size + 2, pair.before, pair.last, i);
      if (part >= 0) part += static_cast<std::int32_t>(head * table());
      if (i == size + 1) return {0, part};
      return {(static_cast<std::int32_t>(1 + choose2(i)) + pair.last) * choices + head, part};
    }
  };

  Machine machine(Index f) const {
    const std::int32_t heads = num_heads_[static_cast<std::size_t>(f)];
    return {layout().slots().size(f) - heads, heads, std::max(heads, 1), pairs_.data()};
  }

  double argmax_one(Index f, Scores w, Scores parts, AssignmentOut y, Point nu, Workspace& ws) const {
    const Machine m = machine(f);
    const Choice choice(m.size, m.num_heads, w, ws);
    if (!choice.plain) return AutomatonGroup<GrandTriSiblingsGroup>::argmax_one(f, w, parts, y, nu, ws);
    const auto width = static_cast<std::size_t>(m.size) + 2;
    const auto table = static_cast<std::size_t>(m.table());
    const Point best = ws.take<double>(width * width * choice.heads.size(), kForbidden);
    std::size_t best_head = 0;
    std::size_t best_last = 0;
    double value = kForbidden;
    for (std::size_t g = 0; g < choice.heads.size(); ++g) {
      const Point mine = best.subspan(g * width * width, width * width);
      if (choice.heads[g] == kForbidden) continue;
      best_sequence(choice, parts.subspan(g * table, table), width, mine);
      for (std::size_t last = 0; last + 1 < width; ++last) {
        const double x = mine[last * width + width - 1] + choice.heads[g];
        if (x > value) value = x, best_head = g, best_last = last;
      }
    }
    if (value == kForbidden) return value;
    if (m.num_heads > 0) y[best_head] = 1;
    const Point mine = best.subspan(best_head * width * width, width * width);
    if (best_last == 0) nu[best_head * table] = 1.0;
    for (std::size_t last = best_last, s = width - 1; last > 0;) {
      const auto rank = [&](std::size_t l) {
        return best_head * table + 1 +
               static_cast<std::size_t>(
                   triple_rank(m.size + 2, static_cast<Index>(l), static_cast<Index>(last), static_cast<Index>(s)));
      };
      y[static_cast<std::size_t>(m.num_heads) + last - 1] = 1;
      std::size_t l = last - 1;
      while (mine[l * width + last] + choice.on[last] + parts[rank(l)] != mine[last * width + s]) --l;
      nu[rank(l)] = 1.0;
      s = last;
      last = l;
    }
    return value;
  }

 private:
  /// best[m][s]: of all sequences whose last two are m and s, without the score of s being on.
  static void best_sequence(const Choice& choice, Scores parts, std::size_t width, Point best) {
    for (std::size_t s = 1; s <= std::min(choice.furthest[0], width - 2); ++s) best[s] = 0.0;
    if (choice.furthest[0] == width - 1) best[width - 1] = parts[0];
    const double* row = parts.data() + 1;
    for (std::size_t l = 0; l < width; ++l) {
      for (std::size_t m = l + 1; m + 1 < width; ++m) {
        const double so_far = best[l * width + m] + choice.on[m];
        double* next = best.data() + m * width;
        const std::size_t end = so_far == kForbidden ? m : choice.furthest[m];
        for (std::size_t s = m + 1; s <= end; ++s) next[s] = std::max(next[s], so_far + row[s - m - 1]);
        row += width - 1 - m;
      }
    }
  }

  std::vector<std::int32_t> num_heads_;
  std::vector<Pair> pairs_;
};

/// Number of slots of a factor, refused where even their pairs are too many for a group.
Index num_slots(const Offsets& slots, Index factor) {
  const Index size = slots.size(factor);
  product(size, size);
  return size;
}

template <class Count>
Offsets part_offsets(Index num_factors, Count count) {
  std::vector<Index> out = {0};
  for (Index f = 0; f < num_factors; ++f) out.push_back(out.back() + count(f));
  return Offsets(std::move(out));
}

}  // namespace

namespace {

/// Rows that make 0-1 columns follow from others.
struct Rows {
  Constraints& out;
  struct Term {
    Index column;
    double value;
  };

  void at_most(double upper, std::initializer_list<Term> terms) {
    const Index row = out.add_row(-kForced, upper);
    for (const Term& term : terms) out.add(row, term.column, term.value);
  }

  /// x is on where both others are.
  void both(Index x, Index first, Index second) {
    at_most(0.0, {{x, 1.0}, {first, -1.0}});
    at_most(0.0, {{x, 1.0}, {second, -1.0}});
    at_most(1.0, {{first, 1.0}, {second, 1.0}, {x, -1.0}});
  }

  /// x is on where `on` is and `off` is not.
  void but_not(Index x, Index on, Index off) {
    at_most(0.0, {{x, 1.0}, {on, -1.0}});
    at_most(1.0, {{x, 1.0}, {off, 1.0}});
    at_most(0.0, {{on, 1.0}, {off, -1.0}, {x, -1.0}});
  }

  /// Whether one before is on, or `last` is: a new column.
  Index either(Index before, Index last) {
    const Index x = out.add_auxiliary();
    at_most(0.0, {{before, 1.0}, {x, -1.0}});
    at_most(0.0, {{last, 1.0}, {x, -1.0}});
    at_most(0.0, {{x, 1.0}, {before, -1.0}, {last, -1.0}});
    return x;
  }

  Index zero() {
    const Index x = out.add_auxiliary();
    at_most(0.0, {{x, 1.0}});
    return x;
  }
};

}  // namespace

Constraints dynamic_sibling_constraints(Index n) {
  Constraints out;
  out.num_coords = n;
  out.num_parts = choose2(n + 2);
  out.exact = false;
  Rows rows{out};
  const auto part = [&](Index m, Index s) { return n + pair_rank(n + 2, m, s); };
  Index earlier = rows.zero();  // their gamma: some modifier before s is on
  for (Index s = 1; s <= n; ++s) {
    rows.but_not(part(0, s), s - 1, earlier);
    earlier = rows.either(earlier, s - 1);
  }
  const Index none = out.add_row(1.0, 1.0);
  out.add(none, part(0, n + 1), 1.0);
  out.add(none, earlier, 1.0);
  for (Index m = 1; m <= n; ++m) {
    Index between = rows.zero();  // their beta: m is on, and some modifier between m and s
    for (Index s = m + 1; s <= n; ++s) {
      const Index siblings = out.add_auxiliary();
      rows.both(siblings, m - 1, s - 1);
      rows.but_not(part(m, s), siblings, between);
      between = rows.either(between, siblings);
    }
    rows.but_not(part(m, n + 1), m - 1, between);
  }
  return out;
}

std::unique_ptr<FactorGroup> make_consecutive_siblings(Index num_factors, Offsets slots) {
  Offsets parts = part_offsets(num_factors, [&](Index f) { return choose2(num_slots(slots, f) + 2); });
  return std::make_unique<ConsecutiveSiblingsGroup>(Layout(num_factors, std::move(slots), std::move(parts)));
}

std::unique_ptr<FactorGroup> make_grand_siblings(Index num_factors, Offsets slots,
                                                 std::vector<std::int32_t> num_heads) {
  Offsets parts = part_offsets(num_factors, [&](Index f) {
    const Index heads = num_heads[static_cast<std::size_t>(f)];
    return std::max<Index>(heads, 1) * choose2(num_slots(slots, f) - heads + 2);
  });
  return std::make_unique<GrandSiblingsGroup>(Layout(num_factors, std::move(slots), std::move(parts)),
                                              std::move(num_heads));
}

std::unique_ptr<FactorGroup> make_gated_siblings(Index num_factors, Offsets slots) {
  Offsets parts = part_offsets(num_factors, [&](Index f) { return choose2(num_slots(slots, f) + 1); });
  return std::make_unique<GatedSiblingsGroup>(Layout(num_factors, std::move(slots), std::move(parts)));
}

std::unique_ptr<FactorGroup> make_grand_tri_siblings(Index num_factors, Offsets slots,
                                                     std::vector<std::int32_t> num_heads) {
  Index longest = 0;
  Offsets parts = part_offsets(num_factors, [&](Index f) {
    const Index heads = num_heads[static_cast<std::size_t>(f)];
    const Index size = num_slots(slots, f) - heads;
    longest = std::max(longest, size);
    return std::max<Index>(heads, 1) * (1 + choose3(size + 2));
  });
  return std::make_unique<GrandTriSiblingsGroup>(Layout(num_factors, std::move(slots), std::move(parts)),
                                                 std::move(num_heads), longest);
}

std::unique_ptr<FactorGroup> make_tri_siblings(Index num_factors, Offsets slots) {
  Index longest = 0;
  for (Index f = 0; f < num_factors; ++f) longest = std::max(longest, slots.size(f));
  Offsets parts = part_offsets(num_factors, [&](Index f) { return choose3(num_slots(slots, f) + 2); });
  return std::make_unique<TriSiblingsGroup>(Layout(num_factors, std::move(slots), std::move(parts)), longest);
}

}  // namespace ramify::factors
