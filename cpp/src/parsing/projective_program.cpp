#include "ramify/parsing/projective_program.hpp"

#include "ramify/factors/types.hpp"
#include "ramify/trees/projective.hpp"

namespace ramify::parsing {

namespace {

using trees::ProjectiveOrder;

constexpr std::size_t kMaxTable = std::size_t{1} << 24;  // entries, 128 MiB

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

ProjectiveOrder order_of(const PartChoice& choice) {
  const bool grand = choice.grand || choice.grand_sibling;
  const bool sibling = choice.sibling || choice.grand_sibling;
  if (grand && sibling) return ProjectiveOrder::kGrandSibling;
  if (grand) return ProjectiveOrder::kGrand;
  return sibling ? ProjectiveOrder::kSibling : ProjectiveOrder::kArc;
}

/// Fills the table that the program of an order reads; what is no candidate stays forbidden.
class Table {
 public:
  Table(const Candidates& candidates, std::span<const double> arc_scores, Scorer& scorer)
      : candidates_(candidates),
        arc_scores_(arc_scores),
        scorer_(scorer),
        order_(order_of(scorer.choice())),
        stride_(at(candidates.num_words) + 1),
        parts_(trees::num_projective_parts(order_, stride_), factors::kForbidden) {
    if (order_ == ProjectiveOrder::kArc) {
      for (std::int32_t a = 0; a < candidates_.size(); ++a) {
        place({candidates_.heads[at(a)], candidates_.modifiers[at(a)]}) = arc_scores_[at(a)];
      }
      return;
    }
    for (const Side& side : sides_of(candidates_)) {
      if (scorer_.choice().sibling) none_ = sibling(side, scorer_.start_word(), scorer_.stop_word());
      constant_ += none_;
      if (order_ == ProjectiveOrder::kSibling) {
        add_sequences(side, -1);
      } else if (side.head == 0) {
        add_grandparent(side, 0);
      } else {
        for (const std::int32_t g : candidates_.heads_of(side.head)) add_grandparent(side, g);
      }
    }
  }

  ProjectiveOrder order() const { return order_; }
  const std::vector<double>& parts() const { return parts_; }
  double constant() const { return constant_; }

 private:
  double& place(std::initializer_list<std::int32_t> indices) {
    std::size_t index = 0;
    for (const std::int32_t i : indices) index = index * stride_ + at(i);
    return parts_[index];
  }

  double sibling(const Side& side, std::int32_t m, std::int32_t s) {
    return scorer_.score(PartKind::kSibling, {side.head, m, s, side.right ? 1 : 0});
  }

  /// The root is its own head where grandparents are told apart, and has no grandparent part.
  void add_grandparent(const Side& side, std::int32_t g) {
    if (order_ == ProjectiveOrder::kGrandSibling) return add_sequences(side, g);
    for (const std::int32_t a : side.arcs) {
      const std::int32_t m = candidates_.modifiers[at(a)];
      place({g, side.head, m}) = arc_scores_[at(a)] + grand(g, side.head, m);
    }
  }

  double grand(std::int32_t g, std::int32_t h, std::int32_t m) {
    return h > 0 && scorer_.choice().grand ? scorer_.score(PartKind::kGrand, {g, h, m, 0}) : 0.0;
  }

  /// Neighbouring modifiers of a head and side, of the grandparent g (-1: they are not told apart). That there is no
  /// modifier counts for every side; the first modifier takes it back.
  void add_sequences(const Side& side, std::int32_t g) {
    const std::int32_t h = side.head;
    const PartChoice& choice = scorer_.choice();
    const auto set = [&](std::int32_t s, std::int32_t m, double score) {
      (g < 0 ? place({h, s, m}) : place({g, h, s, m})) = score;
    };
    for (std::size_t j = 0; j < side.arcs.size(); ++j) {
      const std::int32_t m = candidates_.modifiers[at(side.arcs[j])];
      const double arc = arc_scores_[at(side.arcs[j])] + (g < 0 ? 0.0 : grand(g, h, m));
      for (std::size_t i = 0; i <= j; ++i) {
        const bool first = i == 0;
        const std::int32_t inner = first ? scorer_.start_word() : candidates_.modifiers[at(side.arcs[i - 1])];
        double score = arc - (first ? none_ : 0.0);
        if (choice.sibling) score += sibling(side, inner, m);
        if (choice.grand_sibling && h > 0) score += scorer_.score(PartKind::kGrandSibling, {g, h, inner, m});
        set(first ? h : inner, m, score);
      }
      set(m, h, choice.sibling ? sibling(side, m, scorer_.stop_word()) : 0.0);
    }
  }

  const Candidates& candidates_;
  std::span<const double> arc_scores_;
  Scorer& scorer_;
  ProjectiveOrder order_;
  std::size_t stride_;
  std::vector<double> parts_;
  double none_ = 0.0;
  double constant_ = 0.0;
};

}  // namespace

bool has_projective_program(const PartChoice& choice, std::int32_t num_words) {
  if (choice.any_sibling || choice.tri_sibling || choice.head_bigram || choice.no_cross) return false;
  if (choice.valency || choice.needs_paths()) return false;
  return trees::num_projective_parts(order_of(choice), at(num_words) + 1) <= kMaxTable;
}

std::optional<ProjectiveProgram> solve_projective_program(const Candidates& candidates,
                                                          std::span<const double> arc_scores, Scorer& scorer,
                                                          bool single_root) {
  const std::int32_t n = candidates.num_words;
  const Table table(candidates, arc_scores, scorer);
  ProjectiveProgram out{std::vector<std::int32_t>(at(n) + 1, -1), factors::kForbidden};
  trees::best_trees({table.order(), single_root, n + 1, {&n, 1}, table.parts().data(), 1}, out.heads.data(),
                    &out.value);
  if (out.value == factors::kForbidden) return std::nullopt;
  out.value += table.constant();
  return out;
}

}  // namespace ramify::parsing
