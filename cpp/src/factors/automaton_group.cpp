#include "ramify/factors/automaton_group.hpp"

namespace ramify::factors {

// What the off-states add is the same for all k but for k's own.
void one_hot_scores(Scores w, Point out) {
  double off = 0.0;
  std::size_t num_forced = 0;
  std::size_t forced = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (w[2 * k] == kForbidden) {
      ++num_forced;
      forced = k;
    } else {
      off += w[2 * k];
    }
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    const bool possible = num_forced == 0 || (num_forced == 1 && forced == k);
    const double own = w[2 * k] == kForbidden ? 0.0 : w[2 * k];
    out[k] = possible ? w[2 * k + 1] + off - own : kForbidden;
  }
}

void symbol_scores(const Layout& layout, Index factor, const Trellis& trellis, Scores w, Point symbols) {
  const Index first = layout.states()[factor];
  for (std::size_t i = 0; i < trellis.positions.size(); ++i) {
    const Position& p = trellis.positions[i];
    const Point out =
        symbols.subspan(static_cast<std::size_t>(trellis.first_symbol[i]), static_cast<std::size_t>(p.num_symbols));
    if (p.reads == Reads::kNothing) {
      out[0] = 0.0;
      continue;
    }
    const Scores in = w.subspan(static_cast<std::size_t>(layout.state_of(layout.slots()[factor] + p.slot) - first));
    if (p.reads == Reads::kOneHot) {
      one_hot_scores(in, out);
    } else {
      for (std::size_t y = 0; y < out.size(); ++y) out[y] = in[p.flipped ? 1 - y : y];
    }
  }
}

}  // namespace ramify::factors
