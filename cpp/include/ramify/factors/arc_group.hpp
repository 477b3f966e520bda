// What the two tree families share: from arcs to score matrices and back.
#pragma once

#include "ramify/factors/kernel_group.hpp"
#include "ramify/factors/tree.hpp"

namespace ramify::factors {

/// One factor's arcs.
struct ArcView {
  std::span<const std::int32_t> heads;
  std::span<const std::int32_t> modifiers;
  int num_words;

  std::size_t size() const { return heads.size(); }
  Index matrix_size() const { return Index{num_words + 1} * (num_words + 1); }
  Index cell(std::size_t arc) const { return Index{heads[arc]} * (num_words + 1) + modifiers[arc]; }
};

/// Matrix [head, modifier] of on-scores, -inf where there is no arc or where another arc is forced into the word.
void arc_matrix(const ArcView& arcs, Scores w, Point matrix, Workspace& ws);
/// Fills the off-states: all other arcs into the same word, gathered from both sides instead of by subtraction.
template <class Plus>
void fill_off_states(const ArcView& arcs, Point states, double zero, Plus plus, Workspace& ws) {
  const Workspace::Frame frame(ws);
  const Point before = ws.take<double>(arcs.num_words + 1, zero);
  for (std::size_t a = 0; a < arcs.size(); ++a) {
    double& sum = before[arcs.modifiers[a]];
    states[2 * a] = sum;
    sum = plus(sum, states[2 * a + 1]);
  }
  std::ranges::fill(before, zero);
  for (std::size_t a = arcs.size(); a-- > 0;) {
    double& sum = before[arcs.modifiers[a]];
    states[2 * a] = plus(states[2 * a], sum);
    sum = plus(sum, states[2 * a + 1]);
  }
}

/// Algorithms has, over matrices [head, modifier] and with a Workspace for scratch,
///   static double marginals(matrix, n, single_root, out, ws)                 returns log Z, -inf: out untouched
///   static void   hessian_product(matrix, direction, n, single_root, out, ws)
///   static double log_marginals(matrix, n, single_root, out, ws)
///   static double max_marginals(matrix, n, single_root, out, ws)             best tree with each arc
///   static double best(matrix, n, single_root, heads, ws)
template <class Derived, class Algorithms>
class ArcGroup : public KernelGroup<Derived> {
 public:
  ArcGroup(std::string family, ArcSets arcs)
      : KernelGroup<Derived>(std::move(family), Layout(arcs.num_factors, std::move(arcs.slots), Offsets(0)),
                             kAllCapabilities, static_cast<Traits>(Trait::kTree)),
        heads_(std::move(arcs.heads)),
        modifiers_(std::move(arcs.modifiers)),
        num_words_(std::move(arcs.num_words)),
        single_root_(arcs.single_root) {}

  Arguments arguments() const override {
    return {{"heads", heads_},
            {"modifiers", modifiers_},
            {"num_words", num_words_},
            {"single_root", {single_root_ ? 1 : 0}}};
  }

  double sum_one(Index f, Scores w, Scores, Point masses, Point, Workspace& ws) const {
    const ArcView arcs = view(f);
    const Point matrix = ws.take<double>(arcs.matrix_size());
    const Point mu = ws.take<double>(arcs.matrix_size(), 0.0);
    arc_matrix(arcs, w, matrix, ws);
    const double log_z = Algorithms::marginals(matrix, arcs.num_words, single_root_, mu, ws);
    if (log_z == kForbidden) return log_z;
    for (std::size_t a = 0; a < arcs.size(); ++a) masses[2 * a + 1] = mu[arcs.cell(a)];
    fill_off_states(arcs, masses, 0.0, std::plus<double>(), ws);
    return log_z;
  }

