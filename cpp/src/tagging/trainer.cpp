#include "ramify/tagging/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "ramify/learn/batches.hpp"
#include "ramify/learn/freeze.hpp"
#include "ramify/numeric/index.hpp"
#include "ramify/numeric/parallel.hpp"

namespace ramify::tagging {

namespace {

learn::RowPenalty row_penalty(const learn::RegularizerOptions& options) {
  if (options.rows > 0.0) return learn::RowPenalty::kRows;
  if (!options.sets.empty()) return learn::RowPenalty::kTemplates;
  return options.l1 > 0.0 && options.l2 == 0.0 ? learn::RowPenalty::kWeights : learn::RowPenalty::kNone;
}

}  // namespace

/// What one sentence teaches: gold minus prediction.
struct Trainer::Update {
  struct Item {
    std::uint32_t feature;
    std::uint32_t label;
    float gradient;
  };
  std::vector<Item> items;
  std::vector<NgramItem> ngrams;
  double loss = 0.0;
  double squared_norm = 0.0;
  std::int64_t right = 0;

  void clear() {
    items.clear();
    ngrams.clear();
    loss = squared_norm = 0.0;
    right = 0;
  }
};

struct Trainer::Worker {
  Lattice lattice;
  ChainScratch chain;
  ChainMarginals marginals;
  std::vector<double> difference;  // [n][stride], gold minus prediction
  std::vector<std::uint8_t> differs;
  std::vector<double> sums;   // over the words with a feature
  std::vector<float> values;  // of the features in this turn; none: all 1
};

Trainer::~Trainer() = default;

void Trainer::count(const WordFeatures& features) {
  for (const Key key : features.keys) index_.count(key);
}

void Trainer::settle() {
  index_.settle(options_.min_count);
  std::vector<std::uint16_t> templates;
  for (const Key key : index_.keys()) templates.push_back(static_cast<std::uint16_t>(learn::template_of(key)));
  rows_ = std::make_unique<learn::LabelRows>(std::move(templates), model_.num_labels(), options_.optimizer,
                                             row_penalty(options_.regularizer));
  const NgramWeights zeros(model_.options().order, model_.num_labels());
  pairs_ = {zeros.pairs, options_.optimizer};
  triples_ = {zeros.triples, options_.optimizer};
  ngrams_ = std::make_unique<NgramScores>(model_.compose(zeros));
}

Example Trainer::make(const WordFeatures& features, std::vector<std::uint32_t> sets, std::vector<std::uint16_t> lengths,
                      std::vector<std::uint16_t> gold) const {
  struct Place {
    std::uint32_t feature, word;
    float value;
  };
  std::vector<Place> places;
  places.reserve(features.keys.size());
  for (std::size_t i = 0; i < features.num_words(); ++i) {
    for (std::uint32_t f = features.begin[i]; f < features.begin[i + 1]; ++f) {
      const std::uint32_t feature = index_.find(features.keys[f]);
      if (feature == learn::FeatureIndex::kNone) continue;
      places.push_back({feature, static_cast<std::uint32_t>(i), features.values.empty() ? 1.0F : features.values[f]});
    }
  }
  std::ranges::stable_sort(places, {}, &Place::feature);
  Example example;
  example.gold = std::move(gold);
  example.sets = std::move(sets);
  example.lengths = std::move(lengths);
  for (const Place& place : places) {
    if (example.features.empty() || example.features.back() != place.feature) {
      example.features.push_back(place.feature);
      example.begin.push_back(static_cast<std::uint32_t>(example.words.size()));
    }
    example.words.push_back(place.word);
    if (!features.values.empty()) example.values.push_back(place.value);
  }
  example.begin.push_back(static_cast<std::uint32_t>(example.words.size()));
  return example;
}

void Trainer::support(const Example& example) {
  for (std::size_t f = 0; f < example.features.size(); ++f) {
    for (std::uint32_t p = example.begin[f]; p < example.begin[f + 1]; ++p) {
      rows_->open(example.features[f], example.gold[example.words[p]]);
    }
  }
}

void Trainer::add(const WordFeatures& features, std::vector<std::uint32_t> sets, std::vector<std::uint16_t> lengths,
                  std::vector<std::uint16_t> gold) {
  train_.push_back(make(features, std::move(sets), std::move(lengths), std::move(gold)));
  if (options_.supported) support(train_.back());
}

void Trainer::add_dev(const WordFeatures& features, std::vector<std::uint32_t> sets, std::vector<std::uint16_t> lengths,
                      std::vector<std::uint16_t> gold) {
  dev_.push_back(make(features, std::move(sets), std::move(lengths), std::move(gold)));
}

/// Values of the features in this turn: 0 for those left out, the others the larger for it.
void Trainer::draw(const Example& example, std::int64_t number, std::vector<float>& values) const {
  const Key turn = learn::combine(learn::combine(options_.seed, static_cast<Key>(epoch_)), static_cast<Key>(number));
  const auto limit = static_cast<Key>(std::ldexp(options_.dropout, 32));
  const auto scale = static_cast<float>(1.0 / (1.0 - options_.dropout));
  values.resize(example.words.size());
  for (std::size_t p = 0; p < values.size(); ++p) {
    const bool out = (learn::mix(turn + p) >> 32U) < limit;
    values[p] = out ? 0.0F : scale * (example.values.empty() ? 1.0F : example.values[p]);
  }
}

void Trainer::score(const Example& example, std::span<const float> values, bool averaged, bool with_gold,
                    Lattice& lattice) const {
  const std::size_t n = example.gold.size();
  const std::size_t stride = ngrams_->stride();
  const double time = averaged ? time_for_average() : 0.0;
  const auto share = static_cast<float>(time > 0.0 ? 1.0 / time : 0.0);
  lattice.reset(n, stride);
  const bool lazy = rows_->lazy() && !averaged;
  for (std::size_t f = 0; f < example.features.size(); ++f) {
    rows_->fetch(example.features, f);
    const std::span<const learn::LabelRows::Entry> row = rows_->row(example.features[f]);
    const float scale = rows_->factor(example.features[f], time);
    for (std::uint32_t p = example.begin[f]; p < example.begin[f + 1]; ++p) {
      double* scores = lattice.scores.data() + example.words[p] * stride;
      const float value = values.empty() ? 1.0F : values[p];
      if (value == 0.0F) continue;
      if (lazy) {
        rows_->for_each_present(example.features[f], [&](std::uint32_t label, double weight) {
          scores[label] += static_cast<double>(value) * weight;
        });
        continue;
      }
      for (const learn::LabelRows::Entry& e : row) {
        scores[e.label] += static_cast<double>(value * (scale * e.weight - share * e.total));
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    model_.append_labels(example.sets[i], example.lengths[i], with_gold ? example.gold[i] : -1, lattice);
  }
  lattice.mask(stride);
}

void Trainer::predict(std::int64_t number, Worker& worker, Update& update) const {
  const Example& example = train_[at(number)];
  update.clear();
  const std::size_t n = example.gold.size();
  if (n == 0) return;
  worker.values = example.values;
  if (options_.dropout > 0.0) draw(example, number, worker.values);
  score(example, worker.values, false, true, worker.lattice);
  const std::size_t stride = ngrams_->stride();
  const double gold_score = score_of(*ngrams_, worker.lattice, example.gold);
  if (gold_score == kImpossible) return;  // against the hard constraints: not to be learned
  double* scores = worker.lattice.scores.data();
  const double cost = options_.loss.gamma * options_.cost;
  for (std::size_t i = 0; i < n && cost != 0.0; ++i) {
    for (const std::uint16_t label : worker.lattice.labels_of(i)) {
      if (label != example.gold[i]) scores[i * stride + label] += cost;
    }
  }
  worker.difference.assign(n * stride, 0.0);
  worker.differs.assign(n, 0);
  if (options_.loss.needs_best()) {
    learn_from_best(example, gold_score, worker, update);
  } else {
    learn_from_all(example, gold_score, worker, update);
  }
  if (std::ranges::count(worker.differs, 1) > 0 || !update.ngrams.empty()) collect(example, worker, update);
}

/// Infinite beta: the best labels, costs included, against gold.
void Trainer::learn_from_best(const Example& example, double gold_score, Worker& worker, Update& update) const {
  const Labelling best = viterbi(*ngrams_, worker.lattice, worker.chain);
  const std::size_t n = example.gold.size();
  const std::size_t stride = ngrams_->stride();
  for (std::size_t i = 0; i < n; ++i) {
    if (best.labels[i] == example.gold[i]) {
      ++update.right;
      continue;
    }
    worker.difference[i * stride + example.gold[i]] = 1.0;
    worker.difference[i * stride + best.labels[i]] = -1.0;
    worker.differs[i] = 1;
  }
  if (update.right == static_cast<std::int64_t>(n)) return;
  update.loss = options_.loss.value(best.value, gold_score);
  walk_ngrams(example.gold, 1.0, update);
  walk_ngrams(best.labels, -1.0, update);
}

/// Finite beta: expectations under exp(beta (score + gamma cost)) against gold.
void Trainer::learn_from_all(const Example& example, double gold_score, Worker& worker, Update& update) const {
  const std::size_t n = example.gold.size();
  const std::size_t stride = ngrams_->stride();
  const double beta = options_.loss.beta;
  const NgramScores* ngrams = ngrams_.get();
  std::unique_ptr<NgramScores> scaled;
  if (beta != 1.0) {
    scaled = std::make_unique<NgramScores>(*ngrams_);
    for (std::size_t r = 0; r < scaled->num_rows(); ++r) {
      for (std::size_t c = 0; c < stride; ++c) scaled->row(r)[c] *= beta;
      scaled->stop(r) *= beta;
    }
    for (double& score : worker.lattice.scores) score *= beta;
    ngrams = scaled.get();
  }
  worker.chain.ready = false;
  ChainMarginals& expected = worker.marginals;
  marginals(*ngrams, worker.lattice, true, worker.chain, expected);
  update.loss = options_.loss.value(expected.log_partition / beta, gold_score);
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::uint16_t label : worker.lattice.labels_of(i)) {
      const std::size_t cell = i * stride + label;
      const bool gold = label == example.gold[i];
      worker.difference[cell] = (gold ? 1.0 : 0.0) - expected.words[cell];
      if (gold && expected.words[cell] > 0.5) ++update.right;
      if (std::abs(worker.difference[cell]) >= options_.min_gradient) worker.differs[i] = 1;
    }
  }
  if (ngrams_->order() == 0) return;
  walk_ngrams(example.gold, 1.0, update);
  for (const NgramItem& item : update.ngrams) {
    double& count =
        item.next == model_.num_labels() ? expected.stops[item.row] : expected.ngrams[item.row * stride + item.next];
    count -= item.gradient;
  }
  update.ngrams.clear();
  for (std::size_t r = 0; r < ngrams_->num_rows(); ++r) {
    for (std::size_t c = 0; c < model_.num_labels(); ++c) {
      const double count = expected.ngrams[r * stride + c];
      if (std::abs(count) >= options_.min_gradient) update.ngrams.push_back({r, c, -count});
    }
    if (std::abs(expected.stops[r]) >= options_.min_gradient) {
      update.ngrams.push_back({r, model_.num_labels(), -expected.stops[r]});
    }
  }
}

void Trainer::walk_ngrams(std::span<const std::uint16_t> labels, double sign, Update& update) const {
  if (ngrams_->order() == 0) return;
  const std::size_t with_boundary = model_.num_labels() + 1;
  std::size_t row = ngrams_->start_row();
  for (const std::uint16_t label : labels) {
    update.ngrams.push_back({row, label, sign});
    row = ngrams_->order() == 1 ? label : row % with_boundary * with_boundary + label;
  }
  update.ngrams.push_back({row, model_.num_labels(), sign});
}

/// From differences of words to those of features.
void Trainer::collect(const Example& example, Worker& worker, Update& update) const {
  const std::size_t k = model_.num_labels();
  const std::size_t stride = ngrams_->stride();
  const auto emit = [&](std::uint32_t feature, std::size_t label, double gradient) {
    if (std::abs(gradient) < options_.min_gradient) return;
    update.items.push_back({feature, static_cast<std::uint32_t>(label), static_cast<float>(gradient)});
    update.squared_norm += gradient * gradient;
  };
  for (std::size_t f = 0; f < example.features.size(); ++f) {
    const std::uint32_t begin = example.begin[f];
    const std::uint32_t end = example.begin[f + 1];
    const auto value = [&](std::uint32_t p) {
      return worker.values.empty() ? 1.0 : static_cast<double>(worker.values[p]);
    };
    if (end == begin + 1) {
      const std::uint32_t word = example.words[begin];
      if (worker.differs[word] == 0) continue;
      const double* difference = worker.difference.data() + word * stride;
      for (const std::uint16_t label : worker.lattice.labels_of(word)) {
        emit(example.features[f], label, value(begin) * difference[label]);
      }
      continue;
    }
    worker.sums.assign(stride, 0.0);
    bool any = false;
    for (std::uint32_t p = begin; p < end; ++p) {
      const std::uint32_t word = example.words[p];
      if (worker.differs[word] == 0) continue;
      any = true;
      for (const std::uint16_t label : worker.lattice.labels_of(word)) {
        worker.sums[label] += value(p) * worker.difference[word * stride + label];
      }
    }
    for (std::size_t label = 0; label < k && any; ++label) emit(example.features[f], label, worker.sums[label]);
  }
  // Pairs and triples of the same labels at several places are few: that they add up is left out of the norm.
  for (const NgramItem& item : update.ngrams) update.squared_norm += item.gradient * item.gradient;
}

void Trainer::move_ngram(const NgramItem& item, double step) {
  const std::size_t with_boundary = model_.num_labels() + 1;
  const std::size_t last = item.row % with_boundary;
  const auto place = [&](std::size_t row) -> double& {
    return item.next == model_.num_labels() ? ngrams_->stop(row) : ngrams_->row(row)[item.next];
  };
  const auto changed = [&](const learn::WeightCell& cell) {
    const double before = static_cast<double>(*cell.weight);
    optimizer_.move(cell, item.gradient, step, time_);
    return static_cast<double>(*cell.weight) - before;
  };
  const double pair_change = changed(pairs_.cell(last * with_boundary + item.next));
  if (ngrams_->order() == 1) {
    place(item.row) += pair_change;
    return;
  }
  for (std::size_t a = 0; a < with_boundary; ++a) place(a * with_boundary + last) += pair_change;
  place(item.row) += changed(triples_.cell(item.row * with_boundary + item.next));
}

void Trainer::apply(const Update& update) {
  const double step = optimizer_.step(options_.loss, update.loss, update.squared_norm, epoch_);
  if (step > 0.0) {
    for (const Update::Item& item : update.items) {
      rows_->touch(item.feature);
      learn::LabelRows::Entry* entry =
          options_.supported ? rows_->find(item.feature, item.label) : &rows_->open(item.feature, item.label);
      if (entry == nullptr) continue;
      rows_->move(item.feature, *entry, optimizer_, static_cast<double>(item.gradient), step, time_);
    }
    for (const NgramItem& item : update.ngrams) move_ngram(item, step);
  }
  time_ += 1.0;
}

void Trainer::end_batch() {
  const double before = std::exchange(batch_begin_, time_);
  if (regularizer_.due(before, stretch())) shrink();
}

learn::Regularizer::Stretch Trainer::stretch() const {
  // Steps are taken after each sentence, whatever the batch.
  return {optimizer_.rate(epoch_), static_cast<double>(train_.size()), 1.0, time_};
}

void Trainer::shrink() { regularizer_.apply(*rows_, optimizer_, stretch()); }

EpochStats Trainer::run(std::span<const std::int64_t> order) {
  EpochStats stats;
  std::vector<Worker> workers(at(options_.num_threads));
  const auto look = [&](int worker, std::int64_t i, Update& update) { predict(i, workers[at(worker)], update); };
  const auto learn = [&](std::int64_t i, const Update& update) {
    apply(update);
    stats.sentences += 1;
    stats.words += static_cast<std::int64_t>(train_[at(i)].gold.size());
    stats.right += update.right;
    stats.updates += update.items.empty() ? 0 : 1;
    stats.loss += update.loss;
  };
  learn::run_batches<Update>(order, options_.batch, options_.num_threads, look, learn, [&] { end_batch(); });
  return stats;
}

std::vector<std::uint16_t> Trainer::predict_dev() const {
  rows_->settle();
  const NgramScores ngrams = model_.compose(ngram_weights());
  std::vector<std::size_t> begin(1, 0);
  for (const Example& example : dev_) begin.push_back(begin.back() + example.gold.size());
  std::vector<std::uint16_t> out(begin.back());
  std::vector<Worker> workers(at(options_.num_threads));
  numeric::parallel_for(static_cast<std::int64_t>(dev_.size()), options_.num_threads, [&](int worker, auto i) {
    Worker& mine = workers[at(worker)];
    score(dev_[at(i)], dev_[at(i)].values, true, false, mine.lattice);
    const Labelling best = viterbi(ngrams, mine.lattice, mine.chain);
    std::ranges::copy(best.labels, out.begin() + static_cast<std::ptrdiff_t>(begin[at(i)]));
  });
  return out;
}

std::vector<learn::TemplateNorm> Trainer::template_norms(bool averaged) const {
  if (!rows_) return {};
  rows_->settle();
  return rows_->template_norms(averaged ? time_for_average() : 0.0);
}

learn::QuantisedRows Trainer::freeze(std::size_t max_weights, double min_weight) const {
  rows_->settle();
  return learn::freeze(*rows_, index_.keys(), {time_for_average(), max_weights, min_weight});
}

void Trainer::refit(std::size_t max_weights, double min_weight) {
  rows_->settle();
  *rows_ = learn::keep_only(*rows_, {time_for_average(), max_weights, min_weight}, options_.optimizer);
  options_.supported = true;
  pairs_.clear();
  triples_.clear();
  *ngrams_ = model_.compose(NgramWeights(model_.options().order, model_.num_labels()));
  time_ = batch_begin_ = 0.0;
  epoch_ = 0;
}

NgramWeights Trainer::ngram_weights() const {
  NgramWeights out(model_.options().order, model_.num_labels());
  out.pairs = pairs_.averaged(time_for_average());
  out.triples = triples_.averaged(time_for_average());
  return out;
}

learn::State Trainer::save() const {
  if (!rows_) throw std::invalid_argument("A trainer expects sentences before it has a state.");
  learn::State state;
  rows_->save(state);
  pairs_.save("pair-", state);
  triples_.save("triple-", state);
  // Sums of changes to the n-grams, which adding up the weights anew would round in another way.
  state.put("ngram-rows", std::vector<double>(ngrams_->rows().begin(), ngrams_->rows().end()));
  state.put("ngram-stops", std::vector<double>(ngrams_->stops().begin(), ngrams_->stops().end()));
  state.put_number("supported", options_.supported ? 1.0 : 0.0);
  state.put_number("time", time_);
  state.put_number("epoch", epoch_);
  return state;
}

void Trainer::restore(const learn::State& state) {
  if (!rows_) throw std::invalid_argument("A trainer expects sentences before it goes on from a state.");
  const auto& rows = state.get<double>("ngram-rows", ngrams_->rows().size());
  const auto& stops = state.get<double>("ngram-stops", ngrams_->stops().size());
  rows_->restore(state);
  pairs_.restore("pair-", state);
  triples_.restore("triple-", state);
  for (std::size_t r = 0; r < ngrams_->num_rows(); ++r) {
    std::copy_n(rows.data() + r * ngrams_->stride(), ngrams_->stride(), ngrams_->row(r));
    ngrams_->stop(r) = stops[r];
  }
  options_.supported = state.number("supported") != 0.0;
  time_ = batch_begin_ = state.number("time");
  epoch_ = static_cast<int>(state.number("epoch"));
}

}  // namespace ramify::tagging
