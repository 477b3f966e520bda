#include "ramify/factors/table.hpp"

#include "ramify/factors/kernel_group.hpp"
#include "ramify/factors/pairwise.hpp"
#include "ramify/factors/two_way_table.hpp"

namespace ramify::factors {

namespace {

struct Cell {
  double score = kForbidden;
  std::size_t index = 0;
};

/// The best cell of a table of two variables, whose states' scores lie one after the other in w.
Cell best_of_two(Scores w, Scores parts, std::size_t rows) {
  const std::size_t columns = w.size() - rows;
  const double* second = w.data() + rows;
  Cell best;
  for (std::size_t i = 0; i < rows; ++i) {
    const double* row = parts.data() + i * columns;
    for (std::size_t j = 0; j < columns; ++j) {
      const double x = w[i] + second[j] + row[j];
      if (x > best.score) best = {x, i * columns + j};
    }
  }
  return best;
}

/// Derived has part_of(f, cell, num_cells): the part that scores a cell, or -1.
template <class Derived>
class DenseGroup : public KernelGroup<Derived> {
 public:
  using KernelGroup<Derived>::KernelGroup;

  double score_one(Index f, Assignment y, Scores parts) const {
    Index cell = 0;
    const Index begin = this->layout().slots()[f];
    for (std::size_t j = 0; j < y.size(); ++j) {
      cell = cell * this->layout().num_states(begin + static_cast<Index>(j)) + y[j];
    }
    return part_score(f, cell, parts);
  }

  double sum_one(Index f, Scores w, Scores parts, Point masses, Point nu, Workspace& ws) const {
    const Point p = ws.take<double>(num_cells(f));
    const double log_z = cell_probabilities(f, w, parts, p, ws);
    if (log_z == kForbidden) return log_z;
    spread(f, p, masses, nu, ws);
    return log_z;
  }

  template <class Semiring>
  double sweep_one(Index f, Scores w, Scores parts, Point out, Workspace& ws) const {
    std::ranges::fill(out, kForbidden);
    double total = kForbidden;
    each_cell(f, w, ws, [&](Index cell, double x, std::span<const Index> states) {
      x += part_score(f, cell, parts);
      if (x == kForbidden) return;
      total = Semiring::plus(total, x);
      for (const Index s : states) out[s] = Semiring::plus(out[s], x);
    });
    return total;
  }

  void vjp_one(Index f, Scores w, Scores parts, Scores dw, Scores dparts, Point dmasses, Point dnu,
               Workspace& ws) const {
    const Point p = ws.take<double>(num_cells(f));
    if (cell_probabilities(f, w, parts, p, ws) == kForbidden) return;
    double mean = 0.0;
    const Point change = ws.take<double>(p.size());
    each_cell(f, dw, ws, [&](Index cell, double x, std::span<const Index>) {
      const Index part = self().part_of(f, cell);
      change[cell] = x + (part >= 0 ? dparts[part] : 0.0);
      mean += p[cell] * change[cell];
    });
    for (std::size_t c = 0; c < p.size(); ++c) p[c] *= change[c] - mean;
    spread(f, p, dmasses, dnu, ws);
  }

  double argmax_one(Index f, Scores w, Scores parts, AssignmentOut y, Point nu, Workspace& ws) const {
    double best = kForbidden;
    Index best_cell = 0;
    if (y.size() == 2 && parts.size() == static_cast<std::size_t>(num_cells(f))) {
      const Cell cell =
          best_of_two(w, parts, static_cast<std::size_t>(this->layout().num_states(this->layout().slots()[f])));
      if (cell.score == kForbidden) return kForbidden;
      nu[cell.index] = 1.0;
      const std::size_t columns =
          parts.size() / static_cast<std::size_t>(this->layout().num_states(this->layout().slots()[f]));
      y[0] = static_cast<std::int32_t>(cell.index / columns);
      y[1] = static_cast<std::int32_t>(cell.index % columns);
      return cell.score;
    }
    each_cell(f, w, ws, [&](Index cell, double x, std::span<const Index>) {
      x += part_score(f, cell, parts);
      if (x > best) best = x, best_cell = cell;
    });
    if (best == kForbidden) return best;
    const Index part = self().part_of(f, best_cell);
    if (part >= 0) nu[part] = 1.0;
    const Index begin = this->layout().slots()[f];
    for (std::size_t j = y.size(); j-- > 0;) {
      const std::int32_t k = this->layout().num_states(begin + static_cast<Index>(j));
      y[j] = static_cast<std::int32_t>(best_cell % k);
      best_cell /= k;
    }
    return best;
  }

