#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "members.hpp"
#include "norms.hpp"
#include "ramify/data/sentence.hpp"
#include "ramify/numeric/parallel.hpp"
#include "ramify/tagging/trainer.hpp"
#include "states.hpp"

using namespace nanobind::literals;

namespace ramify::bindings {
namespace {

using namespace ramify::tagging;

using Texts = std::vector<std::string>;
using Allowed = std::vector<std::vector<std::uint16_t>>;  // per word

/// Sentences in any of the forms that Python has them in; item i is asked for by one thread at a time.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::size_t size() const = 0;
  /// Before load(): has it what the model reads?
  virtual void expect_fits(const TaggerModel&) const {}
  /// Fills scratch.words, scratch.sets and scratch.lengths.
  virtual void load(const TaggerModel& model, std::size_t i, TagScratch& scratch) const = 0;
};

/// Copies: other threads may change the sentences.
class TreebankSource : public Source {
 public:
  TreebankSource(const std::vector<const data::Sentence*>& sentences, std::vector<data::Column> columns)
      : columns_(std::move(columns)) {
    expect_objects("sentences", sentences);
    for (const data::Sentence* sentence : sentences) sentences_.push_back(*sentence);
  }
  std::size_t size() const override { return sentences_.size(); }
  void expect_fits(const TaggerModel& model) const override {
    expect_size("columns", columns_.size(), model.options().columns.size());
  }
  void load(const TaggerModel& model, std::size_t i, TagScratch& scratch) const override {
    const data::Sentence& sentence = sentences_[i];
    scratch.columns.resize(columns_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      scratch.columns[c].clear();
      for (std::size_t w = 0; w < sentence.num_words(); ++w) {
        scratch.columns[c].push_back(sentence.cell(sentence.word_row(w), columns_[c]));
      }
    }
    model.read(scratch);
  }

 private:
  std::vector<data::Sentence> sentences_;
  std::vector<data::Column> columns_;
};

class ColumnSource : public Source {
 public:
  explicit ColumnSource(std::vector<std::vector<Texts>> sentences) : sentences_(std::move(sentences)) {
    for (const std::vector<Texts>& columns : sentences_) {
      for (const Texts& column : columns) expect_size("words of a column", column.size(), columns[0].size());
    }
  }
  void expect_fits(const TaggerModel& model) const override {
    for (const std::vector<Texts>& columns : sentences_) {
      expect_size("columns", columns.size(), model.options().columns.size());
    }
  }
  std::size_t size() const override { return sentences_.size(); }
  void load(const TaggerModel& model, std::size_t i, TagScratch& scratch) const override {
    const std::vector<Texts>& columns = sentences_[i];
    scratch.columns.resize(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) scratch.columns[c].assign(columns[c].begin(), columns[c].end());
    model.read(scratch);
  }

 private:
  std::vector<std::vector<Texts>> sentences_;
};

/// Features that a caller made: names, and numbers to go with them where they are not all 1.
class FeatureSource : public Source {
 public:
  FeatureSource(const std::vector<std::vector<Texts>>& names,
                const std::vector<std::vector<std::vector<float>>>& values) {
    if (!values.empty()) expect_size("sentences of values", values.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      WordFeatures words;
      words.begin.push_back(0);
      if (!values.empty()) expect_size("words of values", values[i].size(), names[i].size());
      for (std::size_t w = 0; w < names[i].size(); ++w) {
        for (const std::string& name : names[i][w]) words.keys.push_back(learn::hash_text(name));
        if (!values.empty()) expect_size("values", values[i][w].size(), names[i][w].size());
        if (!values.empty()) words.values.insert(words.values.end(), values[i][w].begin(), values[i][w].end());
        words.begin.push_back(static_cast<std::uint32_t>(words.keys.size()));
      }
      sentences_.push_back(std::move(words));
    }
  }
  std::size_t size() const override { return sentences_.size(); }
  void load(const TaggerModel&, std::size_t i, TagScratch& scratch) const override {
    scratch.words = sentences_[i];
    scratch.sets.assign(scratch.words.num_words(), 0);
    scratch.lengths.assign(scratch.words.num_words(), 0);
  }

