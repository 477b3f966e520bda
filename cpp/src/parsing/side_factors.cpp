// Factors over the modifiers of one head on one side, for all kinds of parts that have a shape.
#include <array>

#include "ramify/factors/siblings.hpp"
#include "ramify/numeric/index.hpp"
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/problem_builder.hpp"

namespace ramify::parsing {

namespace {

using factors::Offsets;
using Family = ProblemBuilder::Family;

void append_pairs(const std::vector<double>& table, std::size_t width, std::vector<double>& out) {
  for (std::size_t i = 0; i + 1 < width; ++i) {
    for (std::size_t j = i + 1; j < width; ++j) out.push_back(table[i * width + j]);
  }
}

void close_side(Family& family, const Side& side) {
  family.variables.insert(family.variables.end(), side.arcs.begin(), side.arcs.end());
  family.close();
}

/// kTight puts all parts of a head and side into one automaton, the other factorizations those of each shape into
/// factors of their own.
class SideFactors {
 public:
  explicit SideFactors(ProblemBuilder& builder)
      : builder_(builder), candidates_(builder.candidates()), scorer_(builder.scorer()) {
    for (const PartKind kind : scorer_.choice().chosen()) {
      kinds_[static_cast<std::size_t>(kind_of(kind).shape)].push_back(kind);
    }
    grand_ = !of(Shape::kGrand).empty() || !of(Shape::kGrandPair).empty();
  }

  void collect() {
    if (of(Shape::kPair).empty() && of(Shape::kTriple).empty() && !grand_) return;
    for (const Side& side : sides_of(candidates_)) {
      if (side.arcs.empty()) {
        for (const PartKind kind : of(Shape::kPair)) {
          builder_.add_constant(side_pair(kind, side, scorer_.start_word(), scorer_.stop_word()));
        }
        continue;
      }
      word_.assign(1, scorer_.start_word());
      for (const std::int32_t a : side.arcs) word_.push_back(candidates_.modifiers[at(a)]);
      word_.push_back(scorer_.stop_word());
      score(side);
      builder_.factorization() == Factorization::kTight ? add_tight(side) : add_apart(side);
    }
  }

  std::vector<PendingFactors> groups() {
    std::vector<PendingFactors> out;
    if (automata_.size() > 0) out.push_back({make_automata(), std::move(automata_)});
    const auto add = [&](auto make, Family& family) {
      if (family.size() > 0) out.push_back({make(family.size(), Offsets(family.slots)), std::move(family)});
    };
    add(factors::make_consecutive_siblings, siblings_);
    add(factors::make_gated_siblings, gated_);
    add(factors::make_tri_siblings, tri_siblings_);
    return out;
  }

 private:
  const std::vector<PartKind>& of(Shape shape) const { return kinds_[static_cast<std::size_t>(shape)]; }

  template <class Visit>
  void each_pair(Visit visit) const {
    for (std::size_t i = 0; i + 1 < word_.size(); ++i) {
      for (std::size_t j = i + 1; j < word_.size(); ++j) visit(i, j);
    }
  }

  template <class Visit>
  void each_triple(Visit visit) const {
    for (std::size_t i = 0; i + 2 < word_.size(); ++i) {
      for (std::size_t j = i + 1; j + 1 < word_.size(); ++j) {
        for (std::size_t k = j + 1; k < word_.size(); ++k) visit(i, j, k);
      }
    }
  }

  /// Scores of pairs and triples, grandparents left out.
  void score(const Side& side) {
    const std::size_t width = word_.size();
    for (const PartKind kind : of(Shape::kPair)) {
      each_pair([&](std::size_t i, std::size_t j) {
        scorer_.ask(kind, {side.head, word_[i], word_[j], side.right ? 1 : 0});
      });
    }
    for (const PartKind kind : of(Shape::kTriple)) {
      each_triple([&](std::size_t i, std::size_t j, std::size_t k) {
        scorer_.ask(kind, {side.head, word_[i], word_[j], word_[k]});
      });
    }
    const std::span<const double> answers = scorer_.answers();
    const double* next = answers.data();
    pair_scores_.assign(width * width, 0.0);
    for (std::size_t k = 0; k < of(Shape::kPair).size(); ++k) {
      each_pair([&](std::size_t i, std::size_t j) { pair_scores_[i * width + j] += *next++; });
    }
    const std::size_t left = answers.size() - at(next - answers.data());
    triple_scores_.assign(of(Shape::kTriple).empty() ? 0 : left / of(Shape::kTriple).size(), 0.0);
    for (std::size_t k = 0; k < of(Shape::kTriple).size(); ++k) {
      for (double& total : triple_scores_) total += *next++;
    }
  }

  /// A grandparent's score counts once for each modifier.
  void add_grand_scores(std::int32_t g, std::int32_t h, std::vector<double>& table) {
    for (std::size_t j = 1; j + 1 < word_.size(); ++j) {
      for (const PartKind kind : of(Shape::kGrand)) scorer_.ask(kind, {g, h, word_[j], 0});
      for (const PartKind kind : of(Shape::kGrandPair)) {
        for (std::size_t i = 0; i < j; ++i) scorer_.ask(kind, {g, h, word_[i], word_[j]});
      }
    }
    const double* next = scorer_.answers().data();
    for (std::size_t j = 1; j + 1 < word_.size(); ++j) {
      double grand = 0.0;
      for (std::size_t k = 0; k < of(Shape::kGrand).size(); ++k) grand += *next++;
      const auto add = [&](std::size_t i, double score) { table[i * word_.size() + j] += score; };
      if (of(Shape::kGrandPair).empty()) {
        for (std::size_t i = 0; i < j; ++i) add(i, grand);
      }
      for (std::size_t k = 0; k < of(Shape::kGrandPair).size(); ++k, grand = 0.0) {
        for (std::size_t i = 0; i < j; ++i) add(i, grand + *next++);
      }
    }
  }