  Constraints constraints(Index f) const override {
    Workspace ws;
    const Layout& layout = this->layout();
    Constraints out = this->bare_constraints(f);
    const Index one = out.add_row(1.0, 1.0);
    const Index first = out.num_rows();
    for (Index c = 0; c < out.num_coords; ++c) out.add(out.add_row(0.0, 0.0), c, -1.0);
    const std::span<Index> coord_of_state = ws.take<Index>(layout.states().size(f), Index{-1});
    for (Index s = layout.slots()[f]; s < layout.slots()[f + 1]; ++s) {
      const std::int32_t k = layout.num_states(s);
      for (std::int32_t y = k == 2 ? 1 : 0; y < k; ++y) {
        coord_of_state[layout.state_of(s) - layout.states()[f] + y] =
            layout.coord_of(s) - layout.coords()[f] + (k == 2 ? 0 : y);
      }
    }
    const Point zeros = ws.take<double>(layout.states().size(f), 0.0);
    each_cell(f, zeros, ws, [&](Index cell, double, std::span<const Index> states) {
      const Index part = self().part_of(f, cell);
      const Index column = part >= 0 ? out.num_coords + part : out.add_auxiliary();
      out.add(one, column, 1.0);
      for (const Index s : states) {
        if (coord_of_state[s] >= 0) out.add(first + coord_of_state[s], column, 1.0);
      }
    });
    return out;
  }

 protected:
  Index num_cells(Index f) const {
    Index total = 1;
    for (Index s = this->layout().slots()[f]; s < this->layout().slots()[f + 1]; ++s) {
      total *= this->layout().num_states(s);
    }
    return total;
  }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }

  double part_score(Index f, Index cell, Scores parts) const {
    const Index part = self().part_of(f, cell);
    return part >= 0 ? parts[part] : 0.0;
  }

  // visit(cell, sum of w over the cell's states, the cell's states), the last variable fastest.
  template <class Visit>
  void each_cell(Index f, Scores w, Workspace& ws, Visit visit) const {
    const Workspace::Frame frame(ws);
    const Layout& layout = this->layout();
    const Index begin = layout.slots()[f];
    const Index n = layout.slots().size(f);
    const std::span<Index> states = ws.take<Index>(n);
    const std::span<double> partial = ws.take<double>(n + 1, 0.0);
    const auto first = [&](Index j) { return layout.state_of(begin + j) - layout.states()[f]; };
    const Index total = num_cells(f);
    Index j = 0;  // slots from j on start again at their first state
    for (Index cell = 0;;) {
      for (; j < n - 1; ++j) {
        states[j] = first(j);
        partial[j + 1] = partial[j] + w[states[j]];
      }
      const Index last = first(n - 1);
      const std::int32_t k = layout.num_states(begin + n - 1);
      for (std::int32_t y = 0; y < k; ++y, ++cell) {
        states[n - 1] = last + y;
        visit(cell, partial[n - 1] + w[last + y], states);
      }
      if (cell == total) return;
      for (j = n - 2; states[j] + 1 == first(j) + layout.num_states(begin + j); --j) {
      }
      ++states[j];
      partial[j + 1] = partial[j] + w[states[j]];
      ++j;
    }
  }

