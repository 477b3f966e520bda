#include "ramify/factors/kernel_group.hpp"

namespace ramify::factors {

namespace {

struct Slot {
  std::int32_t num_states;
  Index coord;  // within the factor
  Index state;
};

template <class Visit>
void for_each_slot(const Layout& layout, Index factor, Visit visit) {
  const Index begin = layout.slots()[factor];
  const Index end = layout.slots()[factor + 1];
  if (layout.all_binary()) {
    for (Index j = 0; j < end - begin; ++j) visit(j, Slot{2, j, 2 * j});
    return;
  }
  const Index coord0 = layout.coord_of(begin);
  const Index state0 = layout.state_of(begin);
  for (Index s = begin; s < end; ++s) {
    visit(s - begin, Slot{layout.num_states(s), layout.coord_of(s) - coord0, layout.state_of(s) - state0});
  }
}

}  // namespace

void expand_scores(const Layout& layout, Index factor, Scores q, Point states) {
  for_each_slot(layout, factor, [&](Index, const Slot& slot) {
    const Point w = states.subspan(slot.state, slot.num_states);
    if (slot.num_states == 2) {
      const bool forced = q[slot.coord] == kForced;
      w[0] = forced ? kForbidden : 0.0;
      w[1] = forced ? 0.0 : q[slot.coord];
      return;
    }
    const Scores scores = q.subspan(slot.coord, slot.num_states);
    const bool forced = std::ranges::find(scores, kForced) != scores.end();
    for (std::size_t k = 0; k < w.size(); ++k) {
      w[k] = !forced ? scores[k] : scores[k] == kForced ? 0.0 : kForbidden;
    }
  });
}

void expand_direction(const Layout& layout, Index factor, Scores direction, Point states) {
  for_each_slot(layout, factor, [&](Index, const Slot& slot) {
    const Point w = states.subspan(slot.state, slot.num_states);
    if (slot.num_states == 2) {
      w[0] = 0.0;
      w[1] = direction[slot.coord];
    } else {
      std::ranges::copy(direction.subspan(slot.coord, slot.num_states), w.begin());
    }
  });
}

void gather_coords(const Layout& layout, Index factor, Scores states, Point coords) {
  for_each_slot(layout, factor, [&](Index, const Slot& slot) {
    if (slot.num_states == 2) {
      coords[slot.coord] = states[slot.state + 1];
    } else {
      std::ranges::copy(states.subspan(slot.state, slot.num_states), coords.begin() + slot.coord);
    }
  });
}

void messages_from_states(const Layout& layout, Index factor, Scores q, Scores log_masses, Point out) {
  for_each_slot(layout, factor, [&](Index, const Slot& slot) {
    const Scores masses = log_masses.subspan(slot.state, slot.num_states);
    if (slot.num_states == 2) {
      const double own = q[slot.coord];
      const bool feasible = masses[0] != kForbidden || masses[1] != kForbidden;
      out[slot.coord] = feasible && std::isfinite(own) ? (masses[1] - masses[0]) - own : 0.0;
      return;
    }
    const Scores own = q.subspan(slot.coord, slot.num_states);
    const Point message = out.subspan(slot.coord, slot.num_states);
    // State 0 where possible; else the best of the others, so that no message is +inf.
    double reference = std::isfinite(own[0]) ? masses[0] - own[0] : kForbidden;
    for (std::size_t k = 1; k < own.size() && !std::isfinite(masses[0]); ++k) {
      if (std::isfinite(own[k])) reference = std::max(reference, masses[k] - own[k]);
    }
    for (std::size_t k = 0; k < own.size(); ++k) {
      const bool known = std::isfinite(own[k]) && reference != kForbidden;
      message[k] = known ? (masses[k] - own[k]) - reference : 0.0;
    }
  });
}

void vertex_of(const Layout& layout, Index factor, Assignment y, Scores nu, Vertex& vertex) {
  vertex.coords.clear();
  vertex.parts.clear();
  for_each_slot(layout, factor, [&](Index j, const Slot& slot) {
    if (slot.num_states != 2) {
      vertex.coords.push_back(static_cast<std::int32_t>(slot.coord + y[j]));
    } else if (y[j] == 1) {
      vertex.coords.push_back(static_cast<std::int32_t>(slot.coord));
    }
  });
  for (std::size_t r = 0; r < nu.size(); ++r) {
    if (nu[r] > 0.0) vertex.parts.push_back(static_cast<std::int32_t>(r));
  }
}

}  // namespace ramify::factors
