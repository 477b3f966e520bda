// What a kind of part says about itself. Everything else asks these objects, and knows no kind by name.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramify/parsing/parts.hpp"

namespace ramify::parsing {

class ProblemBuilder;

/// Templates of one group, with commas between. "h.p m.p-1 m.p dist" is the tag of the head, the tag of the word before
/// the modifier, the tag of the modifier and the distance. The relation of the words (their order, for most kinds) is
/// always a part of a template.
///
/// Words are named by role, then by value: w form, l lemma, p coarse tag, t fine tag, F all morphological features,
/// f each of them, c form or (if rare) suffix and shape, s suffix, r prefix, x shape; +1 or -1 is the word after or
/// before. dist is the distance, btw counts and b names the tags between the first two words. dir adds nothing: it
/// stands where the relation is all that a template sees.
struct TemplateGroup {
  std::string_view name;  // in model.without
  std::string_view patterns;
};

/// Calls visit(group, pattern) for each template.
template <class Visit>
void each_template(std::span<const TemplateGroup> groups, Visit visit) {
  constexpr std::string_view kComma = ", ";
  for (const auto& [name, patterns] : groups) {
    for (std::size_t begin = 0; begin < patterns.size();) {
      const std::size_t end = std::min(patterns.find(kComma, begin), patterns.size());
      visit(name, patterns.substr(begin, end - begin));
      begin = end + kComma.size();
    }
  }
}

/// Which models have a kind.
enum class Use : std::uint8_t { kPruner, kAlways, kChosen };

/// Parts of the same shape share automata and dynamic programs, which ask for scores by shape. The words m, s and t are
/// neighbouring modifiers of h on one side, from the head outwards, the start and the stop of the sequence included.
enum class Shape : std::uint8_t {
  kFree,       // of no such shape: the kind reads trees and adds factors itself
  kPair,       // h m s, and as fourth number 1 on the right side
  kTriple,     // h m s t
  kGrand,      // g h m
  kGrandPair,  // g h m s
};
inline constexpr std::size_t kNumShapes = 5;

/// What the fourth number of a part says if it is not a word.
enum class Extra : std::uint8_t { kNone, kSide, kCount };

/// Where the walk through a tree stops to read parts.
enum class Place : std::uint8_t { kNowhere, kWord, kTree, kWordAgain, kHead };

/// What a kind sees there.
struct TreeView {
  std::span<const std::int32_t> heads;  // [1..n]
  std::span<const std::int32_t> labels;
  std::int32_t word = 0;       // kWord, kWordAgain; the head for kHead
  bool nonprojective = false;  // kWordAgain: the arc into the word covers a word that is not below the head
  std::span<const std::int32_t> modifiers;  // kHead: from left to right
  std::int32_t num_words() const { return static_cast<std::int32_t>(heads.size()) - 1; }
  std::int32_t head_of(std::int32_t m) const { return heads[static_cast<std::size_t>(m)]; }
};

struct Kind {
  struct Names {
    std::string_view name;   // in configurations, and in the hash of its features
    std::string_view roles;  // letters of its words, in order; templates use them
    std::string_view words;  // a part in words, for people: "{h} → {m}"
  } names;
  std::span<const TemplateGroup> templates;  // "standard": made by hand
  struct Relation {
    /// Distance and directions of a part in a sentence of so many words, as relations.hpp packs them.
    int (*pack)(const Roles& roles, std::int32_t num_words);
    /// The directions in words.
    std::string (*describe)(unsigned directions);
  } relation;
  Use use = Use::kChosen;
  Shape shape = Shape::kFree;
  Extra extra = Extra::kNone;
  /// Templates that selection chooses from besides these, made by a rule from the letters of the roles; see pools.hpp.
  std::vector<std::string> (*pool)(std::string_view roles) = nullptr;
  /// Kinds of no shape: the parts that a tree has.
  struct Reading {
    Place place = Place::kNowhere;
    void (*read)(const TreeView& tree, std::vector<Part>& out) = nullptr;
  } reading = {};
  /// Kinds of no shape: the factors that carry the parts. Those that add pairs of arcs to the family that kinds share
  /// say so: they come before it is closed.
  struct Factors {
    void (*add)(ProblemBuilder& builder) = nullptr;
    bool share_pairs = false;
  } factors = {};
};

}  // namespace ramify::parsing