  double cell_probabilities(Index f, Scores w, Scores parts, Point p, Workspace& ws) const {
    double high = kForbidden;
    each_cell(f, w, ws, [&](Index cell, double x, std::span<const Index>) {
      p[cell] = x + part_score(f, cell, parts);
      high = std::max(high, p[cell]);
    });
    if (high == kForbidden) return kForbidden;
    double total = 0.0;
    for (double& v : p) total += v = std::exp(v - high);
    for (double& v : p) v /= total;
    return high + std::log(total);
  }

  void spread(Index f, Scores p, Point states, Point nu, Workspace& ws) const {
    const Point zeros = ws.take<double>(states.size(), 0.0);
    each_cell(f, zeros, ws, [&](Index cell, double, std::span<const Index> on) {
      for (const Index s : on) states[s] += p[cell];
      const Index part = self().part_of(f, cell);
      if (part >= 0) nu[part] += p[cell];
    });
  }
};

class TableGroup final : public DenseGroup<TableGroup> {
 public:
  TableGroup(std::string family, Layout layout, Traits traits)
      : DenseGroup<TableGroup>(std::move(family), std::move(layout), kAllCapabilities, traits) {}
  Index part_of(Index, Index cell) const { return cell; }

  void messages(Range range, Product product, Scores q, Scores parts, Point out, Point value,
                Workspace& ws) const override {
    for (Index f = range.begin; f < range.end;) {
      const Index end = product == Product::kSum ? end_of_block({f, range.end}) : f;
      if (end > f) pair_messages({f, end}, q, parts, out, value, ws);
      if (end == f) DenseGroup<TableGroup>::messages({f, f + 1}, product, q, parts, out, value, ws);
      f = std::max(end, f + 1);
    }
  }

  void project(Range range, Scores a, Scores parts, ProjectionState& state, Point z, Point nu, Point value,
               Workspace& ws) const override {
    for (Index f = range.begin; f < range.end; ++f) {
      ActiveSet& set = state.sets[static_cast<std::size_t>(f)];
      if (is_two_way(f)) {
        value[f] = project_two_way(cut(a, layout().coords(), f), cut(parts, layout().parts(), f), num_rows(f),
                                   set.forest, cut(z, layout().coords(), f), cut(nu, layout().parts(), f));
        if (!std::isnan(value[f])) continue;
        set.forest.clear();
      }
      DenseGroup<TableGroup>::project({f, f + 1}, a, parts, state, z, nu, value, ws);
    }
  }

  void project_vjp(Range range, Scores a, Scores parts, const ProjectionState& state, Scores grad_z, Scores grad_nu,
                   Point grad_a, Point grad_parts, Workspace& ws) const override {
    for (Index f = range.begin; f < range.end; ++f) {
      const std::vector<ForestEdge>& forest = state.sets[static_cast<std::size_t>(f)].forest;
      if (forest.empty()) {
        DenseGroup<TableGroup>::project_vjp({f, f + 1}, a, parts, state, grad_z, grad_nu, grad_a, grad_parts, ws);
        continue;
      }
      two_way_vjp(cut(grad_z, layout().coords(), f), cut(grad_nu, layout().parts(), f), num_rows(f), forest,
                  cut(grad_a, layout().coords(), f), cut(grad_parts, layout().parts(), f));
    }
  }

 private:
  std::size_t num_rows(Index f) const { return static_cast<std::size_t>(layout().num_states(layout().slots()[f])); }

  /// Binary variables have one coordinate for two states, which the forest cannot express.
  bool is_two_way(Index f) const {
    if (layout().slots().size(f) != 2) return false;
    const Index slot = layout().slots()[f];
    const auto fits = [&](Index s) { return layout().num_states(s) > 2 && layout().num_states(s) <= kMostStates; };
    return fits(slot) && fits(slot + 1);
  }

  static constexpr Index kBlock = 32;

  /// Where the block of two-variable tables of one shape ends that begins with the range; there if it has none.
  Index end_of_block(Range range) const {
    const auto shape = [&](Index f) {
      const Index slot = layout().slots()[f];
      return layout().slots().size(f) == 2 ? std::pair(layout().num_states(slot), layout().num_states(slot + 1))
                                           : std::pair(0, 0);
    };
    const auto first = shape(range.begin);
    Index end = range.begin;
    while (first.first > 0 && end < std::min(range.end, range.begin + kBlock) && shape(end) == first) ++end;
    return end;
  }