 private:
  std::vector<WordFeatures> sentences_;
};

/// Labels that the model has, each word's in ascending order; none for a sentence or a word: all.
void expect_allowed(const TaggerModel& model, std::size_t num_sentences, const std::vector<Allowed>& allowed) {
  if (!allowed.empty()) expect_size("allowed", allowed.size(), num_sentences);
  for (const Allowed& words : allowed) {
    for (const std::vector<std::uint16_t>& labels : words) {
      expect_within("allowed", std::span<const std::uint16_t>(labels), 0,
                    static_cast<std::int64_t>(model.num_labels()) - 1);
      expect(std::ranges::is_sorted(labels, std::less_equal<>()), "allowed expects labels that ascend.");
    }
  }
}

std::vector<Tagging> tag_all(const TaggerModel& model, const Source& source, bool with_marginals, std::size_t k,
                             const std::vector<Allowed>& allowed, int num_threads) {
  expect_threads(num_threads);
  source.expect_fits(model);
  expect_allowed(model, source.size(), allowed);
  const nb::gil_scoped_release release;
  std::vector<Tagging> out(source.size());
  std::vector<TagScratch> scratch(std::min(static_cast<std::size_t>(num_threads), out.size() + 1));
  numeric::parallel_for(static_cast<std::int64_t>(out.size()), num_threads, [&](int worker, std::int64_t item) {
    const auto i = static_cast<std::size_t>(item);
    TagScratch& mine = scratch[static_cast<std::size_t>(worker)];
    source.load(model, i, mine);
    TagRequest request{with_marginals, k, {}};
    if (!allowed.empty()) request.allowed = allowed[i];
    if (!request.allowed.empty()) expect_size("allowed", request.allowed.size(), mine.words.num_words());
    out[i] = model.tag(request, mine);
  });
  return out;
}

void set_cells(const std::vector<data::Sentence*>& sentences, data::Column column,
               const std::vector<Tagging*>& taggings, const Texts& names) {
  expect_objects("sentences", sentences);
  expect_objects("taggings", taggings);
  expect_size("taggings", taggings.size(), sentences.size());
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::vector<std::uint16_t>& labels = taggings[i]->best.labels;
    expect(labels.size() <= sentences[i]->num_words(), "taggings expect to be of the sentences.");
    expect_within("labels", std::span<const std::uint16_t>(labels), 0, static_cast<std::int64_t>(names.size()) - 1);
  }
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    for (std::size_t w = 0; w < taggings[i]->best.labels.size(); ++w) {
      sentences[i]->set_cell(sentences[i]->word_row(w), column, names[taggings[i]->best.labels[w]]);
    }
  }
}

std::unique_ptr<TaggerModel> make_model(ModelOptions options, std::vector<Key> keys, const In<std::uint16_t>& counts,
                                        const In<std::uint16_t>& labels, const In<Key>& cluster_keys,
                                        const In<std::uint32_t>& cluster_ids, const Texts& cluster_names) {
  expect_within("order", options.order, 0, 2);
  expect_within("number of labels", static_cast<std::int64_t>(options.labels.size()), 1, 65534);
  const auto last_label = static_cast<std::int64_t>(options.labels.size()) - 1;
  const auto num_columns = static_cast<std::int64_t>(options.columns.size());
  expect(num_columns > 0, "columns expect at least one.");
  if (!options.min_characters.empty())
    expect_size("min_characters", options.min_characters.size(), options.labels.size());
  expect_within("dictionary_columns", std::span<const std::uint16_t>(options.dictionary_columns), 0, num_columns - 1);
  expect_within("set_labels", view(labels), 0, last_label);
  const auto in_sets = std::accumulate(counts.data(), counts.data() + counts.size(), std::int64_t{0});
  expect_size("set_labels", labels, in_sets);
  expect_size("counts", counts.size(), keys.empty() && counts.size() == 0 ? 0 : keys.size() + 1);
  expect_size("cluster_ids", cluster_ids, static_cast<std::int64_t>(cluster_keys.size()));
  expect_within("cluster_ids", view(cluster_ids), 0, static_cast<std::int64_t>(cluster_names.size()) - 1);
  TemplateSet set;
  for (const std::string& pattern : options.templates) {
    if (const auto problem = add_template(pattern, options.columns, set)) throw nb::value_error(problem->c_str());
  }
  Clusters clusters;
  for (std::size_t i = 0; i < cluster_keys.size(); ++i) {
    clusters.emplace(cluster_keys.data()[i], cluster_names.at(cluster_ids.data()[i]));
  }
  LabelSets sets;
  if (counts.size() > 0) sets = LabelSets(std::move(keys), view(counts), copy(labels));
  return std::make_unique<TaggerModel>(std::move(options), std::move(set), std::move(sets), std::move(clusters));
}

