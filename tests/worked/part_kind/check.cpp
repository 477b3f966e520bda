// Parts of all trees of a short sentence against the factors that carry them. Takes names of kinds, and returns 0 if in
// every factorization each tree has the sum of the scores of its parts, and if the decoder finds the best tree.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

#include "ramify/inference/dual.hpp"
#include "ramify/parsing/decoder.hpp"
#include "ramify/trees/projectivity.hpp"

using namespace ramify;
using namespace ramify::parsing;

namespace {

constexpr std::int32_t kWords = 4;

/// Every feature has a weight, between -1 and 1, that depends on its key alone.
class HashedWeights : public learn::WeightView {
 public:
  static double weight(Key key) { return static_cast<double>(learn::mix(key) >> 40) / (1 << 23) - 1.0; }
  double sum(std::span<const Key> keys) const override {
    double total = 0.0;
    for (const Key key : keys) total += weight(key);
    return total;
  }
  void label_sums(std::span<const Key> keys, std::span<const Key> labels, std::span<double> out) const override {
    for (std::size_t l = 0; l < labels.size(); ++l) {
      out[l] = 0.0;
      for (const Key key : keys) out[l] += weight(learn::with_label(key, labels[l]));
    }
  }
  void sums(std::span<const Key> keys, std::span<const std::uint32_t> ends, std::span<double> out) const override {
    std::uint32_t begin = 0;
    for (std::size_t i = 0; i < ends.size(); begin = ends[i++]) out[i] = sum(keys.subspan(begin, ends[i] - begin));
  }
};

Tokens make_tokens() {
  Tokens tokens;
  tokens.num_words = kWords;
  tokens.atoms.resize(kWords + 1);
  for (std::size_t w = 0; w < tokens.atoms.size(); ++w) {
    for (std::size_t a = 0; a < kNumAtoms; ++a) tokens.atoms[w][a] = learn::mix(w * kNumAtoms + a + 1);
  }
  tokens.tags.assign(kWords + 1, Vocabulary::kUnknownTag);
  tokens.punctuation.assign(kWords + 1, 0);
  tokens.feats_begin.assign(kWords + 2, 0);
  return tokens;
}

/// Every head for every word.
Candidates make_candidates() {
  Candidates candidates;
  candidates.num_words = kWords;
  candidates.begin.push_back(0);
  for (std::int32_t m = 1; m <= kWords; ++m) {
    for (std::int32_t h = 0; h <= kWords; ++h) {
      if (h == m) continue;
      candidates.heads.push_back(h);
      candidates.modifiers.push_back(m);
    }
    candidates.begin.push_back(candidates.size());
  }
  return candidates;
}

std::vector<std::vector<std::int32_t>> all_trees() {
  std::vector<std::vector<std::int32_t>> trees;
  for (int code = 0; code < std::pow(kWords + 1, kWords); ++code) {
    std::vector<std::int32_t> heads = {-1};
    for (int rest = code, m = 1; m <= kWords; ++m, rest /= kWords + 1) heads.push_back(rest % (kWords + 1));
    if (trees::is_tree(heads, false)) trees.push_back(heads);
  }
  return trees;
}

}  // namespace

int main(int count, char** names) {
  const PartChoice choice(std::vector<std::string>(names + 1, names + count));
  std::vector<TemplateSet> sets;
  for (const PartKind kind : choice.all()) sets.push_back(compile_templates(kind, {}, {}, false));
  const FeatureModel features(std::move(sets));
  const HashedWeights weights;
  const std::vector<Key> labels = {1};
  TagPairs pairs(2, labels.size());
  pairs.settle();
  const Tokens tokens = make_tokens();
  const Candidates candidates = make_candidates();
  Scorer scorer(features, weights, labels, pairs, choice);
  scorer.start(tokens);
  const ArcScores arcs = scorer.score_arcs(candidates, {}, nullptr, 0.0);

  double best = -std::numeric_limits<double>::infinity();
  double largest_error = 0.0;
  std::size_t num_parts = 0;
  for (const std::vector<std::int32_t>& heads : all_trees()) {
    double expected = 0.0;
    const std::vector<Part> parts = parts_of_tree(choice, heads, std::vector<std::int32_t>(kWords + 1, 0));
    for (const Part& part : parts) expected += scorer.score(part);
    num_parts += parts.size() - 2 * kWords;
    best = std::max(best, expected);
    for (const Factorization way : {Factorization::kTight, Factorization::kLoose, Factorization::kApart}) {
      const ParseProblem problem = build_problem(candidates, arcs.scores, scorer, TreeKind::kNonProjective, false, way);
      std::vector<std::int32_t> on(candidates.heads.size(), 0);
      for (std::int32_t m = 1; m <= kWords; ++m) {
        on[static_cast<std::size_t>(candidates.find(heads[static_cast<std::size_t>(m)], m))] = 1;
      }
      const std::vector<double> scores = problem.unary();
      const double value = inference::value_of({*problem.graph, scores, problem.part_scores},
                                               with_consequences(candidates, problem, on)) +
                           problem.constant;
      largest_error = std::max(largest_error, std::abs(value - expected));
    }
  }
  DecoderOptions options{};
  options.tree = TreeKind::kNonProjective;
  options.method = Method::kExact;
  options.node_iterations = 20;
  options.ad3.adapt_penalty = true;
  options.ad3.cutoff = -std::numeric_limits<double>::infinity();
  options.ad3.max_iterations = 1000;
  options.ad3.tolerance = 1e-9;
  options.ad3.penalty = 0.1;
  options.ad3.relaxation = 1.0;
  options.ad3.check_every = 10;
  options.ad3.time_limit = 60.0;
  options.max_nodes = 1000;
  options.temperature = 1.0;
  DecoderScratch scratch;
  const double found = Decoder(candidates, arcs, scorer, options, scratch).solve().tree.value;
  std::cout << num_parts << " parts, best tree " << best << ", found " << found << ", error " << largest_error << "\n";
  return num_parts > 0 && largest_error < 1e-9 && std::abs(found - best) < 1e-6 ? 0 : 1;
}
