#include "ramify/parsing/model.hpp"

#include <algorithm>

namespace ramify::parsing {

namespace {

std::unique_ptr<FeatureModel> compile(const ModelOptions& options) {
  std::vector<Atom> empty;
  const auto is_empty = [&](const char* column) { return std::ranges::count(options.empty, column) > 0; };
  if (is_empty("lemma")) empty.push_back(Atom::kLemma);
  if (is_empty("xpos")) empty.push_back(Atom::kFineTag);
  if (is_empty("feats")) empty.push_back(Atom::kFeats);
  const PartChoice& parts = options.parts;
  const std::pair<PartKind, bool> kinds[] = {
      {PartKind::kPrune, true},
      {PartKind::kArc, true},
      {PartKind::kLabel, true},
      {PartKind::kSibling, parts.sibling},
      {PartKind::kAnySibling, parts.any_sibling},
      {PartKind::kGrand, parts.grand},
      {PartKind::kGrandSibling, parts.grand_sibling},
      {PartKind::kTriSibling, parts.tri_sibling},
      {PartKind::kHeadBigram, parts.head_bigram},
  };
  std::vector<TemplateSet> sets;
  for (const auto& [kind, wanted] : kinds) {
    if (wanted) sets.push_back(compile_templates(kind, options.without, empty, is_empty("feats")));
  }
  return std::make_unique<FeatureModel>(std::move(sets));
}

}  // namespace

ParserModel::ParserModel(ModelOptions options, Vocabulary vocabulary, std::vector<std::string> labels, TagPairs pairs,
                         BucketWeights pruner_weights)
    : options_(std::move(options)),
      vocabulary_(std::move(vocabulary)),
      labels_(std::move(labels)),
      pairs_(std::move(pairs)),
      features_(compile(options_)),
      pruner_weights_(std::move(pruner_weights)) {
  for (const std::string& label : labels_) label_keys_.push_back(learn::combine(0x1abe1, learn::hash_text(label)));
}

Parse ParserModel::parse(const Tokens& tokens, ArcMask mask, LabelChoice labels, ParseScratch& scratch) const {
  if (tokens.num_words == 0) return {{-1}, {-1}, 0.0, 0.0, true, 0};
  const Candidates candidates = pruner().prune(tokens, mask, {}, scratch.pruner);
  if (candidates.begin.empty()) return {};
  Scorer scoring = scorer(weights_);
  scoring.start(tokens);
  const ArcScores arcs = scoring.score_arcs(candidates, labels, nullptr);
  return decode(candidates, arcs, scoring, options_.decoder, scratch.decoder);
}

void annotate(data::Sentence& sentence, const Parse& parse, std::span<const std::string> labels) {
  const std::span<std::int32_t> heads = sentence.heads();
  for (std::size_t i = 0; i < sentence.num_words(); ++i) {
    heads[i] = parse.heads[i + 1];
    sentence.set_cell(sentence.word_row(i), data::Column::kDeprel,
                      labels[static_cast<std::size_t>(parse.labels[i + 1])]);
  }
}

}  // namespace ramify::parsing