/// Keys by which LabelSets know words: one a word, sentences one after the other.
Out<Key> dictionary_keys(const std::vector<Texts>& columns) {
  expect(!columns.empty(), "columns expect at least one.");
  std::vector<Key> keys(columns[0].size(), 0);
  for (const Texts& column : columns) expect_size("words of a column", column.size(), keys.size());
  for (const Texts& column : columns) {
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = learn::combine(keys[i], learn::hash_text(column[i]));
  }
  return hand_over(std::move(keys));
}

/// Hashes by which clusters know words.
Out<Key> hash_texts(const Texts& texts) {
  std::vector<Key> keys;
  keys.reserve(texts.size());
  for (const std::string& text : texts) keys.push_back(learn::hash_text(text));
  return hand_over(std::move(keys));
}

void register_model(nb::module_& m) {
  add_enum<Scheme>(m, "Scheme", "NONE", Scheme::kNone, "IOB1", Scheme::kIob1, "IOB2", Scheme::kIob2, "BIOES",
                   Scheme::kBioes);
  nb::class_<Source>(m, "Source").def("__len__", &Source::size);
  nb::class_<TreebankSource, Source>(m, "TreebankSource")
      .def(nb::init<const std::vector<const data::Sentence*>&, std::vector<data::Column>>(), "sentences"_a,
           "columns"_a);
  nb::class_<ColumnSource, Source>(m, "ColumnSource").def(nb::init<std::vector<std::vector<Texts>>>(), "sentences"_a);
  nb::class_<FeatureSource, Source>(m, "FeatureSource")
      .def(nb::init<const std::vector<std::vector<Texts>>&, const std::vector<std::vector<std::vector<float>>>&>(),
           "names"_a, "values"_a);
  nb::class_<Labelling>(m, "Labelling")
      .def("labels", [](const Labelling& self) { return hand_over(self.labels); })
      .def_ro("value", &Labelling::value);
  nb::class_<Tagging>(m, "Tagging")
      .def(fields("best", &Tagging::best, "log_partition", &Tagging::log_partition))
      .def("marginals", [](const Tagging& self) { return hand_over(self.marginals); })
      .def_ro("k_best", &Tagging::k_best);
  m.def("set_cells", &set_cells, "sentences"_a, "column"_a, "taggings"_a, "names"_a);
  m.def("dictionary_keys", &dictionary_keys, "columns"_a);
  m.def("hash_texts", &hash_texts, "texts"_a);
  m.def(
      "check_template",
      [](const std::string& pattern, const Texts& columns) {
        TemplateSet set;
        return add_template(pattern, columns, set);
      },
      "pattern"_a, "columns"_a);
  m.def("may_follow", &may_follow, "scheme"_a, "before"_a, "next"_a);
  nb::class_<TaggerModel>(m, "TaggerModel")
      .def(
          "__init__",
          [](TaggerModel* self, int order, Scheme scheme, Texts labels, const In<std::uint16_t>& min_characters,
             Texts columns, Texts templates, const In<std::uint16_t>& dictionary_columns, bool restricted,
             const In<Key>& keys, const In<std::uint16_t>& counts, const In<std::uint16_t>& set_labels,
             const In<Key>& cluster_keys, const In<std::uint32_t>& cluster_ids, const Texts& cluster_names) {
            ModelOptions options{order,
                                 scheme,
                                 std::move(labels),
                                 copy(min_characters),
                                 std::move(columns),
                                 std::move(templates),
                                 copy(dictionary_columns),
                                 restricted};
            auto made = make_model(std::move(options), copy(keys), counts, set_labels, cluster_keys, cluster_ids,
                                   cluster_names);
            new (self) TaggerModel(std::move(*made));
          },
          "order"_a, "scheme"_a, "labels"_a, "min_characters"_a, "columns"_a, "templates"_a, "dictionary_columns"_a,
          "restricted"_a, "keys"_a, "counts"_a, "set_labels"_a, "cluster_keys"_a, "cluster_ids"_a, "cluster_names"_a)
      .def(
          "set_weights",
          [](TaggerModel& self, const In<Key>& keys, const In<std::uint16_t>& counts, const In<std::uint16_t>& labels,
             const In<std::int16_t>& weights, double scale, const In<float>& pairs, const In<float>& triples) {
            expect_size("counts", counts, static_cast<std::int64_t>(keys.size()));
            const auto total = std::accumulate(counts.data(), counts.data() + counts.size(), std::int64_t{0});
            expect_size("labels", labels, total);
            expect_size("weights", weights, total);
            expect_within("labels", view(labels), 0, static_cast<std::int64_t>(self.num_labels()) - 1);
            const NgramWeights sizes(self.options().order, self.num_labels());
            expect_size("pairs", pairs, static_cast<std::int64_t>(sizes.pairs.size()));
            expect_size("triples", triples, static_cast<std::int64_t>(sizes.triples.size()));
            expect_finite("pairs", view(pairs));
            expect_finite("triples", view(triples));
            expect(std::isfinite(scale), "scale expects a finite number.");
            NgramWeights ngrams(0, 0);
            ngrams.pairs = copy(pairs);
            ngrams.triples = copy(triples);
            self.set_weights({copy(keys), copy(counts), copy(labels), copy(weights), scale}, ngrams);
          },
          "keys"_a, "counts"_a, "labels"_a, "weights"_a, "scale"_a, "pairs"_a, "triples"_a)
      .def("tag", &tag_all, "source"_a, "marginals"_a, "k"_a, "allowed"_a, "num_threads"_a);
}

