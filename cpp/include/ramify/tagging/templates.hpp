// Feature templates of sequence labelling, as users write them: "w[-1]|w[0]" is the word before with this one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ramify/learn/feature_hash.hpp"

namespace ramify::tagging {

using learn::Key;

/// Which value of a word an item of a template takes. What is no atom is the name of a column.
enum class AtomKind : std::uint8_t {
  kWord,    // w: the form
  kLower,   // l: the form in lower case
  kPrefix,  // p1 … p9: first characters in lower case, for longer words only
  kSuffix,  // s1 … s9
  kShape,   // x: upper and lower case, digits, others; repeats collapsed
  kOutline,
  kSigns,     // n: characters that are neither letters nor digits, each once
  kCase,      // case: no capital, only the first letter, all letters, or others
  kDigit,     // digit: none, some or all of its characters
  kPunct,     // punct: the same of characters that are neither letters nor digits
  kCluster,   // c: cluster of the form; c1 … c20: its first characters
  kColumn,    // a column of the input
  kKind,      // a: the labels that the dictionary has for the word, as one value
  kPosition,  // first, last: whether the word is the first or the last of the sentence
};

struct Atom {
  AtomKind kind;
  std::uint8_t size;    // of affixes and cluster prefixes; 0: whole
  std::uint16_t index;  // of the column; of kPosition: 0 first, 1 last
  bool operator==(const Atom&) const = default;
};

struct Item {
  std::uint16_t atom;  // place in TemplateSet::atoms
  std::int16_t offset;
};

struct Template {
  Key seed;
  std::vector<Item> items;
};

struct TemplateSet {
  std::vector<Atom> atoms;  // every value that is needed, once
  std::vector<Template> templates;
  std::int32_t reach = 0;  // farthest offset
};

/// Columns are named in the order in which sentences hold them; the first is the form. Returns what is wrong with the
/// pattern, or nothing after having added it.
std::optional<std::string> add_template(std::string_view pattern, std::span<const std::string> columns,
                                        TemplateSet& set);

/// Words with their clusters, as hashes of forms.
using Clusters = std::unordered_map<Key, std::string>;

/// The columns of one sentence: [column][word].
using Columns = std::vector<std::vector<std::string_view>>;

/// Features of the words of a sentence.
struct WordFeatures {
  std::vector<std::uint32_t> begin;  // n + 1
  std::vector<Key> keys;
  std::vector<float> values;  // none: all 1
  std::size_t num_words() const { return begin.empty() ? 0 : begin.size() - 1; }
  std::span<const float> values_of(std::size_t word) const {
    if (values.empty()) return {};
    return std::span(values).subspan(begin[word], begin[word + 1] - begin[word]);
  }
};

/// What extraction reuses from sentence to sentence.
struct FeatureScratch {
  std::vector<Key> values;  // [n + 2 reach][atoms]
  std::vector<Key> kinds;   // [n], set by the caller: what AtomKind::kKind has for each word
  std::string lower, shape;
};

void extract(const TemplateSet& set, const Clusters& clusters, const Columns& columns, FeatureScratch& scratch,
             WordFeatures& out);

}  // namespace ramify::tagging
