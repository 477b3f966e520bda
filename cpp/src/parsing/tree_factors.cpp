// Factors that say what is demanded of the arcs.
#include "ramify/factors/logic.hpp"
#include "ramify/factors/tree.hpp"
#include "ramify/numeric/index.hpp"
#include "ramify/parsing/problem_builder.hpp"

namespace ramify::parsing {

namespace {

using factors::Index;
using factors::LogicRule;
using factors::Offsets;
using Family = ProblemBuilder::Family;

void add_tree(ProblemBuilder& builder, bool projective, bool single_root) {
  const Candidates& candidates = builder.candidates();
  factors::ArcSets arcs{1,
                        Offsets(static_cast<Index>(candidates.size())),
                        candidates.heads,
                        candidates.modifiers,
                        {candidates.num_words},
                        single_root};
  Family family;
  for (std::int32_t a = 0; a < candidates.size(); ++a) family.variables.push_back(a);
  builder.add(projective ? factors::make_projective_tree(std::move(arcs)) : factors::make_tree(std::move(arcs)),
              family);
}

/// One head for each word, or at most one.
void add_heads(ProblemBuilder& builder, bool at_most) {
  const Candidates& candidates = builder.candidates();
  Family family;
  for (std::int32_t m = 1; m <= candidates.num_words; ++m) {
    for (std::int32_t a = candidates.begin[at(m) - 1]; a < candidates.begin[at(m)]; ++a) family.variables.push_back(a);
    family.close();
  }
  builder.add(factors::make_logic(at_most ? "AtMostOne" : "ExactlyOne",
                                  at_most ? LogicRule::kAtMostOne : LogicRule::kExactlyOne, family.size(),
                                  Offsets(family.slots), {}),
              family);
}

void add_single_root(ProblemBuilder& builder) {
  const Candidates& candidates = builder.candidates();
  Family family;
  for (std::int32_t a = 0; a < candidates.size(); ++a) {
    if (candidates.heads[at(a)] == 0) family.variables.push_back(a);
  }
  family.close();
  builder.add(factors::make_logic("ExactlyOne", LogicRule::kExactlyOne, 1, Offsets(family.slots), {}), family);
}

/// Not both arcs of each pair.
void add_not_both(ProblemBuilder& builder, std::vector<std::int64_t> pairs) {
  if (pairs.empty()) return;
  Family family;
  family.variables = std::move(pairs);
  const auto count = static_cast<Index>(family.variables.size() / 2);
  builder.add(factors::make_logic("AtMostOne", LogicRule::kAtMostOne, count, Offsets(Index{2}), {}), family);
}

void add_not_two(ProblemBuilder& builder) {
  const Candidates& candidates = builder.candidates();
  std::vector<std::int64_t> pairs;
  for (std::int32_t m = 1; m <= candidates.num_words; ++m) {
    for (std::int32_t a = candidates.begin[at(m) - 1]; a < candidates.begin[at(m)]; ++a) {
      for (std::int32_t b = a + 1; b < candidates.begin[at(m)]; ++b) pairs.insert(pairs.end(), {a, b});
    }
  }
  add_not_both(builder, std::move(pairs));
}

void add_no_two_cycles(ProblemBuilder& builder) {
  const Candidates& candidates = builder.candidates();
  std::vector<std::int64_t> pairs;
  for (std::int32_t a = 0; a < candidates.size(); ++a) {
    const std::int32_t h = candidates.heads[at(a)];
    const std::int32_t m = candidates.modifiers[at(a)];
    const std::int32_t back = h > m ? candidates.find(m, h) : -1;
    if (back >= 0) pairs.insert(pairs.end(), {a, back});
  }
  add_not_both(builder, std::move(pairs));
}

}  // namespace

void add_tree_factors(ProblemBuilder& builder, TreeKind tree, bool single_root) {
  switch (tree) {
    case TreeKind::kNonProjective:
    case TreeKind::kProjective:
      return add_tree(builder, tree == TreeKind::kProjective, single_root);
    case TreeKind::kFlow:
      add_heads(builder, false);
      if (single_root) add_single_root(builder);
      return;
    case TreeKind::kExactlyOne:
    case TreeKind::kAtMostOne:
      return add_heads(builder, tree == TreeKind::kAtMostOne);
    case TreeKind::kNoTwoCycle:
      add_heads(builder, false);
      return add_no_two_cycles(builder);
    case TreeKind::kNotTwo:
      return add_not_two(builder);
  }
}

}  // namespace ramify::parsing