void load_examples(Trainer& self, const TaggerModel& model, const Source& train, const Source* dev,
                   const std::vector<std::vector<std::uint16_t>>& gold) {
  expect(&model == &self.model(), "load expects the model that the trainer was made for.");
  expect(!self.has_sentences(), "load expects a new trainer; this one has its sentences.");
  expect_size("gold", gold.size(), train.size());
  for (const std::vector<std::uint16_t>& labels : gold) {
    expect_within("gold", std::span<const std::uint16_t>(labels), 0, static_cast<std::int64_t>(model.num_labels()) - 1);
  }
  train.expect_fits(model);
  if (dev != nullptr) dev->expect_fits(model);
  const nb::gil_scoped_release release;
  TagScratch scratch;
  for (std::size_t i = 0; i < train.size(); ++i) {
    train.load(model, i, scratch);
    self.count(scratch.words);
  }
  self.settle();
  for (std::size_t i = 0; i < train.size(); ++i) {
    train.load(model, i, scratch);
    expect_size("gold", gold[i].size(), scratch.words.num_words());
    self.add(scratch.words, scratch.sets, scratch.lengths, gold[i]);
  }
  for (std::size_t i = 0; dev != nullptr && i < dev->size(); ++i) {
    dev->load(model, i, scratch);
    self.add_dev(scratch.words, scratch.sets, scratch.lengths, std::vector<std::uint16_t>(scratch.words.num_words()));
  }
}

/// For whatever looks at weights: there are none before there are features.
template <class T>
T& loaded(T& trainer) {
  expect(trainer.has_sentences(), "A trainer expects sentences first; call load.");
  return trainer;
}

