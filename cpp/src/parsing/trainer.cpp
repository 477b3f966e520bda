#include "ramify/parsing/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ramify/learn/batches.hpp"
#include "ramify/numeric/index.hpp"
#include "ramify/numeric/parallel.hpp"
#include "ramify/parsing/arc_beliefs.hpp"
#include "ramify/parsing/belief_losses.hpp"
#include "ramify/parsing/projective_program.hpp"
#include "ramify/trees/projectivity.hpp"

namespace ramify::parsing {

namespace {

using learn::Gradient;
using learn::LossKind;

constexpr double kSmallWeight = 1e-3;  // parts that gold and prediction nearly agree on teach nothing

/// What a thread reuses from sentence to sentence to find the gradient.
struct GradientScratch {
  bool templates;  // whether keys are to name them, which those that share buckets cannot
  std::vector<Key> keys;
  learn::GradientSum sum;
};

void learning_keys(Scorer& scorer, const Part& part, bool templates, std::vector<Key>& out) {
  if (templates) return scorer.keys_with_templates(part, out);
  scorer.keys(part, out);
}

/// parts: how much more gold has of them than the prediction; equal ones cancel.
Gradient descent(Scorer& scorer, WeightedParts parts, double loss, double smallest, GradientScratch& scratch) {
  std::ranges::sort(parts, {}, &std::pair<Part, double>::first);
  scratch.sum.clear();
  for (std::size_t i = 0; i < parts.size();) {
    const Part& part = parts[i].first;
    double weight = 0.0;
    for (; i < parts.size() && parts[i].first == part; ++i) weight += parts[i].second;
    if (weight == 0.0 || std::abs(weight) < smallest) continue;
    learning_keys(scorer, part, scratch.templates, scratch.keys);
    scratch.sum.add(scratch.keys, static_cast<float>(weight));
  }
  return scratch.sum.take(loss);
}

/// The parts of an example's gold tree, and the sum of their scores.
std::pair<WeightedParts, double> gold_parts(const PartChoice& choice, const Example& example, Scorer& scorer) {
  std::pair<WeightedParts, double> out;
  for (const Part& part : parts_of_tree(choice, example.heads, example.labels)) {
    out.second += scorer.score(part);
    out.first.emplace_back(part, 1.0);
  }
  return out;
}

/// Gradients of belief propagation, with the names of the parts.
ScoreGradients name_gradients(inference::BeliefPropagation::Gradients gradients, Decoder& decoder, double smallest) {
  const ParseProblem& problem = decoder.loose_problem();
  ScoreGradients out{std::move(gradients.unary), {}};
  for (std::size_t i = 0; i < gradients.parts.size(); ++i) {
    if (std::abs(gradients.parts[i]) < smallest) continue;
    for (auto n = at(problem.name_begin[i]); n < at(problem.name_begin[i + 1]); ++n) {
      out.parts.emplace_back(problem.names[n], gradients.parts[i]);
    }
  }
  for (const auto& [variable, sign, part] : problem.variable_parts) {
    out.parts.emplace_back(part, sign * out.arcs[at(variable)]);
  }
  out.arcs.resize(problem.arc_scores.size());
  return out;
}

/// Templates with a weight.
std::vector<Key> with_weights(const learn::WeightStore& store) {
  const std::vector<learn::TemplateNorm> norms = store.template_norms(0.0);
  std::vector<Key> live;
  for (std::size_t m = 0; m < norms.size(); ++m) {
    if (norms[m].count > 0) live.push_back(m);
  }
  return live;
}

bool single_rooted(std::span<const std::int32_t> heads) { return std::ranges::count(heads, 0) == 1; }

}  // namespace

struct Trainer::Update {
  Gradient gradient;  // minus it
  std::int64_t right_heads = 0;
  std::int64_t right_labels = 0;
  bool certified = false;
};

struct Trainer::Worker {
  Worker(const ParserModel& model, const FeatureModel* live, const learn::WeightView& weights, bool templates)
      : scorer(live == nullptr ? model.scorer(weights) : model.scorer(weights, *live)), gradient{templates, {}, {}} {
    if (live != nullptr) full.emplace(model.scorer(weights));
  }
  /// Knows all templates that are to learn.
  Scorer& teacher(const Tokens& tokens) {
    if (!full) return scorer;
    full->start(tokens);
    return *full;
  }
  Scorer scorer;
  std::optional<Scorer> full;  // where `scorer` knows only some of them
  DecoderScratch decoder;
  factors::Workspace factors;
  GradientScratch gradient;
};

Example make_example(const data::Sentence& sentence, const Vocabulary& vocabulary,
                     std::span<const std::string> labels) {
  Example example;
  example.tokens = vocabulary.encode(sentence);
  example.heads.assign(1, -1);
  example.labels.assign(1, -1);
  for (std::size_t i = 0; i < sentence.num_words(); ++i) {
    example.heads.push_back(sentence.heads()[i]);
    const std::string_view label = sentence.cell(sentence.word_row(i), data::Column::kDeprel);
    const auto found = std::ranges::find(labels, label);
    example.labels.push_back(found == labels.end() ? -1 : static_cast<std::int32_t>(found - labels.begin()));
  }
  return example;
}

Trainer::Trainer(ParserModel& model, TrainerOptions options, std::vector<Example> train, std::vector<Example> dev)
    : model_(model), options_(options), train_(std::move(train)), dev_(std::move(dev)), learner_(options.learner) {
  double num_usable = 0.0;
  for (Example& example : train_) {
    const bool complete =
        std::ranges::all_of(std::span(example.heads).subspan(1), [](std::int32_t h) { return h >= 0; });
    example.usable = example.tokens.num_words > 0 && complete &&
                     (!model_.options().decoder.single_root || single_rooted(example.heads));
    num_usable += example.usable ? 1.0 : 0.0;
    // A tree that cannot be found has probability 0, and no likelihood to raise; losses on beliefs do not mind.
    const bool projective = model_.options().decoder.tree == TreeKind::kProjective;
    if (example.usable && projective && learner_.loss().family()) trees::projectivize(example.heads);
  }
  learner_.set_num_examples(num_usable);
}

PrunerTrainer& Trainer::pruner_trainer() {
  if (!pruner_trainer_) {
    pruner_trainer_ = std::make_unique<PrunerTrainer>(model_.features(), model_.pruner_weights(), model_.pairs(),
                                                      model_.options().pruner);
  }
  return *pruner_trainer_;
}

double Trainer::train_pruner(std::span<const std::int64_t> order, double rate) {
  PrunerTrainer& trainer = pruner_trainer();
  Pruner::Scratch scratch;
  double loss = 0.0;
  std::int64_t count = 0;
  const auto look = [&](int, std::int64_t i, PrunerTrainer::Update& update) {
    const Example& example = train_[at(i)];
    if (example.usable) trainer.look(example.tokens, example.heads, scratch, update);
  };
  const auto learn = [&](std::int64_t i, const PrunerTrainer::Update& update) {
    if (!train_[at(i)].usable) return;
    trainer.learn(update, rate);
    loss += update.loss;
    ++count;
  };
  learn::run_batches<PrunerTrainer::Update>(order, 1, 1, look, learn, [] {});
  model_.set_pruner_weights(trainer.weights());
  return loss / static_cast<double>(std::max<std::int64_t>(count, 1));
}

PruneStats Trainer::prune() {
  std::vector<Pruner::Scratch> scratch(static_cast<std::size_t>(options_.num_threads));
  const auto prune_all = [&](const Pruner& pruner, std::vector<Example>& examples, bool keep_gold) {
    numeric::parallel_for(static_cast<std::int64_t>(examples.size()), options_.num_threads, [&](int worker, auto i) {
      Example& example = examples[at(i)];
      if (!example.usable) return;
      const std::span<const std::int32_t> keep =
          keep_gold ? std::span<const std::int32_t>(example.heads) : std::span<const std::int32_t>();
      example.candidates = pruner.prune(example.tokens, {}, keep, scratch[at(worker)]);
    });
  };
  PrunerOptions looser = model_.options().pruner;
  looser.threshold = std::min(looser.threshold, options_.threshold);
  prune_all(model_.pruner(looser), train_, true);
  prune_all(model_.pruner(), dev_, false);
  PruneStats stats;
  for (const Example& example : dev_.empty() ? train_ : dev_) {
    if (!example.usable || example.tokens.num_words == 0) continue;
    stats.words += example.tokens.num_words;
    stats.arcs += example.candidates.size();
    for (std::int32_t m = 1; m <= example.tokens.num_words; ++m) {
      stats.kept += example.candidates.find(example.heads[at(m)], m) >= 0;
    }
  }
  pruner_trainer_.reset();
  has_candidates_ = true;
  if (options_.learner.feature_set == learn::FeatureSet::kSupported) support();
  return stats;
}

void Trainer::support() {
  const learn::CurrentWeights weights(learner_.store());
  Scorer scorer = model_.scorer(weights);
  std::vector<Key> keys;
  for (const Example& example : train_) {
    if (!example.usable) continue;
    scorer.start(example.tokens);
    for (const Part& part : parts_of_tree(model_.options().parts, example.heads, example.labels)) {
      scorer.keys_with_templates(part, keys);
      learner_.store().support(keys);
    }
  }
}

Cost Trainer::cost_of(const Example& example, double scale) const {
  return {example.heads, example.labels, scale * options_.head_cost, scale * options_.label_cost};
}

Trainer::Update Trainer::predict(const Example& example, Worker& worker, double smallest) const {
  worker.scorer.start(example.tokens);
  if (!learner_.loss().family()) return learn_from_beliefs(example, worker, smallest);
  return learner_.loss().needs_best() ? learn_from_best(example, worker, smallest)
                                      : learn_from_all(example, worker, smallest);
}

double Trainer::risk_temperature() const {
  const double done = learner_.time() / std::max(1.0, learner_.num_examples() * static_cast<double>(options_.epochs));
  const LossKind kind = learner_.loss().kind;
  const double start = kind == LossKind::kL2Risk ? 1.0 - options_.risk_share : 0.0;
  if (kind == LossKind::kL2 || done < start) return 0.0;
  const double share = start < 1.0 ? std::min(1.0, (done - start) / (1.0 - start)) : 1.0;
  return options_.hottest + share * (options_.coldest - options_.hottest);
}

/// Infinite beta: the best tree, costs included, against gold.
Trainer::Update Trainer::learn_from_best(const Example& example, Worker& worker, double smallest) const {
  Update update;
  const Cost cost = cost_of(example, learner_.loss().gamma);
  const ArcScores arcs = worker.scorer.score_arcs(example.candidates, {}, &cost, 0.0);
  // Proofs do not pay here: where the relaxation is fractional, its rounding teaches as well. And the best tree is
  // needed, not the one with the most likely arcs.
  DecoderOptions options = model_.options().decoder;
  const bool proves = options.method == Method::kExact;
  const bool expects = options.method == Method::kBeliefPropagation || options.method == Method::kRelax;
  if (proves || expects) options.method = Method::kAd3;
  const Solution solution = Decoder(example.candidates, arcs, worker.scorer, options, worker.decoder).solve();
  const Tree& tree = solution.tree;
  if (tree.heads.empty()) return update;
  update.certified = solution.certified;
  for (std::size_t m = 1; m < tree.heads.size(); ++m) {
    const bool right = tree.heads[m] == example.heads[m];
    update.right_heads += right;
    update.right_labels += right && tree.labels[m] == example.labels[m];
  }
  if (update.right_labels == example.tokens.num_words) return update;
  auto [parts, gold_score] = gold_parts(model_.options().parts, example, worker.scorer);
  for (const Part& part : parts_of_tree(model_.options().parts, tree.heads, tree.labels))
    parts.emplace_back(part, -1.0);
  const double loss = learner_.loss().value(tree.value, gold_score);
  update.gradient = descent(worker.teacher(example.tokens), std::move(parts), loss, smallest, worker.gradient);
  return update;
}

/// Finite beta: expectations under exp(beta (score + gamma cost)) against gold.
Trainer::Update Trainer::learn_from_all(const Example& example, Worker& worker, double smallest) const {
  Update update;
  const Cost cost = cost_of(example, learner_.loss().gamma);
  DecoderOptions options = model_.options().decoder;
  options.temperature = learner_.loss().temperature();
  const ArcScores arcs = worker.scorer.score_arcs(example.candidates, {}, &cost, options.temperature);
  Decoder decoder(example.candidates, arcs, worker.scorer, options, worker.decoder);
  const Expectation expectation = decoder.expect();
  if (!std::isfinite(expectation.value)) return update;
  auto [parts, gold_score] = gold_parts(model_.options().parts, example, worker.scorer);
  for (std::size_t a = 0; a < expectation.arcs.size(); ++a) {
    const double p = expectation.arcs[a];
    const std::int32_t h = example.candidates.heads[a];
    const std::int32_t m = example.candidates.modifiers[a];
    if (h == example.heads[at(m)] && p > 0.5) ++update.right_heads;
    if (p < smallest) continue;
    parts.push_back({{PartKind::kArc, 0, {h, m, 0, 0}}, -p});
    for (auto i = at(arcs.label_begin[a]); i < at(arcs.label_begin[a + 1]); ++i) {
      const double q = p * arcs.label_marginals[i];
      if (q < smallest) continue;
      parts.push_back({{PartKind::kLabel, arcs.label_ids[i], {h, m, 0, 0}}, -q});
      if (h == example.heads[at(m)] && arcs.label_ids[i] == example.labels[at(m)] && q > 0.5) ++update.right_labels;
    }
  }
  if (!expectation.parts.empty()) {
    const ParseProblem& problem = decoder.loose_problem();
    for (std::size_t i = 0; i < expectation.parts.size(); ++i) {
      if (expectation.parts[i] < smallest) continue;
      for (auto n = at(problem.name_begin[i]); n < at(problem.name_begin[i + 1]); ++n) {
        parts.emplace_back(problem.names[n], -expectation.parts[i]);
      }
    }
  }
  for (const auto& [part, p] : expectation.named_parts) parts.emplace_back(part, -p);
  const double loss = learner_.loss().value(expectation.value, gold_score);
  update.gradient = descent(worker.teacher(example.tokens), std::move(parts), loss, smallest, worker.gradient);
  return update;
}

/// Losses on beliefs: their gradient goes back through belief propagation to the scores of arcs and parts, and from an
/// arc's score to its labels'.
Trainer::Update Trainer::learn_from_beliefs(const Example& example, Worker& worker, double smallest) const {
  Update update;
  const Candidates& candidates = example.candidates;
  DecoderOptions options = model_.options().decoder;
  options.temperature = 1.0;
  const ArcScores arcs = worker.scorer.score_arcs(candidates, {}, nullptr, options.temperature);
  Decoder decoder(candidates, arcs, worker.scorer, options, worker.decoder);
  std::optional<ProjectiveBeliefs> exact;
  std::optional<ArcBeliefs> approximate;
  if (decoder.has_program()) {
    exact.emplace(candidates, arcs.scores, worker.scorer, options.single_root, options.temperature);
  } else {
    approximate.emplace(
        decoder.loose_problem(),
        ArcBeliefs::Options{options.temperature, options.bp_iterations, options.bp_tolerance, true, {}});
  }
  if (!(exact ? exact->feasible() : approximate->feasible())) return update;
  const std::vector<double> marginals = exact ? exact->arcs() : approximate->arcs();
  const LabelledBeliefs labelled{candidates, arcs, marginals};
  const Cost gold = cost_of(example, 1.0);
  const double temperature = risk_temperature();
  const BeliefLoss loss =
      temperature == 0.0 ? l2_loss(labelled, gold)
                         : risk_loss(labelled, gold, temperature, options.tree, options.single_root, worker.factors);
  const auto [grad_arcs, grad_parts] = exact ? exact->backward(loss.grad_arcs)
                                             : name_gradients(approximate->backward(loss.grad_arcs), decoder, smallest);
  WeightedParts parts;
  for (std::size_t a = 0; a < marginals.size(); ++a) {
    const std::int32_t h = candidates.heads[a];
    const std::int32_t m = candidates.modifiers[a];
    const bool right = h == example.heads[at(m)];
    update.right_heads += right && marginals[a] > 0.5;
    parts.push_back({{PartKind::kArc, 0, {h, m, 0, 0}}, -grad_arcs[a]});
    const auto [begin, end] = std::pair(at(arcs.label_begin[a]), at(arcs.label_begin[a + 1]));
    double mean = 0.0;
    for (std::size_t l = begin; l < end; ++l) mean += arcs.label_marginals[l] * loss.grad_labels[l];
    for (std::size_t l = begin; l < end; ++l) {
      const double p = arcs.label_marginals[l];
      const double grad = p * (grad_arcs[a] + loss.grad_labels[l] - mean);
      if (std::abs(grad) >= smallest) parts.push_back({{PartKind::kLabel, arcs.label_ids[l], {h, m, 0, 0}}, -grad});
      update.right_labels += right && arcs.label_ids[l] == example.labels[at(m)] && p * marginals[a] > 0.5;
    }
  }
  for (const auto& [part, grad] : grad_parts) parts.emplace_back(part, -grad);
  update.gradient = descent(worker.teacher(example.tokens), std::move(parts), loss.value, smallest, worker.gradient);
  return update;
}

Trainer::LossGradient Trainer::loss_and_gradient(std::int64_t i) const {
  const learn::CurrentWeights weights(learner_.store());
  const std::unique_ptr<Worker> worker = new_worker(weights);
  const Example& example = train_.at(at(i));
  if (!example.usable) return {};
  Gradient minus = predict(example, *worker, 0.0).gradient;
  LossGradient out{minus.loss, std::move(minus.keys), std::move(minus.values)};
  for (float& value : out.values) value = -value;
  return out;
}

std::unique_ptr<Trainer::Worker> Trainer::new_worker(const learn::WeightView& weights) const {
  return std::make_unique<Worker>(model_, live_features_.get(), weights, learner_.store().has_templates());
}

EpochStats Trainer::run(std::span<const std::int64_t> order) {
  EpochStats stats;
  const learn::CurrentWeights weights(learner_.store());
  std::vector<std::unique_ptr<Worker>> workers;
  const auto hire = [&] {
    workers.clear();
    for (int i = 0; i < options_.num_threads; ++i) workers.push_back(new_worker(weights));
  };
  hire();
  const auto look = [&](int worker, std::int64_t i, Update& update) {
    update = {};
    const Example& example = train_[at(i)];
    if (!example.usable) return;
    update = predict(example, *workers[at(worker)], kSmallWeight);
    if (!std::isfinite(update.gradient.squared_norm)) update = {};
  };
  const auto learn = [&](std::int64_t i, const Update& update) {
    const Example& example = train_[at(i)];
    if (!example.usable) return;
    learner_.add(update.gradient);
    stats.words += example.tokens.num_words;
    stats.right_heads += update.right_heads;
    stats.right_labels += update.right_labels;
    stats.sentences += 1;
    stats.certified += update.certified;
    stats.updates += !update.gradient.keys.empty();
    stats.loss += update.gradient.loss;
  };
  learn::run_batches<Update>(order, options_.learner.batch, options_.num_threads, look, learn, [&] {
    if (!learner_.end_batch() || !options_.live_only) return;
    set_live(with_weights(learner_.store()));
    hire();
  });
  return stats;
}

void Trainer::set_live(std::vector<Key> numbers) {
  live_ = std::move(numbers);
  std::vector<bool> marked(learn::kMostTemplates);
  for (const Key number : live_) marked[number] = true;
  live_features_ = std::make_unique<FeatureModel>(model_.features().only(marked));
}

learn::State Trainer::save() const {
  learn::State state = learner_.save();
  if (pruner_trainer_) pruner_trainer_->save(state);
  if (live_features_) state.put("live", std::vector<Key>(live_));
  return state;
}

void Trainer::restore(const learn::State& state) {
  learner_.restore(state);
  if (state.has("live")) {
    std::vector<Key> live = state.get<Key>("live");
    if (std::ranges::any_of(live, [](Key number) { return number >= learn::kMostTemplates; })) {
      throw std::invalid_argument("live: expected numbers of templates");
    }
    set_live(std::move(live));
  }
  if (!PrunerTrainer::is_in(state)) return;
  pruner_trainer().restore(state);
  model_.set_pruner_weights(pruner_trainer().weights());
}

DevScores Trainer::evaluate() const {
  const learn::AveragedWeights weights(learner_.store(), learner_.averaging_time());
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < options_.num_threads; ++i) workers.push_back(new_worker(weights));
  std::vector<DevScores> scores(dev_.size());
  numeric::parallel_for(static_cast<std::int64_t>(dev_.size()), options_.num_threads, [&](int worker, auto i) {
    const Example& example = dev_[at(i)];
    if (example.tokens.num_words == 0) return;
    Worker& w = *workers[at(worker)];
    w.scorer.start(example.tokens);
    const ArcScores arcs = w.scorer.score_arcs(example.candidates, {}, nullptr, 0.0);
    const Solution solution = Decoder(example.candidates, arcs, w.scorer, model_.options().decoder, w.decoder).solve();
    const Tree& parse = solution.tree;
    DevScores& mine = scores[at(i)];
    mine.words = example.tokens.num_words;
    mine.sentences = 1;
    mine.certified = solution.certified;
    for (std::size_t m = 1; m < parse.heads.size(); ++m) {
      const bool right = parse.heads[m] == example.heads[m];
      mine.right_heads += right;
      mine.right_labelled += right && parse.labels[m] == example.labels[m];
    }
  });
  DevScores total;
  for (const DevScores& mine : scores) {
    total.words += mine.words;
    total.right_heads += mine.right_heads;
    total.right_labelled += mine.right_labelled;
    total.sentences += mine.sentences;
    total.certified += mine.certified;
  }
  return total;
}

}  // namespace ramify::parsing
