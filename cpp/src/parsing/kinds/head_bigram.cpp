// A word, its head, and the head of the word before.
#include <cstdlib>

#include "ramify/factors/sequence.hpp"
#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/kinds/relations.hpp"
#include "ramify/parsing/problem_builder.hpp"

namespace ramify::parsing {

namespace {

constexpr TemplateGroup kTemplates[] = {
    {"head-bigram",
     "w.p h.p q.p, w.p-1 w.p h.p q.p, w.t-1 w.t h.t q.t, w.p-1 w.p h.w q.p, w.p-1 w.p h.p q.w, "
     "w.w w.p-1 h.p q.p, w.w-1 w.p h.p q.p, h.w q.w, w.p-2 w.p-1 w.p w.p+1 h.p q.p"},
};

int relation(const Roles& r, std::int32_t) {
  return pack_relation(distance_bin(std::abs(r[1] - r[2]) + 1),
                       order(r[1], r[0]) + 2 * order(r[2], r[0] - 1) + 4 * order(r[1], r[2]));
}

std::string describe(unsigned directions) {
  return order_text("h", "w", directions, 0) + " " + order_text("q", "w-1", directions, 1) + " " +
         order_text("h", "q", directions, 2);
}

void read(const TreeView& tree, std::vector<Part>& out) {
  const std::int32_t w = tree.word;
  if (w > 1) out.push_back({PartKind::kHeadBigram, 0, {w, tree.head_of(w), tree.head_of(w - 1), 0}});
}

/// One sequence over the whole sentence.
void add_factors(ProblemBuilder& builder) {
  const Candidates& candidates = builder.candidates();
  const std::int32_t n = candidates.num_words;
  if (n < 2) return;
  ProblemBuilder::Family family;
  for (std::int32_t a = 0; a < candidates.size(); ++a) family.variables.push_back(a);
  for (std::int32_t w = 1; w <= n; ++w) {
    family.counts.push_back(static_cast<std::int32_t>(candidates.heads_of(w).size()));
  }
  for (std::int32_t w = 2; w <= n; ++w) {
    for (const std::int32_t q : candidates.heads_of(w - 1)) {
      for (const std::int32_t h : candidates.heads_of(w)) {
        const Part part{PartKind::kHeadBigram, 0, {w, h, q, 0}};
        family.scores.push_back(builder.scorer().score(part));
        family.name({part});
      }
    }
  }
  builder.add(factors::make_head_bigram(1, factors::Offsets(static_cast<factors::Index>(n)), family.counts), family);
}

}  // namespace

constinit const Kind kinds::kHeadBigram = {.names = {"head-bigram", "whq", "{h} → {w}, {q} → {w-1}"},
                                           .templates = kTemplates,
                                           .relation = {relation, describe},
                                           .reading = {Place::kWord, read},
                                           .factors = {add_factors}};

}  // namespace ramify::parsing
