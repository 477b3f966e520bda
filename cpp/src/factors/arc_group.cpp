#include "ramify/factors/arc_group.hpp"

namespace ramify::factors {

void arc_matrix(const ArcView& arcs, Scores w, Point matrix, Workspace& ws) {
  std::ranges::fill(matrix, kForbidden);
  bool forced = false;
  for (std::size_t a = 0; a < arcs.size(); ++a) {
    matrix[arcs.cell(a)] = w[2 * a + 1];
    forced |= w[2 * a] == kForbidden;
  }
  if (!forced) return;
  const Workspace::Frame frame(ws);
  std::ranges::fill(matrix, kForbidden);
  const auto num_forced = ws.take<std::int32_t>(arcs.num_words + 1, 0);
  for (std::size_t a = 0; a < arcs.size(); ++a) num_forced[arcs.modifiers[a]] += w[2 * a] == kForbidden;
  for (std::size_t a = 0; a < arcs.size(); ++a) {
    const std::int32_t others = num_forced[arcs.modifiers[a]] - (w[2 * a] == kForbidden ? 1 : 0);
    if (others == 0) matrix[arcs.cell(a)] = w[2 * a + 1];
  }
}

}  // namespace ramify::factors
