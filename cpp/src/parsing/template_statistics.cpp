#include "ramify/parsing/template_statistics.hpp"

#include <algorithm>
#include <cmath>

#include "ramify/learn/weight_store.hpp"
#include "ramify/numeric/index.hpp"
#include "ramify/numeric/parallel.hpp"

namespace ramify::parsing {

namespace {

constexpr std::size_t kMostSentences = 4000;  // more change the ranks of templates little, and take long
constexpr std::size_t kBlock = 16;            // templates whose events are in memory together

/// A part that could be in the tree of an example.
struct Candidate {
  Part part;
  bool gold;
};

std::vector<const Example*> sample(std::span<const Example> examples) {
  std::vector<const Example*> usable;
  for (const Example& example : examples) {
    if (example.usable && example.candidates.size() > 0) usable.push_back(&example);
  }
  const std::size_t step = (usable.size() + kMostSentences - 1) / kMostSentences;
  std::vector<const Example*> out;
  for (std::size_t i = 0; i < usable.size(); i += step) out.push_back(usable[i]);
  return out;
}

/// The parts of all kinds but labels among the candidate arcs.
std::vector<Part> candidate_parts(const Example& example, const DecoderOptions& options, Scorer& scorer) {
  scorer.start(example.tokens);
  const std::vector<double> scores(at(example.candidates.size()));
  const ParseProblem problem =
      build_problem(example.candidates, scores, scorer, options.tree, options.single_root, Factorization::kLoose);
  std::vector<Part> parts = problem.names;
  for (const VariablePart& variable : problem.variable_parts) parts.push_back(variable.part);
  for (std::int32_t a = 0; a < example.candidates.size(); ++a) {
    parts.push_back({PartKind::kArc, 0, {example.candidates.heads[at(a)], example.candidates.modifiers[at(a)], 0, 0}});
  }
  return parts;
}

/// All candidates of an example, by kind.
std::vector<std::vector<Candidate>> candidates_of(const ParserModel& model, const Example& example, Scorer& scorer) {
  std::vector<Part> gold = parts_of_tree(model.options().parts, example.heads, example.labels);
  std::ranges::sort(gold);
  std::vector<Part> parts = candidate_parts(example, model.options().decoder, scorer);
  for (std::int32_t m = 1; m <= example.tokens.num_words; ++m) {
    const std::int32_t h = example.heads[at(m)];
    for (const std::int32_t label : model.pairs().labels(example.tokens.tags[at(h)], example.tokens.tags[at(m)])) {
      parts.push_back({PartKind::kLabel, label, {h, m, 0, 0}});
    }
  }
  std::ranges::sort(parts);
  const auto repeated = std::ranges::unique(parts);
  parts.erase(repeated.begin(), repeated.end());
  std::vector<std::vector<Candidate>> out(kNumPartKinds);
  for (const Part& part : parts) {
    out[static_cast<std::size_t>(part.kind)].push_back({part, std::ranges::binary_search(gold, part)});
  }
  return out;
}

double xlog2(double x) { return x > 0.0 ? x * std::log2(x) : 0.0; }

/// Keys of features that occurred, each with whether its part was in the tree in place of its lowest bit. As a share of
/// all information there is about that, so that kinds can be compared; within a kind this changes no rank.
double mutual_information(std::vector<Key>& events) {
  if (events.empty()) return 0.0;
  std::ranges::sort(events);
  const auto total = static_cast<double>(events.size());
  const auto count_gold = [](const Key event) { return (event & 1U) != 0; };
  const auto all_gold = static_cast<double>(std::ranges::count_if(events, count_gold));
  const double share[] = {(total - all_gold) / total, all_gold / total};
  double information = 0.0;
  for (std::size_t i = 0; i < events.size();) {
    const Key feature = events[i] >> 1U;
    double counts[] = {0.0, 0.0};
    for (; i < events.size() && events[i] >> 1U == feature; ++i) counts[events[i] & 1U] += 1.0;
    for (const int a : {0, 1}) {
      if (counts[a] == 0.0) continue;
      information += counts[a] / total * std::log2(counts[a] / ((counts[0] + counts[1]) * share[a]));
    }
  }
  const double most = -(xlog2(share[0]) + xlog2(share[1]));
  return most > 0.0 ? information / most : 0.0;
}

}  // namespace

std::vector<double> information_gain(const ParserModel& model, std::span<const Example> examples, int num_threads) {
  const std::vector<const Example*> chosen = sample(examples);
  const learn::WeightStore empty(learn::FeatureSet::kComplete, 0, {});
  const learn::CurrentWeights no_weights(empty);
  const FeatureModel no_features = model.features().only({});
  std::vector<std::vector<std::vector<Candidate>>> candidates(chosen.size());
  numeric::parallel_for(static_cast<std::int64_t>(chosen.size()), num_threads, [&](int, std::int64_t i) {
    Scorer scorer = model.scorer(no_weights, no_features);
    candidates[at(i)] = candidates_of(model, *chosen[at(i)], scorer);
  });
  std::vector<double> gains(learn::kMostTemplates, 0.0);
  for (const PartKind kind : model.options().parts.all()) {
    const std::size_t first = model.features().first_template(kind);
    const std::size_t size = model.features().of(kind).size();
    const auto num_blocks = static_cast<std::int64_t>((size + kBlock - 1) / kBlock);
    numeric::parallel_for(num_blocks, num_threads, [&](int, std::int64_t block) {
      const std::size_t begin = at(block) * kBlock;
      const std::size_t end = std::min(begin + kBlock, size);
      std::vector<bool> marked(learn::kMostTemplates);
      for (std::size_t t = begin; t < end; ++t) marked[first + t] = true;
      const FeatureModel features = model.features().only(marked);
      Scorer scorer = model.scorer(no_weights, features);
      std::vector<std::vector<Key>> events(end - begin);
      std::vector<Key> keys;
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        scorer.start(chosen[i]->tokens);
        for (const Candidate& candidate : candidates[i][static_cast<std::size_t>(kind)]) {
          scorer.keys_with_templates(candidate.part, keys);
          for (const Key key : keys) {
            const std::size_t t = learn::template_of(key) - features.first_template(kind);
            events[t].push_back(((key & ~learn::kTemplate) & ~Key{1}) | (candidate.gold ? 1U : 0U));
          }
        }
      }
      for (std::size_t t = begin; t < end; ++t) gains[first + t] = mutual_information(events[t - begin]);
    });
  }
  gains.resize(model.features().num_templates());
  return gains;
}

void add_contributions(const ParserModel& model, const Example& example, std::vector<double>& sums) {
  Scorer scorer = model.scorer(model.weights());
  scorer.start(example.tokens);
  sums.resize(model.features().num_templates());
  std::vector<Key> keys;
  for (const Part& part : parts_of_tree(model.options().parts, example.heads, example.labels)) {
    if (part.label < 0) continue;  // unknown to the model
    scorer.keys_with_templates(part, keys);
    for (const Key key : keys) sums[learn::template_of(key)] += std::abs(model.weights().weight(key));
  }
}

}  // namespace ramify::parsing