  /// Every part of a head and side goes into the scores of one automaton.
  void add_tight(const Side& side) {
    const std::int32_t h = side.head;
    std::span<const std::int32_t> grandparents;
    if (grand_ && h > 0) grandparents = candidates_.heads_of(h);
    for (std::size_t g = 0; g < grandparents.size(); ++g) {
      automata_.variables.push_back(candidates_.begin[at(h) - 1] + static_cast<std::int32_t>(g));
      add_tight_scores(grandparents[g], h);
    }
    if (grandparents.empty()) add_tight_scores(-1, h);
    automata_.counts.push_back(static_cast<std::int32_t>(grandparents.size()));
    close_side(automata_, side);
  }

  /// The automaton's table for one grandparent (-1: none).
  void add_tight_scores(std::int32_t g, std::int32_t h) {
    const std::size_t width = word_.size();
    table_ = pair_scores_;
    if (g >= 0) add_grand_scores(g, h, table_);
    if (of(Shape::kTriple).empty()) return append_pairs(table_, width, automata_.scores);
    // A triple carries its second pair; one that begins at the start carries its first as well.
    automata_.scores.push_back(table_[width - 1]);
    const double* next = triple_scores_.data();
    each_triple([&](std::size_t i, std::size_t j, std::size_t k) {
      automata_.scores.push_back(*next++ + (i == 0 ? table_[j] : 0.0) + table_[j * width + k]);
    });
  }

  void add_apart(const Side& side) {
    const std::int32_t h = side.head;
    const std::int32_t right = side.right ? 1 : 0;
    const auto name_all = [](Family& family, const std::vector<PartKind>& kinds, const Roles& roles) {
      for (const PartKind kind : kinds) family.names.push_back({kind, 0, roles});
      family.num_names.push_back(static_cast<std::int32_t>(kinds.size()));
    };
    if (const auto& kinds = of(Shape::kPair); !kinds.empty()) {
      append_pairs(pair_scores_, word_.size(), siblings_.scores);
      each_pair([&](std::size_t i, std::size_t j) { name_all(siblings_, kinds, {h, word_[i], word_[j], right}); });
      close_side(siblings_, side);
    }
    if (const auto& kinds = of(Shape::kTriple); !kinds.empty()) {
      tri_siblings_.scores.insert(tri_siblings_.scores.end(), triple_scores_.begin(), triple_scores_.end());
      each_triple([&](std::size_t i, std::size_t j, std::size_t k) {
        name_all(tri_siblings_, kinds, {h, word_[i], word_[j], word_[k]});
      });
      close_side(tri_siblings_, side);
    }
    if (!grand_ || h == 0) return;
    for (std::int32_t a = candidates_.begin[at(h) - 1]; a < candidates_.begin[at(h)]; ++a) {
      const std::int32_t g = candidates_.heads[at(a)];
      of(Shape::kGrandPair).empty() ? add_grand_pairs(side, g, a) : add_gated(side, g, a);
    }
  }

  void add_grand_pairs(const Side& side, std::int32_t g, std::int32_t incoming) {
    for (const std::int32_t a : side.arcs) {
      for (const PartKind kind : of(Shape::kGrand)) {
        const Part part{kind, 0, {g, side.head, candidates_.modifiers[at(a)], 0}};
        builder_.add_pair(incoming, a, part, scorer_.score(part));
      }
    }
  }

  /// An automaton that the arc from the grandparent switches on. It carries grandparents and their pairs.
  void add_gated(const Side& side, std::int32_t g, std::int32_t incoming) {
    const std::int32_t h = side.head;
    pair_scores_.assign(word_.size() * word_.size(), 0.0);
    add_grand_scores(g, h, pair_scores_);
    gated_.variables.push_back(incoming);
    append_pairs(pair_scores_, word_.size(), gated_.scores);
    each_pair([&](std::size_t i, std::size_t j) {
      const std::size_t before = gated_.names.size();
      if (j + 1 < word_.size()) {
        for (const PartKind kind : of(Shape::kGrand)) gated_.names.push_back({kind, 0, {g, h, word_[j], 0}});
        for (const PartKind kind : of(Shape::kGrandPair)) gated_.names.push_back({kind, 0, {g, h, word_[i], word_[j]}});
      }
      gated_.num_names.push_back(static_cast<std::int32_t>(gated_.names.size() - before));
    });
    close_side(gated_, side);
  }

  std::unique_ptr<factors::FactorGroup> make_automata() {
    Offsets slots(automata_.slots);
    if (!of(Shape::kTriple).empty()) {
      return factors::make_grand_tri_siblings(automata_.size(), std::move(slots), automata_.counts);
    }
    if (grand_) return factors::make_grand_siblings(automata_.size(), std::move(slots), automata_.counts);
    return factors::make_consecutive_siblings(automata_.size(), std::move(slots));
  }

  ProblemBuilder& builder_;
  const Candidates& candidates_;
  Scorer& scorer_;
  std::array<std::vector<PartKind>, kNumShapes> kinds_;
  bool grand_ = false;
  Family automata_, siblings_, tri_siblings_, gated_;
  std::vector<std::int32_t> word_;                           // of a side, start and stop included
  std::vector<double> pair_scores_, triple_scores_, table_;  // pairs are [i][j]
};

}  // namespace

std::vector<PendingFactors> make_side_factors(ProblemBuilder& builder) {
  SideFactors sides(builder);
  sides.collect();
  return sides.groups();
}

}  // namespace ramify::parsing