/// Everything about one chain of labels, for whoever has scores already. scores: [n][labels], -inf: cannot be.
Tagging solve_chain(int order, std::size_t num_labels, const In<double>& scores, const In<double>& pairs,
                    const In<double>& triples, std::size_t k, ChainMarginals& expected) {
  expect_within("order", order, 0, 2);
  expect_within("num_labels", static_cast<std::int64_t>(num_labels), 1, 65534);
  expect(k >= 1, "k expects at least 1.");
  const NgramWeights sizes(order, num_labels);
  expect_size("scores", scores, static_cast<std::int64_t>(scores.size() / num_labels * num_labels));
  expect_numbers("scores", view(scores));
  expect_numbers("pairs", pairs, static_cast<std::int64_t>(sizes.pairs.size()));
  expect_numbers("triples", triples, static_cast<std::int64_t>(sizes.triples.size()));
  const NgramScores ngrams = compose(order, num_labels, view(pairs), view(triples));
  const std::size_t stride = ngrams.stride();
  Lattice lattice;
  lattice.reset(scores.size() / num_labels, stride);
  for (std::size_t i = 0; i < lattice.num_words; ++i) {
    std::copy_n(scores.data() + i * num_labels, num_labels, lattice.scores.data() + i * stride);
    for (std::size_t c = 0; c < num_labels; ++c) lattice.labels.push_back(static_cast<std::uint16_t>(c));
    lattice.begin.push_back(static_cast<std::uint32_t>(lattice.labels.size()));
  }
  lattice.mask(stride);
  ChainScratch scratch;
  Tagging out;
  out.best = viterbi(ngrams, lattice, scratch);
  out.k_best = k_best(ngrams, lattice, k);
  marginals(ngrams, lattice, true, scratch, expected);
  out.log_partition = expected.log_partition;
  for (std::size_t i = 0; i < lattice.num_words; ++i) {
    const double* row = expected.words.data() + i * stride;
    out.marginals.insert(out.marginals.end(), row, row + num_labels);
  }
  return out;
}

void register_chain(nb::module_& m) {
  m.def(
      "solve_chain",
      [](int order, std::size_t num_labels, const In<double>& scores, const In<double>& pairs,
         const In<double>& triples, std::size_t k) {
        ChainMarginals expected;
        Tagging tagging;
        {
          const nb::gil_scoped_release release;
          tagging = solve_chain(order, num_labels, scores, pairs, triples, k, expected);
        }
        const std::size_t stride = expected.stops.empty() ? 0 : expected.ngrams.size() / expected.stops.size();
        return std::make_tuple(std::move(tagging), hand_over(std::move(expected.ngrams)),
                               hand_over(std::move(expected.stops)), stride);
      },
      "order"_a, "num_labels"_a, "scores"_a, "pairs"_a, "triples"_a, "k"_a);
}

