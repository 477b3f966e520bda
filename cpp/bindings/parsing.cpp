#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "members.hpp"
#include "norms.hpp"
#include "parsing.hpp"
#include "ramify/learn/freeze.hpp"
#include "ramify/numeric/parallel.hpp"
#include "ramify/parsing/template_statistics.hpp"
#include "ramify/parsing/trainer.hpp"
#include "states.hpp"

using namespace nanobind::literals;

namespace ramify::bindings {
namespace {

using namespace ramify::parsing;
using learn::FeatureSet;
using learn::FrozenWeights;

template <class T>
std::vector<T> strings(std::span<const T> values) {
  return {values.begin(), values.end()};
}

void register_options(nb::module_& m) {
  add_enum<TreeKind>(m, "TreeKind", "NONPROJECTIVE", TreeKind::kNonProjective, "PROJECTIVE", TreeKind::kProjective,
                     "FLOW", TreeKind::kFlow, "EXACTLY_ONE", TreeKind::kExactlyOne, "NO_TWO_CYCLE",
                     TreeKind::kNoTwoCycle, "AT_MOST_ONE", TreeKind::kAtMostOne, "NOT_TWO", TreeKind::kNotTwo);
  add_enum<Factorization>(m, "Factorization", "TIGHT", Factorization::kTight, "LOOSE", Factorization::kLoose, "APART",
                          Factorization::kApart);
  add_enum<Method>(m, "Method", "AD3", Method::kAd3, "EXACT", Method::kExact, "BELIEF_PROPAGATION",
                   Method::kBeliefPropagation, "RELAX", Method::kRelax, "DYNAMIC_PROGRAM", Method::kDynamicProgram,
                   "SUBGRADIENT", Method::kSubgradient);
  nb::class_<ModelOptions>(m, "ModelOptions")
      .def(
          "__init__",
          [](ModelOptions* self, const PartChoice& parts, TreeKind tree, bool single_root, double threshold,
             std::int32_t max_heads, bool use_lengths, const inference::Ad3Options& ad3, Method method,
             std::int64_t node_iterations, std::int64_t max_nodes, double subgradient_step, std::int64_t bp_iterations,
             double bp_tolerance, double relax_gain, std::int64_t relax_rounds, double temperature,
             const In<double>& curve, std::vector<std::string> templates, std::vector<std::string> without,
             std::vector<std::string> empty) {
            new (self)
                ModelOptions{parts,
                             {threshold, max_heads, use_lengths, single_root, tree == TreeKind::kProjective},
                             {tree, single_root, method, ad3, node_iterations, max_nodes, subgradient_step,
                              bp_iterations, bp_tolerance, relax_gain, relax_rounds, false, temperature, copy(curve)},
                             {std::move(templates), std::move(without)},
                             std::move(empty)};
          },
          nb::kw_only(), "parts"_a, "tree"_a, "single_root"_a, "threshold"_a, "max_heads"_a, "use_lengths"_a, "ad3"_a,
          "method"_a, "node_iterations"_a, "max_nodes"_a, "subgradient_step"_a, "bp_iterations"_a, "bp_tolerance"_a,
          "relax_gain"_a, "relax_rounds"_a, "temperature"_a, "curve"_a, "templates"_a, "without"_a, "empty"_a);
  nb::class_<TrainerOptions>(m, "TrainerOptions")
      .def(
          "__init__",
          [](TrainerOptions* self, const learn::Loss& loss, const learn::OptimizerOptions& optimizer,
             const learn::RegularizerOptions& regularizer, FeatureSet set, std::uint64_t buckets, std::int64_t batch,
             double head_cost, double label_cost, int threads, std::int64_t epochs, double hottest, double coldest,
             double risk_share, double threshold, bool live_only) {
            expect(set != FeatureSet::kBuckets || buckets > 0, "num_buckets expects at least 1.");
            expect(regularizer.rows == 0.0, "Groups of a feature with its labels expect a tagger's weights.");
            expect(set != FeatureSet::kBuckets || regularizer.sets.empty(),
                   "Groups of templates expect weights that are not in buckets.");
            expect(set != FeatureSet::kSupported || !regularizer.forgets(),
                   "Penalties that forget weights expect complete features, so that gradients can bring them back.");
            expect(optimizer.method != learn::Method::kAutomatic || regularizer.l2 == 0.0,
                   "The automatic step expects no L2 penalty: its rate is what keeps weights small.");
            expect(batch >= 1, "batch expects at least 1.");
            expect_threads(threads);
            new (self) TrainerOptions{{loss, optimizer, regularizer, set, buckets, batch},
                                      head_cost,
                                      label_cost,
                                      threads,
                                      epochs,
                                      hottest,
                                      coldest,
                                      risk_share,
                                      threshold,
                                      live_only};
          },
          "loss"_a, "optimizer"_a, "regularizer"_a, "feature_set"_a, "num_buckets"_a, "batch"_a, "head_cost"_a,
          "label_cost"_a, "num_threads"_a, "epochs"_a, "hottest"_a, "coldest"_a, "risk_share"_a, "threshold"_a,
          "live_only"_a);
}

void expect_constraints(const ParserModel& model, const data::Sentence& sentence,
                        const std::vector<Constraint>& constraints) {
  const auto n = static_cast<std::int64_t>(sentence.num_words());
  const auto num_labels = static_cast<std::int64_t>(model.labels().size());
  for (const Constraint& c : constraints) {
    expect_within("word of a constraint", c.word, 1, n);
    const bool is_label = c.kind == Constraint::Kind::kLabel;
    expect_within("value of a constraint", c.value, 0, is_label ? num_labels - 1 : n);
  }
}

/// Annotates the sentences in place. constraints: none, or a list per sentence. Sentences are read and written with
/// Python's lock: other threads may have them too, and the same one may be there twice.
std::vector<Parse> parse_all(const ParserModel& model, const std::vector<data::Sentence*>& sentences,
                             const ParseRequest& request, const std::vector<std::vector<Constraint>>& constraints,
                             int num_threads, const std::vector<const neural::Output*>& outputs) {
  expect_objects("sentences", sentences);
  if (!outputs.empty() || model.network() != nullptr) expect_size("outputs", outputs.size(), sentences.size());
  expect_threads(num_threads);
  if (!constraints.empty()) expect_size("constraints", constraints.size(), sentences.size());
  std::vector<Tokens> tokens(sentences.size());
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (!constraints.empty()) expect_constraints(model, *sentences[i], constraints[i]);
    expect_output(model, *sentences[i], outputs.empty() ? nullptr : outputs[i]);
    tokens[i] = model.vocabulary().encode(*sentences[i]);
  }
  std::vector<Parse> parses(sentences.size());
  {
    const nb::gil_scoped_release release;
    std::vector<ParseScratch> scratch(
        std::min(static_cast<std::size_t>(num_threads), std::max<std::size_t>(tokens.size(), 1)));
    // The longest first: one that is begun last would have the other threads wait for it.
    std::vector<std::size_t> order(tokens.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return tokens[i].num_words; });
    numeric::parallel_for(static_cast<std::int64_t>(tokens.size()), num_threads, [&](int worker, std::int64_t item) {
      const std::size_t i = order[static_cast<std::size_t>(item)];
      const std::span<const Constraint> mine = constraints.empty() ? std::span<const Constraint>() : constraints[i];
      parses[i] = model.parse(tokens[i], request, mine, scratch[static_cast<std::size_t>(worker)],
                              outputs.empty() ? nullptr : outputs[i]);
    });
  }
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    if (parses[i].status == ParseStatus::kParsed) annotate(*sentences[i], parses[i].tree, model.labels());
  }
  return parses;
}