  // Few exponentials and no q in the sums; what has infinities or would underflow goes the general way, in logs.
  void pair_messages(Range range, Scores q, Scores parts, Point out, Point value, Workspace& ws) const {
    const Workspace::Frame frame(ws);
    const Index count = range.end - range.begin;
    const Index slot = layout().slots()[range.begin];
    const Index n = layout().num_states(slot);
    const Index k = layout().num_states(slot + 1);
    const Point states = ws.take<double>(count * (n + k));
    const Point sums = ws.take<double>(count * (n + k));
    const Point scratch = ws.take<double>(count * (n * k + n + k));
    for (Index f = range.begin; f < range.end; ++f) {
      expand_scores(
          layout(), f, cut(q, layout().coords(), f),
          states.subspan(static_cast<std::size_t>((f - range.begin) * (n + k)), static_cast<std::size_t>(n + k)));
    }
    const PairwiseBlock block{parts.data() + layout().parts()[range.begin], states.data(), count, n, k};
    pairwise_messages(block, sums.data(), value.data() + range.begin, scratch.data());
    for (Index f = range.begin; f < range.end; ++f) {
      bool good = !std::isnan(value[f]);
      for (const double score : cut(q, layout().coords(), f)) good = good && std::isfinite(score);
      if (!good) {
        DenseGroup<TableGroup>::messages({f, f + 1}, Product::kSum, q, parts, out, value, ws);
        continue;
      }
      const double* sum = sums.data() + (f - range.begin) * (n + k);
      double* to = out.data() + layout().coords()[f];
      for (Index x = n == 2 ? 1 : 0; x < n; ++x) *to++ = sum[x] - sum[0];
      for (Index x = k == 2 ? 1 : 0; x < k; ++x) *to++ = sum[n + x] - sum[n];
    }
  }
};

class TagLinkGroup final : public DenseGroup<TagLinkGroup> {
 public:
  explicit TagLinkGroup(Layout layout)
      : DenseGroup<TagLinkGroup>("TagLink", std::move(layout), kAllCapabilities, kSoftTable) {}
  Index part_of(Index f, Index cell) const {
    const Index tags = layout().parts().size(f);
    return cell < tags ? -1 : cell - tags;
  }
};

// Number of parts of each factor from the products of its variables' states.
Offsets cell_offsets(Index num_factors, const Offsets& slots, const std::vector<std::int32_t>& num_states, Index skip) {
  std::vector<Index> out = {0};
  for (Index f = 0; f < num_factors; ++f) {
    Index cells = 1;
    for (Index s = slots[f] + skip; s < slots[f + 1]; ++s)
      cells = product(cells, num_states[static_cast<std::size_t>(s)]);
    out.push_back(out.back() + cells);
  }
  return Offsets(std::move(out));
}

}  // namespace

std::unique_ptr<FactorGroup> make_table(std::string family, Index num_factors, Offsets slots,
                                        std::vector<std::int32_t> num_states) {
  Offsets parts = cell_offsets(num_factors, slots, num_states, 0);
  // A score for the states of single variables connects nothing.
  const Traits traits = slots.uniform() && slots.stride() == 1 ? kSoft : kSoftTable;
  return std::make_unique<TableGroup>(
      std::move(family), Layout(num_factors, std::move(slots), std::move(parts), std::move(num_states)), traits);
}

std::unique_ptr<FactorGroup> make_tag_link(Index num_factors, std::vector<std::int32_t> num_states) {
  const Offsets slots(3);
  Offsets parts = cell_offsets(num_factors, slots, num_states, 1);
  return std::make_unique<TagLinkGroup>(Layout(num_factors, slots, std::move(parts), std::move(num_states)));
}

}  // namespace ramify::factors
