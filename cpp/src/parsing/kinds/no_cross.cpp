// Two words, m left of s, whose arcs from their heads cross. Smith & Eisner (2008), section 5.3.
#include <algorithm>

#include "ramify/factors/no_cross.hpp"
#include "ramify/numeric/index.hpp"
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/relations.hpp"
#include "ramify/parsing/problem_builder.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateGroup kTemplates[] = {
    {"no-cross", "m.p, s.p, m.t, s.t, m.p s.p, m.t s.t, m.p s.p dist"},
};

int relation(const Roles& r, std::int32_t) { return pack_relation(distance_bin(r[1] - r[0]), 0); }
std::string describe(unsigned) { return "m<s"; }

void read(const TreeView& tree, std::vector<Part>& out) {
  for (std::int32_t m = 1; m <= tree.num_words(); ++m) {
    for (std::int32_t s = m + 1; s <= tree.num_words(); ++s) {
      if (factors::arcs_cross(tree.head_of(m), m, tree.head_of(s), s)) {
        out.push_back({PartKind::kNoCross, 0, {m, s, 0, 0}});
      }
    }
  }
}

/// Visits every two words, the left one first, that have candidates which cross.
template <class Visit>
void each_crossing(const Candidates& candidates, Visit visit) {
  const auto reach = [&](std::int32_t m) {
    std::pair<std::int32_t, std::int32_t> ends{m, m};
    for (const std::int32_t h : candidates.heads_of(m)) ends = {std::min(ends.first, h), std::max(ends.second, h)};
    return ends;
  };
  std::vector<std::pair<std::int32_t, std::int32_t>> reaches(1);
  for (std::int32_t m = 1; m <= candidates.num_words; ++m) reaches.push_back(reach(m));
  const auto cross = [&](std::int32_t m, std::int32_t s) {
    for (const std::int32_t h : candidates.heads_of(m)) {
      for (const std::int32_t g : candidates.heads_of(s)) {
        if (factors::arcs_cross(h, m, g, s)) return true;
      }
    }
    return false;
  };
  for (std::int32_t m = 1; m <= candidates.num_words; ++m) {
    for (std::int32_t s = m + 1; s <= candidates.num_words; ++s) {
      if (reaches[at(m)].second > reaches[at(s)].first && cross(m, s)) visit(m, s);
    }
  }
}

/// One factor for every two words that have crossing candidates.
void add_crossings(ProblemBuilder& builder) {
  const Candidates& candidates = builder.candidates();
  ProblemBuilder::Family family;
  factors::CrossingWords words{0, factors::Offsets(family.slots), {}, {}, {}, {}};
  each_crossing(candidates, [&](std::int32_t m, std::int32_t s) {
    for (const std::int32_t w : {m, s}) {
      for (std::int32_t a = candidates.begin[at(w) - 1]; a < candidates.begin[at(w)]; ++a) {
        family.variables.push_back(a);
        words.heads.push_back(candidates.heads[at(a)]);
      }
    }
    words.first_word.push_back(m);
    words.second_word.push_back(s);
    words.num_first.push_back(static_cast<std::int32_t>(candidates.heads_of(m).size()));
    family.scores.push_back(builder.scorer().score(PartKind::kNoCross, {m, s, 0, 0}));
    family.close();
  });
  if (family.size() == 0) return;
  words.num_factors = family.size();
  words.slots = factors::Offsets(family.slots);
  family.num_names.assign(family.scores.size(), 0);
  builder.add(factors::make_no_cross(std::move(words)), family);
}

/// The same as pairs of arcs: the factor above demands one head of either word, which the tree does already, and
/// belief propagation would count it once for every other word.
void add_crossing_pairs(ProblemBuilder& builder) {
  const Candidates& candidates = builder.candidates();
  each_crossing(candidates, [&](std::int32_t m, std::int32_t s) {
    const Part part{PartKind::kNoCross, 0, {m, s, 0, 0}};
    const double score = builder.scorer().score(part);
    for (std::int32_t a = candidates.begin[at(m) - 1]; a < candidates.begin[at(m)]; ++a) {
      for (std::int32_t b = candidates.begin[at(s) - 1]; b < candidates.begin[at(s)]; ++b) {
        if (!factors::arcs_cross(candidates.heads[at(a)], m, candidates.heads[at(b)], s)) continue;
        builder.add_pair(a, b, part, score);
      }
    }
  });
}

void add_factors(ProblemBuilder& builder) {
  builder.factorization() == Factorization::kLoose ? add_crossing_pairs(builder) : add_crossings(builder);
}

}  // namespace

constinit const Kind kinds::kNoCross = {.names = {"no-cross", "ms", "{m}, {s}"},
                                        .templates = kTemplates,
                                        .relation = {relation, describe},
                                        .reading = {Place::kTree, read},
                                        .factors = {add_factors, true}};

}  // namespace ramify::parsing