  template <class Semiring>
  double sweep_one(Index f, Scores w, Scores, Point out, Workspace& ws) const {
    const ArcView arcs = view(f);
    const Point matrix = ws.take<double>(arcs.matrix_size());
    const Point values = ws.take<double>(arcs.matrix_size(), kForbidden);
    arc_matrix(arcs, w, matrix, ws);
    std::ranges::fill(out, kForbidden);
    constexpr bool kMax = std::same_as<Semiring, MaxSemiring>;
    const double total = kMax ? Algorithms::max_marginals(matrix, arcs.num_words, single_root_, values, ws)
                              : Algorithms::log_marginals(matrix, arcs.num_words, single_root_, values, ws);
    if (total == kForbidden) return total;
    for (std::size_t a = 0; a < arcs.size(); ++a) out[2 * a + 1] = values[arcs.cell(a)];
    fill_off_states(arcs, out, kForbidden, Semiring::plus, ws);
    return total;
  }

  void vjp_one(Index f, Scores w, Scores, Scores dw, Scores, Point dmasses, Point, Workspace& ws) const {
    const ArcView arcs = view(f);
    const Point matrix = ws.take<double>(arcs.matrix_size());
    const Point direction = ws.take<double>(arcs.matrix_size(), 0.0);
    const Point product = ws.take<double>(arcs.matrix_size(), 0.0);
    arc_matrix(arcs, w, matrix, ws);
    for (std::size_t a = 0; a < arcs.size(); ++a) direction[arcs.cell(a)] = dw[2 * a + 1];
    Algorithms::hessian_product(matrix, direction, arcs.num_words, single_root_, product, ws);
    for (std::size_t a = 0; a < arcs.size(); ++a) dmasses[2 * a + 1] = product[arcs.cell(a)];
  }

  double argmax_one(Index f, Scores w, Scores, AssignmentOut y, Point, Workspace& ws) const {
    const ArcView arcs = view(f);
    const Point matrix = ws.take<double>(arcs.matrix_size());
    arc_matrix(arcs, w, matrix, ws);
    const auto heads = ws.take<std::int32_t>(arcs.num_words + 1);
    const double value = Algorithms::best(matrix, arcs.num_words, single_root_, heads, ws);
    if (value == kForbidden) return value;
    for (std::size_t a = 0; a < arcs.size(); ++a) y[a] = heads[arcs.modifiers[a]] == arcs.heads[a] ? 1 : 0;
    return value;
  }

 protected:
  ArcView view(Index f) const {
    const auto begin = static_cast<std::size_t>(this->layout().slots()[f]);
    const auto size = static_cast<std::size_t>(this->layout().slots().size(f));
    return {std::span(heads_).subspan(begin, size), std::span(modifiers_).subspan(begin, size),
            num_words_[static_cast<std::size_t>(f)]};
  }
  bool single_root() const { return single_root_; }

  /// Heads of the words where the arcs that are on give each exactly one; false otherwise.
  bool read_heads(Index f, Assignment y, std::span<std::int32_t> heads) const {
    const ArcView arcs = view(f);
    std::ranges::fill(heads, -1);
    for (std::size_t a = 0; a < arcs.size(); ++a) {
      if (y[a] == 0) continue;
      if (heads[arcs.modifiers[a]] >= 0) return false;
      heads[arcs.modifiers[a]] = arcs.heads[a];
    }
    return std::ranges::none_of(heads.subspan(1), [](std::int32_t h) { return h < 0; }) &&
           (!single_root_ || std::ranges::count(heads.subspan(1), 0) == 1) && is_tree(heads);
  }

 private:
  static bool is_tree(std::span<const std::int32_t> heads) {
    for (std::size_t m = 1; m < heads.size(); ++m) {
      std::size_t at = m;
      for (std::size_t steps = 0; at != 0; ++steps) {
        if (steps == heads.size()) return false;
        at = static_cast<std::size_t>(heads[at]);
      }
    }
    return true;
  }

  std::vector<std::int32_t> heads_;
  std::vector<std::int32_t> modifiers_;
  std::vector<std::int32_t> num_words_;
  bool single_root_;
};

}  // namespace ramify::factors