void register_trainer(nb::module_& m) {
  nb::class_<EpochStats>(m, "EpochStats")
      .def(fields("sentences", &EpochStats::sentences, "words", &EpochStats::words, "right", &EpochStats::right,
                  "updates", &EpochStats::updates, "loss", &EpochStats::loss));
  nb::class_<Trainer>(m, "Trainer")
      .def(
          "__init__",
          [](Trainer* self, const TaggerModel& model, bool supported, std::uint32_t min_count, const learn::Loss& loss,
             const learn::OptimizerOptions& optimizer, const learn::RegularizerOptions& regularizer, double cost,
             double dropout, double min_gradient, std::uint64_t seed, std::int64_t batch, int num_threads) {
            expect(loss.family(), "loss expects one of the family of beta and gamma.");
            expect(batch >= 1, "batch expects at least 1.");
            expect_threads(num_threads);
            expect(optimizer.method != learn::Method::kAutomatic || regularizer.l2 == 0.0,
                   "The automatic step expects no L2 penalty: its rate is what keeps weights small.");
            expect(!supported || !regularizer.forgets(),
                   "Penalties that forget weights expect complete features, so that gradients can bring them back.");
            new (self) Trainer(model, TrainerOptions{supported, min_count, loss, optimizer, regularizer, cost, dropout,
                                                     min_gradient, seed, batch, num_threads});
          },
          "model"_a, "supported"_a, "min_count"_a, "loss"_a, "optimizer"_a, "regularizer"_a, "cost"_a, "dropout"_a,
          "min_gradient"_a, "seed"_a, "batch"_a, "num_threads"_a, nb::keep_alive<1, 2>())
      .def("load", &load_examples, "model"_a, "train"_a, "dev"_a.none(), "gold"_a)
      .def(
          "run",
          [](Trainer& self, const In<std::int64_t>& order) {
            const std::vector<std::int64_t> numbers = copy(order);  // other threads may change the array
            expect_within("order", std::span<const std::int64_t>(numbers), 0,
                          static_cast<std::int64_t>(self.num_examples()) - 1);
            const nb::gil_scoped_release release;
            return loaded(self).run(numbers);
          },
          "order"_a)
      .def("end_epoch", &Trainer::end_epoch)
      .def(
          "refit",
          [](Trainer& self, std::size_t max_weights, double min_weight) {
            const nb::gil_scoped_release release;
            loaded(self).refit(max_weights, min_weight);
          },
          "max_weights"_a, "min_weight"_a)
      .def("shrink",
           [](Trainer& self) {
             const nb::gil_scoped_release release;
             loaded(self).shrink();
           })
      .def("template_statistics", [](const Trainer& self) { return hand_over(loaded(self).template_statistics()); })
      .def("information_gain", [](const Trainer& self) { return hand_over(loaded(self).information_gain()); })
      .def("support",
           [](const Trainer& self) {
             FeatureLabels found = loaded(self).support();
             return std::make_tuple(hand_over(std::move(found.keys)), hand_over(std::move(found.counts)),
                                    hand_over(std::move(found.labels)));
           })
      .def(
          "restrict_to",
          [](Trainer& self, const In<Key>& keys, const In<std::uint16_t>& counts, const In<std::uint16_t>& labels) {
            expect_size("counts", counts, static_cast<std::int64_t>(keys.size()));
            expect_size("labels", labels,
                        std::accumulate(counts.data(), counts.data() + counts.size(), std::int64_t{0}));
            expect_within("labels", view(labels), 0, static_cast<std::int64_t>(self.num_labels()) - 1);
            loaded(self).restrict_to({copy(keys), copy(counts), copy(labels)});
          },
          "keys"_a, "counts"_a, "labels"_a)
      .def("predict_dev",
           [](const Trainer& self) {
             std::vector<std::uint16_t> labels;
             {
               const nb::gil_scoped_release release;
               labels = loaded(self).predict_dev();
             }
             return hand_over(std::move(labels));
           })
      .def_prop_ro("num_features", &Trainer::num_features)
      .def_prop_ro("num_weights", &Trainer::num_weights)
      .def_prop_ro("most_weights", &Trainer::most_weights)
      .def(
          "template_norms",
          [](const Trainer& self, bool averaged) { return norm_arrays(self.template_norms(averaged)); }, "averaged"_a)
      .def(
          "set_budgets", [](Trainer& self, const In<std::int64_t>& budgets) { self.set_budgets(view(budgets)); },
          "budgets"_a)
      .def(
          "freeze",
          [](const Trainer& self, std::size_t max_weights, double min_weight) {
            learn::QuantisedRows rows;
            {
              const nb::gil_scoped_release release;
              rows = loaded(self).freeze(max_weights, min_weight);
            }
            return std::make_tuple(hand_over(std::move(rows.keys)), hand_over(std::move(rows.counts)),
                                   hand_over(std::move(rows.labels)), hand_over(std::move(rows.weights)), rows.scale);
          },
          "max_weights"_a, "min_weight"_a)
      .def("state", [](const Trainer& self) { return save_state(self); })
      .def(
          "restore", [](Trainer& self, const StateDict& state) { self.restore(to_state(state)); }, "state"_a)
      .def("ngram_weights", [](const Trainer& self) {
        NgramWeights weights = loaded(self).ngram_weights();
        return std::make_tuple(hand_over(std::move(weights.pairs)), hand_over(std::move(weights.triples)));
      });
}

}  // namespace

void register_tagging(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("tagging", "Sequence labelling.");
  for (auto* add : {register_model, register_chain, register_trainer}) add(m);
}

}  // namespace ramify::bindings
