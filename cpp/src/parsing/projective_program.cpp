#include "ramify/parsing/projective_program.hpp"

#include <algorithm>
#include <iterator>

#include "ramify/factors/types.hpp"
#include "ramify/numeric/index.hpp"
#include "ramify/parsing/kinds/kind.hpp"

namespace ramify::parsing {

namespace {

using trees::ProjectiveOrder;

constexpr std::size_t kMaxTable = std::size_t{1} << 24;  // entries, 128 MiB

std::vector<PartKind> of_shape(const PartChoice& choice, Shape shape) {
  std::vector<PartKind> found;
  std::ranges::copy_if(choice.chosen(), std::back_inserter(found),
                       [&](PartKind kind) { return kind_of(kind).shape == shape; });
  return found;
}

ProjectiveOrder order_of(const PartChoice& choice) {
  const auto has = [&](Shape shape) { return !of_shape(choice, shape).empty(); };
  const bool grand = has(Shape::kGrand) || has(Shape::kGrandPair);
  const bool pair = has(Shape::kPair) || has(Shape::kGrandPair);
  if (grand && pair) return ProjectiveOrder::kGrandSibling;
  if (grand) return ProjectiveOrder::kGrand;
  return pair ? ProjectiveOrder::kSibling : ProjectiveOrder::kArc;
}

}  // namespace

ProjectiveTable::ProjectiveTable(const Candidates& candidates, std::span<const double> arc_scores, Scorer& scorer,
                                 bool record)
    : candidates_(candidates),
      arc_scores_(arc_scores),
      scorer_(scorer),
      record_(record),
      pairs_(of_shape(scorer.choice(), Shape::kPair)),
      grands_(of_shape(scorer.choice(), Shape::kGrand)),
      grand_pairs_(of_shape(scorer.choice(), Shape::kGrandPair)),
      order_(order_of(scorer.choice())),
      stride_(at(candidates.num_words) + 1),
      scores_(trees::num_projective_parts(order_, stride_), factors::kForbidden) {
  if (order_ == ProjectiveOrder::kArc) {
    for (std::int32_t a = 0; a < candidates_.size(); ++a) {
      open({candidates_.heads[at(a)], candidates_.modifiers[at(a)]}, a);
    }
    return;
  }
  for (const Side& side : sides_of(candidates_)) {
    for (const PartKind kind : pairs_) {
      const Part none = side_pair(kind, side, scorer_.start_word(), scorer_.stop_word());
      constant_ += scorer_.score(none);
      if (record_) constant_parts_.push_back(none);
    }
    if (order_ == ProjectiveOrder::kSibling) {
      add_sequences(side, -1);
    } else if (side.head == 0) {
      add_grandparent(side, 0);
    } else {
      for (const std::int32_t g : candidates_.heads_of(side.head)) add_grandparent(side, g);
    }
  }
}

void ProjectiveTable::open(std::initializer_list<std::int32_t> indices, std::int32_t arc) {
  entry_ = 0;
  for (const std::int32_t i : indices) entry_ = entry_ * stride_ + at(i);
  scores_[entry_] = arc < 0 ? 0.0 : arc_scores_[at(arc)];
  if (record_ && arc >= 0) arcs_.emplace_back(entry_, arc);
}

void ProjectiveTable::add_all(std::span<const PartKind> kinds, const Roles& roles, double times) {
  for (const PartKind kind : kinds) {
    scores_[entry_] += times * scorer_.score(kind, roles);
    if (record_) terms_.push_back({entry_, {kind, 0, roles}, times});
  }
}

/// The root is its own head where grandparents are told apart, and has no grandparent part.
void ProjectiveTable::add_grandparent(const Side& side, std::int32_t g) {
  if (order_ == ProjectiveOrder::kGrandSibling) return add_sequences(side, g);
  for (const std::int32_t a : side.arcs) {
    const std::int32_t m = candidates_.modifiers[at(a)];
    open({g, side.head, m}, a);
    if (side.head > 0) add_all(grands_, {g, side.head, m, 0});
  }
}

/// Neighbouring modifiers of a head and side, of the grandparent g (-1: they are not told apart). That there is no
/// modifier counts for every side; the first modifier takes it back.
void ProjectiveTable::add_sequences(const Side& side, std::int32_t g) {
  const std::int32_t h = side.head;
  const std::int32_t right = side.right ? 1 : 0;
  const auto open_pair = [&](std::int32_t s, std::int32_t m, std::int32_t arc) {
    g < 0 ? open({h, s, m}, arc) : open({g, h, s, m}, arc);
  };
  for (std::size_t j = 0; j < side.arcs.size(); ++j) {
    const std::int32_t m = candidates_.modifiers[at(side.arcs[j])];
    for (std::size_t i = 0; i <= j; ++i) {
      const bool first = i == 0;
      const std::int32_t inner = first ? scorer_.start_word() : candidates_.modifiers[at(side.arcs[i - 1])];
      open_pair(first ? h : inner, m, side.arcs[j]);
      if (g >= 0 && h > 0) add_all(grands_, {g, h, m, 0});
      add_all(pairs_, {h, inner, m, right});
      if (first) add_all(pairs_, {h, scorer_.start_word(), scorer_.stop_word(), right}, -1.0);
      if (h > 0) add_all(grand_pairs_, {g, h, inner, m});
    }
    open_pair(m, h, -1);
    add_all(pairs_, {h, m, scorer_.stop_word(), right});
  }
}

bool has_projective_program(const PartChoice& choice, std::int32_t num_words) {
  const bool fits = std::ranges::all_of(choice.chosen(), [](PartKind kind) {
    const Shape shape = kind_of(kind).shape;
    return shape == Shape::kPair || shape == Shape::kGrand || shape == Shape::kGrandPair;
  });
  if (!fits) return false;
  return trees::num_projective_parts(order_of(choice), at(num_words) + 1) <= kMaxTable;
}

std::optional<ProjectiveProgram> solve_projective_program(const Candidates& candidates,
                                                          std::span<const double> arc_scores, Scorer& scorer,
                                                          bool single_root) {
  const ProjectiveTable table(candidates, arc_scores, scorer, false);
  ProjectiveProgram out{std::vector<std::int32_t>(at(candidates.num_words) + 1, -1), factors::kForbidden};
  trees::best_trees(table.batch(table.scores(), single_root), out.heads.data(), &out.value);
  if (out.value == factors::kForbidden) return std::nullopt;
  out.value += table.constant();
  return out;
}

ProjectiveBeliefs::ProjectiveBeliefs(const Candidates& candidates, std::span<const double> arc_scores, Scorer& scorer,
                                     bool single_root, double temperature)
    : table_(candidates, arc_scores, scorer, true),
      single_root_(single_root),
      temperature_(temperature),
      num_arcs_(at(candidates.size())),
      scores_(table_.scores()),
      marginals_(scores_.size(), 0.0) {
  for (double& s : scores_) s /= temperature_;
  trees::marginals(table_.batch(scores_, single_root_), marginals_.data(), &log_partition_);
}

std::vector<double> ProjectiveBeliefs::arcs() const { return sum_arcs(marginals_); }

WeightedParts ProjectiveBeliefs::parts() const {
  WeightedParts out = sum_parts(marginals_);
  for (const Part& part : table_.constant_parts()) out.emplace_back(part, 1.0);
  return out;
}

ScoreGradients ProjectiveBeliefs::backward(std::span<const double> grad_arcs) const {
  std::vector<double> direction(scores_.size(), 0.0);
  std::vector<double> grad(scores_.size(), 0.0);
  for (const auto& [entry, arc] : table_.arcs()) direction[entry] = grad_arcs[at(arc)] / temperature_;
  trees::marginals_vjp(table_.batch(scores_, single_root_), direction.data(), grad.data());
  return {sum_arcs(grad), sum_parts(grad)};
}

std::vector<double> ProjectiveBeliefs::sum_arcs(std::span<const double> entries) const {
  std::vector<double> out(num_arcs_, 0.0);
  for (const auto& [entry, arc] : table_.arcs()) out[at(arc)] += entries[entry];
  return out;
}

WeightedParts ProjectiveBeliefs::sum_parts(std::span<const double> entries) const {
  WeightedParts out;
  for (const ProjectiveTable::Term& term : table_.terms()) {
    if (entries[term.entry] != 0.0) out.emplace_back(term.part, term.times * entries[term.entry]);
  }
  return out;
}

}  // namespace ramify::parsing
