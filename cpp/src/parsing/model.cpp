#include "ramify/parsing/model.hpp"

#include <algorithm>
#include <cmath>

namespace ramify::parsing {

namespace {

std::unique_ptr<FeatureModel> compile(const ModelOptions& options) {
  std::vector<Atom> empty;
  const auto is_empty = [&](const char* column) { return std::ranges::count(options.empty, column) > 0; };
  if (is_empty("lemma")) empty.push_back(Atom::kLemma);
  if (is_empty("xpos")) empty.push_back(Atom::kFineTag);
  if (is_empty("feats")) empty.push_back(Atom::kFeats);
  std::vector<TemplateSet> sets = {compile_templates(PartKind::kPrune, options.templates, empty, is_empty("feats"))};
  for (const PartKind kind : options.parts.all()) {
    sets.push_back(compile_templates(kind, options.templates, empty, is_empty("feats")));
  }
  return std::make_unique<FeatureModel>(std::move(sets));
}

/// The chosen head of a word gets the probability that such heads turned out to deserve; the others share the rest.
void calibrate(const Candidates& candidates, const DecoderOptions& options, Parse& parse) {
  constexpr double kSmall = 1e-9;
  if (options.curve.size() < 2) return;
  for (std::int32_t m = 1; m <= candidates.num_words; ++m) {
    const auto begin = static_cast<std::size_t>(candidates.begin[static_cast<std::size_t>(m) - 1]);
    const auto end = static_cast<std::size_t>(candidates.begin[static_cast<std::size_t>(m)]);
    const auto chosen = static_cast<std::size_t>(candidates.find(parse.tree.heads[static_cast<std::size_t>(m)], m));
    double others = 0.0;
    for (std::size_t a = begin; a < end; ++a) others += a == chosen ? 0.0 : parse.arc_marginals[a];
    if (others <= 0.0) continue;  // there is no other head
    const double p = std::clamp(parse.arc_marginals[chosen], kSmall, 1.0 - kSmall);
    const double last = static_cast<double>(options.curve.size()) - 1.0;
    const double x = std::clamp(std::log(p / (1.0 - p)) - DecoderOptions::kFirstKnot, 0.0, last);
    const auto knot = std::min(static_cast<std::size_t>(x), options.curve.size() - 2);
    const double beyond = x - static_cast<double>(knot);
    const double q = options.curve[knot] * (1.0 - beyond) + options.curve[knot + 1] * beyond;
    for (std::size_t a = begin; a < end; ++a) parse.arc_marginals[a] *= (1.0 - q) / others;
    parse.arc_marginals[chosen] = q;
  }
}

}  // namespace

ParserModel::ParserModel(ModelOptions options, Vocabulary vocabulary, std::vector<std::string> labels, TagPairs pairs,
                         std::vector<float> pruner_weights)
    : options_(std::move(options)),
      vocabulary_(std::move(vocabulary)),
      labels_(std::move(labels)),
      pairs_(std::move(pairs)),
      features_(compile(options_)),
      pruner_weights_(std::move(pruner_weights)) {
  for (const std::string& label : labels_) label_keys_.push_back(learn::combine(0x1abe1, learn::hash_text(label)));
}

std::optional<NetworkScores> ParserModel::network_scores(const neural::Output* output) const {
  if (network_ == nullptr) return std::nullopt;
  return NetworkScores(*network_, *output);
}

Parse ParserModel::parse(const Tokens& tokens, const ParseRequest& request, std::span<const Constraint> constraints,
                         ParseScratch& scratch, const neural::Output* output) const {
  Parse parse;
  if (tokens.num_words == 0) {
    parse.tree = {{-1}, {-1}, 0.0};
    parse.certified = true;
    return parse;
  }
  if (request.max_words > 0 && tokens.num_words > request.max_words) {
    parse.status = ParseStatus::kTooLong;
    return parse;
  }
  DecoderOptions decoding = options_.decoder;
  PrunerOptions pruning = options_.pruner;
  if (request.projective) decoding.tree = TreeKind::kProjective, pruning.projective = true;
  decoding.mbr = request.mbr;
  if (request.time_limit > 0.0) decoding.ad3.time_limit = request.time_limit;
  const Allowed allowed = apply(constraints, tokens.num_words);
  const std::optional<NetworkScores> network = network_scores(output);
  const Pruner pruner = this->pruner(pruning, network ? &*network : nullptr);
  const Candidates candidates = pruner.prune(tokens, allowed.arcs, {}, scratch.pruner);
  const auto refuse = [&] {
    parse.status = ParseStatus::kInfeasible;
    parse.conflict = find_conflict(constraints, tokens.num_words, decoding.single_root, pruning.projective);
    return parse;
  };
  if (candidates.begin.empty()) return refuse();
  Scorer scoring = scorer(weights_);
  scoring.start(tokens, network ? &*network : nullptr);
  const ArcScores arcs = scoring.score_arcs(candidates, allowed.labels, nullptr, 0.0);
  Decoder decoder(candidates, arcs, scoring, decoding, scratch.decoder);
  Solution solution = decoder.solve();
  if (solution.tree.heads.empty()) return refuse();
  parse.tree = std::move(solution.tree);
  parse.bound = solution.bound;
  parse.certified = solution.certified;
  parse.iterations = solution.iterations;
  if (request.marginals) {
    parse.arc_heads = candidates.heads;
    parse.arc_modifiers = candidates.modifiers;
    parse.arc_marginals = decoder.expect().arcs;
    calibrate(candidates, decoding, parse);
  }
  if (request.k > 1) parse.k_best = decoder.k_best(request.k);
  return parse;
}

ParseProblem ParserModel::problem(const Tokens& tokens, Factorization factorization, bool projective,
                                  Candidates& candidates, ParseScratch& scratch, const neural::Output* output) const {
  candidates = {};
  if (tokens.num_words == 0) return {};
  PrunerOptions pruning = options_.pruner;
  pruning.projective = pruning.projective || projective;
  const std::optional<NetworkScores> network = network_scores(output);
  candidates = pruner(pruning, network ? &*network : nullptr).prune(tokens, {}, {}, scratch.pruner);
  if (candidates.begin.empty()) return {};
  Scorer scoring = scorer(weights_);
  scoring.start(tokens, network ? &*network : nullptr);
  const ArcScores arcs = scoring.score_arcs(candidates, {}, nullptr, 0.0);
  const TreeKind tree = projective ? TreeKind::kProjective : options_.decoder.tree;
  return build_problem(candidates, arcs.scores, scoring, tree, options_.decoder.single_root, factorization);
}

double ParserModel::score(const Tokens& tokens, std::span<const std::int32_t> heads,
                          std::span<const std::int32_t> labels, const neural::Output* output) const {
  const std::optional<NetworkScores> network = network_scores(output);
  Scorer scoring = scorer(weights_);
  scoring.start(tokens, network ? &*network : nullptr);
  double total = 0.0;
  for (const Part& part : parts_of_tree(options_.parts, heads, labels)) {
    total += part.kind == PartKind::kLabel ? scoring.score_label(part) : scoring.score(part);
  }
  return total;
}

void annotate(data::Sentence& sentence, const Tree& tree, std::span<const std::string> labels) {
  const std::span<std::int32_t> heads = sentence.heads();
  for (std::size_t i = 0; i < sentence.num_words(); ++i) {
    heads[i] = tree.heads[i + 1];
    sentence.set_cell(sentence.word_row(i), data::Column::kDeprel,
                      labels[static_cast<std::size_t>(tree.labels[i + 1])]);
  }
}

}  // namespace ramify::parsing