/// A sentence to learn from, whose heads are words that it has, or none.
Example checked_example(const data::Sentence& sentence, const Vocabulary& vocabulary,
                        std::span<const std::string> labels) {
  expect_within("heads", sentence.heads(), data::kNoHead, static_cast<std::int64_t>(sentence.num_words()));
  return make_example(sentence, vocabulary, labels);
}

TagPairs count_pairs(const Vocabulary& vocabulary, const std::vector<std::string>& labels,
                     const std::vector<const data::Sentence*>& sentences) {
  expect_objects("sentences", sentences);
  TagPairs pairs(vocabulary.num_tags(), labels.size());
  for (const data::Sentence* sentence : sentences) {
    const Example example = checked_example(*sentence, vocabulary, labels);
    for (std::size_t m = 1; m < example.heads.size(); ++m) {
      expect(example.heads[m] < 0 || example.labels[m] >= 0, "labels expect all of those of the sentences.");
    }
    pairs.count(example.tokens, example.heads, example.labels);
  }
  pairs.settle();
  return pairs;
}

std::vector<Example> examples(const ParserModel& model, const std::vector<const data::Sentence*>& sentences) {
  expect_objects("sentences", sentences);
  std::vector<Example> out;
  out.reserve(sentences.size());
  for (const data::Sentence* sentence : sentences) {
    out.push_back(checked_example(*sentence, model.vocabulary(), model.labels()));
  }
  return out;
}

