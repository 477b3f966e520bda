#include "ramify/parsing/tokens.hpp"

#include <algorithm>

#include "ramify/data/word_shape.hpp"

namespace ramify::parsing {

namespace {

using data::Column;
using data::lower;
using learn::combine;
using learn::hash_text;

constexpr std::size_t kAffix = 3;  // characters
constexpr std::size_t kMaxTags = 4096;

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view prefix(std::string_view text) { return data::first_characters(text, kAffix); }
std::string_view suffix(std::string_view text) { return data::last_characters(text, kAffix); }

/// Visits the kinds of characters of a form, repeats left out.
template <typename Visit>
void each_kind(std::string_view form, Visit visit) {
  char last = 0;
  for (const char c : form) {
    char kind = '-';
    if (is_upper(c)) kind = 'X';
    if (is_lower(c)) kind = 'x';
    if (is_digit(c)) kind = '9';
    if (static_cast<unsigned char>(c) >= 0x80) kind = 'u';
    if (kind != last) visit(kind);
    last = kind;
  }
}

Key shape(std::string_view form) {
  Key h = 0x51;
  each_kind(form, [&](char kind) { h = combine(h, static_cast<Key>(kind)); });
  return h;
}

bool is_punctuation(std::string_view form) {
  return std::ranges::none_of(form, [](char c) {
    return is_upper(c) || is_lower(c) || is_digit(c) || (static_cast<unsigned char>(c) >= 0x80 && c != '\xe2');
  });
}

}  // namespace

std::uint16_t Vocabulary::tag_id(std::string_view tag) const {
  const auto found = tag_ids_.find(std::string(tag));
  return found == tag_ids_.end() ? kUnknownTag : found->second;
}

void Vocabulary::count(const data::Sentence& sentence) {
  std::string low;
  for (std::size_t i = 0; i < sentence.num_words(); ++i) {
    const std::size_t row = sentence.word_row(i);
    lower(sentence.cell(row, Column::kForm), low);
    ++counts_[hash_text(low)];
    const std::string tag(sentence.cell(row, Column::kUpos));
    if (tag_ids_.contains(tag) || tags_.size() >= kMaxTags) continue;
    tag_ids_.emplace(tag, static_cast<std::uint16_t>(tags_.size()));
    tags_.push_back(tag);
  }
}

void Vocabulary::settle(std::int64_t frequent) {
  for (const auto& [form, count] : counts_) {
    if (count >= frequent) frequent_.push_back(form);
  }
  std::ranges::sort(frequent_);
  counts_.clear();
}

void Vocabulary::restore(std::vector<std::string> tags, std::vector<Key> frequent_forms) {
  tags_ = std::move(tags);
  frequent_ = std::move(frequent_forms);
  std::ranges::sort(frequent_);
  tag_ids_.clear();
  for (std::size_t i = kUnknownTag + 1; i < tags_.size(); ++i)
    tag_ids_.emplace(tags_[i], static_cast<std::uint16_t>(i));
}

std::string Vocabulary::text_of(const data::Sentence& sentence, std::int32_t word, Atom atom) const {
  if (word == 0) return "<root>";
  const std::size_t row = sentence.word_row(static_cast<std::size_t>(word) - 1);
  const std::string_view form = sentence.cell(row, Column::kForm);
  std::string low;
  lower(form, low);
  std::string outline;
  each_kind(form, [&](char kind) { outline.push_back(kind); });
  switch (atom) {
    case Atom::kWord:
      return low;
    case Atom::kLemma: {
      const std::string_view lemma = sentence.cell(row, Column::kLemma);
      return lemma == "_" ? low : std::string(lemma);
    }
    case Atom::kTag:
      return std::string(sentence.cell(row, Column::kUpos));
    case Atom::kFineTag:
      return std::string(sentence.cell(row, Column::kXpos));
    case Atom::kFeats:
      return std::string(sentence.cell(row, Column::kFeats));
    case Atom::kClass:
      if (std::ranges::binary_search(frequent_, hash_text(low))) return low;
      return "…" + std::string(suffix(low)) + "/" + outline;
    case Atom::kSuffix:
      return std::string(suffix(low));
    case Atom::kPrefix:
      return std::string(prefix(low));
    case Atom::kShape:
      return outline;
  }
  return {};
}

Tokens Vocabulary::encode(const data::Sentence& sentence) const {
  const std::size_t n = sentence.num_words();
  Tokens tokens;
  tokens.num_words = static_cast<std::int32_t>(n);
  tokens.atoms.resize(n + 1);
  tokens.tags.resize(n + 1, kRootTag);
  tokens.punctuation.resize(n + 1, 0);
  tokens.feats_begin.assign(2, 0);
  tokens.atoms[0].fill(hash_text("<root>"));
  std::string low;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = sentence.word_row(i);
    const std::string_view form = sentence.cell(row, Column::kForm);
    const std::string_view lemma = sentence.cell(row, Column::kLemma);
    const std::string_view tag = sentence.cell(row, Column::kUpos);
    const std::string_view feats = sentence.cell(row, Column::kFeats);
    lower(form, low);
    auto& atoms = tokens.atoms[i + 1];
    const auto set = [&](Atom atom, Key value) { atoms[static_cast<std::size_t>(atom)] = value; };
    const Key word = hash_text(low);
    const Key end = hash_text(suffix(low));
    const Key outline = shape(form);
    set(Atom::kWord, word);
    set(Atom::kLemma, lemma == "_" ? word : hash_text(lemma));
    set(Atom::kTag, hash_text(tag));
    set(Atom::kFineTag, hash_text(sentence.cell(row, Column::kXpos)));
    set(Atom::kFeats, hash_text(feats));
    set(Atom::kClass, std::ranges::binary_search(frequent_, word) ? word : combine(end, outline));
    set(Atom::kSuffix, end);
    set(Atom::kPrefix, hash_text(prefix(low)));
    set(Atom::kShape, outline);
    tokens.tags[i + 1] = tag_id(tag);
    tokens.punctuation[i + 1] = is_punctuation(form) ? 1 : 0;
    for (std::size_t begin = 0; feats != "_" && begin <= feats.size();) {
      const std::size_t bar = std::min(feats.find('|', begin), feats.size());
      if (bar > begin) tokens.feats.push_back(hash_text(feats.substr(begin, bar - begin)));
      begin = bar + 1;
    }
    tokens.feats_begin.push_back(static_cast<std::uint32_t>(tokens.feats.size()));
  }
  return tokens;
}

}  // namespace ramify::parsing
