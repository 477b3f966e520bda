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

/// The automaton remembers the last modifier (0: none yet).
class ConsecutiveSiblingsGroup final : public AutomatonGroup<ConsecutiveSiblingsGroup> {
 public:
  explicit ConsecutiveSiblingsGroup(Layout layout)
      : AutomatonGroup<ConsecutiveSiblingsGroup>("ConsecutiveSiblings", std::move(layout), kAllCapabilities) {}

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

 private:
  std::vector<std::int32_t> num_heads_;
};

/// The automaton remembers the last two modifiers: state 0 is "none yet", 1 + choose2(last) + before otherwise.
class TriSiblingsGroup final : public AutomatonGroup<TriSiblingsGroup> {
 public:
  TriSiblingsGroup(Layout layout, Index longest)
      : AutomatonGroup<TriSiblingsGroup>("TriSiblings", std::move(layout), kAllCapabilities) {
    pairs_.push_back({0, 0});
    for (std::int32_t last = 1; last <= longest; ++last) {
      for (std::int32_t before = 0; before < last; ++before) pairs_.push_back({before, last});
    }
  }

  struct Pair {
    std::int32_t before, last;
  };

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

template <class Count>
Offsets part_offsets(Index num_factors, Count count) {
  std::vector<Index> out = {0};
  for (Index f = 0; f < num_factors; ++f) out.push_back(out.back() + count(f));
  return Offsets(std::move(out));
}

}  // namespace

std::unique_ptr<FactorGroup> make_consecutive_siblings(Index num_factors, Offsets slots) {
  Offsets parts = part_offsets(num_factors, [&](Index f) { return choose2(slots.size(f) + 2); });
  return std::make_unique<ConsecutiveSiblingsGroup>(Layout(num_factors, std::move(slots), std::move(parts)));
}

std::unique_ptr<FactorGroup> make_grand_siblings(Index num_factors, Offsets slots,
                                                 std::vector<std::int32_t> num_heads) {
  Offsets parts = part_offsets(num_factors, [&](Index f) {
    const Index heads = num_heads[static_cast<std::size_t>(f)];
    return std::max<Index>(heads, 1) * choose2(slots.size(f) - heads + 2);
  });
  return std::make_unique<GrandSiblingsGroup>(Layout(num_factors, std::move(slots), std::move(parts)),
                                              std::move(num_heads));
}

std::unique_ptr<FactorGroup> make_tri_siblings(Index num_factors, Offsets slots) {
  Index longest = 0;
  for (Index f = 0; f < num_factors; ++f) longest = std::max(longest, slots.size(f));
  Offsets parts = part_offsets(num_factors, [&](Index f) { return choose3(slots.size(f) + 2); });
  return std::make_unique<TriSiblingsGroup>(Layout(num_factors, std::move(slots), std::move(parts)), longest);
}

}  // namespace ramify::factors