/// The factor graph of a sentence, with what its variables are.
struct SentenceProblem {
  SentenceProblem() = default;
  SentenceProblem(const SentenceProblem&) = delete;
  SentenceProblem& operator=(const SentenceProblem&) = delete;
  Candidates candidates;
  ParseProblem problem;
};

std::unique_ptr<SentenceProblem> problem_of(const ParserModel& model, const data::Sentence& sentence,
                                            Factorization factorization, bool projective,
                                            const neural::Output* output) {
  expect_output(model, sentence, output);
  const Tokens tokens = model.vocabulary().encode(sentence);
  const nb::gil_scoped_release release;
  auto out = std::make_unique<SentenceProblem>();
  ParseScratch scratch;
  out->problem = model.problem(tokens, factorization, projective, out->candidates, scratch, output);
  return out;
}

void register_problem(nb::module_& m) {
  nb::class_<SentenceProblem>(m, "SentenceProblem")
      .def("heads", [](const SentenceProblem& p) { return hand_over(p.candidates.heads); })
      .def("modifiers", [](const SentenceProblem& p) { return hand_over(p.candidates.modifiers); })
      .def("scores", [](const SentenceProblem& p) { return hand_over(p.problem.unary()); })
      .def("part_scores", [](const SentenceProblem& p) { return hand_over(p.problem.part_scores); })
      .def_prop_ro("constant", [](const SentenceProblem& p) { return p.problem.constant; })
      // The problem owns the groups that the graph points into.
      .def_prop_ro(
          "graph", [](const SentenceProblem& p) { return &*p.problem.graph; }, nb::rv_policy::reference_internal);
}

