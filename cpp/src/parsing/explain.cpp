#include "ramify/parsing/explain.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace ramify::parsing {

namespace {

constexpr std::string_view kAtomLetters = "wlptFcsrx";  // in the order of Atom, as templates.cpp reads them

template <typename Visit>
void each_word(std::string_view pattern, Visit visit) {
  for (std::size_t begin = 0; begin < pattern.size();) {
    const std::size_t end = std::min(pattern.find(' ', begin), pattern.size());
    visit(pattern.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

/// Which one of the several values a template may take is meant: a tag in between, a feature of each word.
struct Explainer::Choice {
  std::string tag;
  std::array<std::string, 2> feats;
};

Explainer::Explainer(const ParserModel& model, const data::Sentence& sentence, const neural::Output* output)
    : model_(model),
      sentence_(sentence),
      tokens_(model.vocabulary().encode(sentence)),
      features_(model.features(), tokens_),
      network_(model.network_scores(output)) {
  for (std::size_t kind = 0; kind < kNumPartKinds; ++kind) {
    if (model.features().has(static_cast<PartKind>(kind))) features_.prepare(static_cast<PartKind>(kind));
  }
}

std::string Explainer::word_text(std::int32_t word, std::int32_t offset, Atom atom) const {
  if (word > tokens_.num_words) return word == features_.start() ? "<start>" : "<stop>";
  const std::int32_t position = word + offset;
  if (position < 0) return "<before>";
  if (position > tokens_.num_words) return "<after>";
  return model_.vocabulary().text_of(sentence_, position, atom);
}

std::vector<std::string> Explainer::feats_of(std::int32_t word) const {
  std::vector<std::string> found;
  if (word == 0) return found;
  const std::string feats = model_.vocabulary().text_of(sentence_, word, Atom::kFeats);
  for (std::size_t begin = 0; feats != "_" && begin <= feats.size();) {
    const std::size_t bar = std::min(feats.find('|', begin), feats.size());
    if (bar > begin) found.push_back(feats.substr(begin, bar - begin));
    begin = bar + 1;
  }
  return found;
}

std::string Explainer::between_text(const SentenceFeatures::Between& seen, std::string_view roles) const {
  const auto& [first, second, punctuation] = seen.seen;
  const auto count = [](unsigned n, unsigned most) { return std::to_string(n) + (n == most ? "+" : ""); };
  return std::string{roles[0]} + ":" + count(first, 2) + "," + roles[1] + ":" + count(second, 2) +
         ",punct:" + count(punctuation, 3);
}

std::vector<std::string> Explainer::tags_between(std::uint64_t tags, std::int32_t a, std::int32_t b) const {
  std::vector<std::string> found;
  for (; tags != 0; tags &= tags - 1) {
    const auto bit = static_cast<std::uint16_t>(std::countr_zero(tags));
    for (auto i = static_cast<std::size_t>(std::min(a, b)) + 1; i < static_cast<std::size_t>(std::max(a, b)); ++i) {
      if (tokens_.tags[i] % 64U != bit) continue;
      found.push_back(model_.vocabulary().tags()[tokens_.tags[i]]);
      break;
    }
  }
  return found;
}

std::vector<Explainer::Choice> Explainer::choices(const CompiledTemplate& compiled, const Part& part,
                                                  const SentenceFeatures::Between& seen) const {
  std::vector<Choice> found;
  if (compiled.between_tags) {
    for (std::string& tag : tags_between(seen.tags, part.roles[0], part.roles[1]))
      found.push_back({std::move(tag), {}});
    return found;
  }
  const std::vector<std::string> none(1);
  const auto values = [&](std::size_t role) { return compiled.each_feat[role] ? feats_of(part.roles[role]) : none; };
  for (const std::string& first : values(0)) {
    for (const std::string& second : values(1)) found.push_back({{}, {first, second}});
  }
  return found;
}

std::string Explainer::values_text(std::string_view pattern, const Part& part, const RelationFacts& relation,
                                   const SentenceFeatures::Between& seen, const Choice& choice) const {
  const std::string_view roles = kind_of(part.kind).names.roles;
  std::string text;
  each_word(pattern, [&](std::string_view word) {
    if (word == "dir") return;  // the directions follow
    text.append(word).append("=");
    if (word == "dist") {
      text += relation.distance;
    } else if (word == "btw") {
      text += between_text(seen, roles);
    } else if (word == "b") {
      text += choice.tag;
    } else {
      const std::size_t role = roles.find(word[0]);
      if (word[2] == 'f') {
        text += choice.feats[role];
      } else {
        const std::int32_t offset = word.size() == 5 ? (word[3] == '-' ? -1 : 1) * (word[4] - '0') : 0;
        text += word_text(part.roles[role], offset, static_cast<Atom>(kAtomLetters.find(word[2])));
      }
    }
    text.push_back(' ');
  });
  text += kind_of(part.kind).relation.describe(relation.directions);
  if (part.kind == PartKind::kLabel) text += " label=" + model_.labels()[static_cast<std::size_t>(part.label)];
  return text;
}

FeatureFact Explainer::explain_network(const Part& part) const {
  const Kind& kind = kind_of(part.kind);
  std::string values;
  for (std::size_t role = 0; role < kind.names.roles.size(); ++role) {
    values += kind.names.roles[role];
    values += ".w=" + word_text(part.roles[role], 0, Atom::kWord) + " ";
  }
  const bool is_label = part.kind == PartKind::kLabel;
  if (is_label) values += "label=" + model_.labels()[static_cast<std::size_t>(part.label)];
  if (!is_label) values.pop_back();
  const double score = is_label ? network_->label(part) : network_->score(part.kind, part.roles);
  return {"network", std::string(kind.names.name), values, 0, score};
}

std::vector<FeatureFact> Explainer::explain(const Part& part) const {
  if (network_) return {explain_network(part)};
  const TemplateSet& set = model_.features().of(part.kind);
  const RelationFacts relation = describe_relation(features_.relation(part.kind, part.roles));
  const SentenceFeatures::Between seen =
      set.num_simple < set.size() ? features_.between(part.roles[0], part.roles[1]) : SentenceFeatures::Between{};
  std::vector<Key> keys;
  features_.keys(part.kind, part.roles, keys);
  std::vector<FeatureFact> facts;
  for (std::size_t t = 0; t < set.size(); ++t) {
    for (const Choice& choice : choices(set.templates[t], part, seen)) {
      if (facts.size() == keys.size()) throw std::logic_error("explain: more values than keys");
      Key key = keys[facts.size()];
      double weight = 0.0;
      if (part.kind == PartKind::kLabel) {
        // As arcs are scored: where two features have the same mark, label_sums counts both and sum the first.
        const Key label = model_.label_keys()[static_cast<std::size_t>(part.label)];
        model_.weights().label_sums({&key, 1}, {&label, 1}, {&weight, 1});
        key = learn::with_label(key, label);
      } else {
        weight = model_.weights().sum({&key, 1});
      }
      facts.push_back({group_of(part.kind, set.patterns[t]), set.patterns[t],
                       values_text(set.patterns[t], part, relation, seen, choice), key, weight});
    }
  }
  if (facts.size() != keys.size()) throw std::logic_error("explain: more keys than values");
  return facts;
}

}  // namespace ramify::parsing