void register_model(nb::module_& m) {
  nb::class_<Vocabulary>(m, "Vocabulary")
      .def(nb::init<>())
      .def(
          "count",
          [](Vocabulary& self, const std::vector<const data::Sentence*>& sentences) {
            expect_objects("sentences", sentences);
            for (const data::Sentence* sentence : sentences) self.count(*sentence);
          },
          "sentences"_a)
      .def("settle", &Vocabulary::settle, "frequent"_a)
      .def(
          "restore",
          [](Vocabulary& self, std::vector<std::string> tags, const In<Key>& forms) {
            expect(tags.size() >= 2, "tags expect those of the root and of what is unknown first.");
            expect_within("number of tags", static_cast<std::int64_t>(tags.size()), 2, Vocabulary::kMostTags);
            self.restore(std::move(tags), copy(forms));
          },
          "tags"_a, "frequent_forms"_a)
      .def_prop_ro("tags", [](const Vocabulary& self) { return strings(self.tags()); })
      .def("frequent_forms", [](const Vocabulary& self) { return hand_over(strings(self.frequent_forms())); });
  nb::class_<TagPairs>(m, "TagPairs")
      .def(
          "__init__",
          [](TagPairs* self, std::size_t num_tags, std::size_t num_labels, const In<std::int32_t>& longest,
             const In<std::uint8_t>& allowed) {
            expect_within("num_tags", static_cast<std::int64_t>(num_tags), 0, Vocabulary::kMostTags);
            expect_within("num_labels", static_cast<std::int64_t>(num_labels), 0, 1 << 20);
            expect_size("longest", longest, static_cast<std::int64_t>(2 * num_tags * num_tags));
            expect_size("allowed", allowed, static_cast<std::int64_t>(num_tags * num_tags * num_labels));
            new (self) TagPairs(num_tags, num_labels, copy(longest), copy(allowed));
          },
          "num_tags"_a, "num_labels"_a, "longest"_a, "allowed"_a)
      .def("longest", [](const TagPairs& self) { return hand_over(self.longest_arcs()); })
      .def("allowed", [](const TagPairs& self) { return hand_over(self.allowed_labels()); });
  m.def("count_pairs", &count_pairs, "vocabulary"_a, "labels"_a, "sentences"_a);
  nb::class_<ParserModel> model(m, "ParserModel");
  model
      .def(
          "__init__",
          [](ParserModel* self, const ModelOptions& options, const Vocabulary& vocabulary,
             std::vector<std::string> labels, const TagPairs& pairs, const In<float>& pruner_weights) {
            expect(!labels.empty(), "labels expect at least one.");
            expect_size("tags of pairs", pairs.num_tags(), vocabulary.num_tags());
            expect_size("labels of pairs", pairs.num_labels(), labels.size());
            expect(std::ranges::all_of(view(pruner_weights),
                                       [](float w) { return w < std::numeric_limits<float>::infinity(); }),
                   "pruner_weights expect numbers below infinity.");  // one of -inf forbids its arcs
            expect(std::has_single_bit(pruner_weights.size()) && pruner_weights.size() >= 2,
                   "pruner_weights expect a power of two of them.");
            new (self) ParserModel(options, vocabulary, std::move(labels), pairs, copy(pruner_weights));
          },
          "options"_a, "vocabulary"_a, "labels"_a, "pairs"_a, "pruner_weights"_a)
      .def("pruner_weights", [](const ParserModel& self) { return hand_over(self.pruner_weights()); })
      .def(
          "set_weights",
          [](ParserModel& self, const In<Key>& keys, const In<std::int16_t>& weights, double scale,
             std::uint64_t num_buckets) {
            expect_size("weights", weights, static_cast<std::int64_t>(keys.size()));
            expect(std::isfinite(scale), "scale expects a finite number.");
            self.set_weights(FrozenWeights(view(keys), view(weights), scale, num_buckets));
          },
          "keys"_a, "weights"_a, "scale"_a, "num_buckets"_a)
      .def(
          "set_network",
          [](ParserModel& self, std::shared_ptr<neural::Network> network) {
            expect_size("labels of the network", network->num_labels(), self.labels().size());
            for (const PartKind kind : self.options().parts.chosen()) {
              expect(NetworkScores::can_score(kind) && network->rank() > 0, "The network does not score these parts.");
            }
            self.set_network(std::move(network));
          },
          "network"_a)
      .def("problem", &problem_of, "sentence"_a, "factorization"_a, "projective"_a, nb::arg("output").none())
      .def("parse", &parse_all, "sentences"_a, "request"_a, "constraints"_a, "num_threads"_a, "outputs"_a)
      .def(
          "contributions",
          [](const ParserModel& self, const std::vector<const data::Sentence*>& sentences) {
            std::vector<double> sums(self.features().num_templates());
            for (const Example& example : examples(self, sentences)) {
              const auto heads = std::span(example.heads).subspan(1);
              if (std::ranges::all_of(heads, [](std::int32_t h) { return h >= 0; })) {
                add_contributions(self, example, sums);
              }
            }
            return hand_over(std::move(sums));
          },
          "sentences"_a);
  define_parts(model);
}

/// For whatever needs candidates.
template <class T>
T& pruned(T& trainer) {
  expect(trainer.has_candidates(), "A trainer expects candidates first; call prune.");
  return trainer;
}

std::tuple<double, Out<Key>, Out<float>> trainer_gradient(const Trainer& self, std::int64_t sentence) {
  Trainer::LossGradient out;
  {
    const nb::gil_scoped_release release;
    out = pruned(self).loss_and_gradient(sentence);
  }
  return {out.loss, hand_over(std::move(out.keys)), hand_over(std::move(out.values))};
}

/// Sentences that the trainer has; a copy, as other threads may change the array.
std::vector<std::int64_t> checked_order(const Trainer& self, const In<std::int64_t>& order) {
  std::vector<std::int64_t> numbers = copy(order);
  expect_within("order", std::span<const std::int64_t>(numbers), 0, static_cast<std::int64_t>(self.num_examples()) - 1);
  return numbers;
}

void register_trainer(nb::module_& m) {
  nb::class_<Trainer>(m, "Trainer")
      .def(
          "__init__",
          [](Trainer* self, ParserModel& model, const TrainerOptions& options,
             const std::vector<const data::Sentence*>& train, const std::vector<const data::Sentence*>& dev) {
            std::vector<Example> learned = examples(model, train), measured = examples(model, dev);
            const nb::gil_scoped_release release;
            new (self) Trainer(model, options, std::move(learned), std::move(measured));
          },
          "model"_a, "options"_a, "train"_a, "dev"_a, nb::keep_alive<1, 2>())
      .def(
          "train_pruner",
          [](Trainer& self, const In<std::int64_t>& order, double rate) {
            const std::vector<std::int64_t> numbers = checked_order(self, order);
            expect(rate >= 0.0 && std::isfinite(rate), "rate expects a number of at least 0.");
            const nb::gil_scoped_release release;
            return self.train_pruner(numbers, rate);
          },
          "order"_a, "rate"_a)
      .def("prune", &Trainer::prune, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "run",
          [](Trainer& self, const In<std::int64_t>& order) {
            const std::vector<std::int64_t> numbers = checked_order(self, order);
            const nb::gil_scoped_release release;
            return pruned(self).run(numbers);
          },
          "order"_a)
      .def("evaluate",
           [](const Trainer& self) {
             const nb::gil_scoped_release release;
             return pruned(self).evaluate();
           })
      .def("loss_and_gradient", &trainer_gradient, "sentence"_a)
      .def_prop_ro("num_weights", [](const Trainer& self) { return self.learner().store().size(); })
      .def("information_gain",
           [](const Trainer& self) {
             std::vector<double> gains;
             {
               const nb::gil_scoped_release release;
               gains = information_gain(pruned(self).model(), self.train(), self.options().num_threads);
             }
             return hand_over(std::move(gains));
           })
      .def("live_templates", [](const Trainer& self) { return hand_over(strings(std::span(self.live_templates()))); })
      .def_prop_ro("most_weights", [](const Trainer& self) { return self.learner().store().most(); })
      .def(
          "template_norms",
          [](const Trainer& self, bool averaged) {
            const learn::Learner& learner = self.learner();
            return norm_arrays(learner.store().template_norms(averaged ? learner.averaging_time() : 0.0));
          },
          "averaged"_a)
      .def(
          "set_budgets", [](Trainer& self, const In<std::int64_t>& budgets) { self.set_budgets(view(budgets)); },
          "budgets"_a)
      .def("support",
           [](const Trainer& self) {
             std::vector<Key> keys;
             for (const auto& [key, weight] : self.learner().store().weights(0.0)) {
               if (weight != 0.0) keys.push_back(key);
             }
             return hand_over(std::move(keys));
           })
      .def(
          "restrict_to", [](Trainer& self, const In<Key>& keys) { self.restrict_to(view(keys)); }, "keys"_a)
      .def("state", [](const Trainer& self) { return save_state(self); })
      .def(
          "restore", [](Trainer& self, const StateDict& state) { self.restore(to_state(state)); }, "state"_a)
      .def(
          "freeze",
          [](Trainer& self, std::size_t max_weights) {
            learn::QuantisedWeights out;
            {
              const nb::gil_scoped_release release;
              const learn::Learner& learner = self.learner();
              out = learn::freeze(learner.store(), {learner.averaging_time(), max_weights, 0.0});
            }
            const auto [counts, squares] = norm_arrays(out.templates);
            return std::make_tuple(hand_over(std::move(out.keys)), hand_over(std::move(out.weights)), out.scale, counts,
                                   squares);
          },
          "max_weights"_a);
}

}  // namespace

void register_parsing(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("parsing", "The dependency parser.");
  for (auto* add :
       {register_part_kinds, register_results, register_options, register_problem, register_model, register_trainer})
    add(m);
}

}  // namespace ramify::bindings
