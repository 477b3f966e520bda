// Feature templates: one readable table per kind of part, compiled into what features.cpp computes with.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramify/parsing/tokens.hpp"

namespace ramify::parsing {

/// What carries a score. The roles of its words, in order, are the letters that templates use.
enum class PartKind : std::uint8_t {
  kPrune,         // h m: the small model that prunes
  kArc,           // h m
  kLabel,         // h m: the label of an arc, conjoined with every feature
  kSibling,       // h m s: neighbouring modifiers on one side, m nearer to h; start and stop count as words
  kAnySibling,    // h m s: any two modifiers, m left of s
  kGrand,         // g h m
  kGrandSibling,  // g h m s
  kTriSibling,    // h m s t: three neighbouring modifiers, start and stop included
  kHeadBigram,    // w h q: a word, its head, the head of the word before
  kNoCross,       // m s: two words, m left of s, whose arcs from their heads cross
  kValency,       // h: how many modifiers a head has
  kPath,          // h k: h is above k in the tree, the root aside
  kNonProj,       // h m: an arc over a word that is not below h
};
inline constexpr std::size_t kNumPartKinds = 13;
inline constexpr std::size_t kMaxRoles = 4;

std::string_view name_of(PartKind kind);
std::string_view roles_of(PartKind kind);

/// A line of a table: "h.p m.p-1 m.p dist" is the tag of the head, the tag of the word before the modifier, the tag of
/// the modifier and the distance. Direction is always a part of it.
struct TemplateLine {
  PartKind kind;
  std::string_view group;
  std::string_view pattern;
};
std::span<const TemplateLine> template_table();

struct CompiledTemplate {
  struct Value {
    Atom atom;
    std::int8_t offset;
  };
  Key seed;
  std::array<std::vector<Value>, kMaxRoles> values;  // by role
  bool distance = false;
  bool between_counts = false;              // btw: how often the tags of h and m, and punctuation, stand between
  bool between_tags = false;                // b: each tag that stands between
  std::array<bool, kMaxRoles> each_feat{};  // r.f: each feature=value
  bool simple() const { return !between_counts && !between_tags && !each_feat[0] && !each_feat[1]; }
};

/// The templates of one kind, simple ones first.
struct TemplateSet {
  PartKind kind = PartKind::kArc;
  std::size_t num_roles = 0;
  std::size_t num_simple = 0;
  std::vector<CompiledTemplate> templates;
  std::vector<std::string> patterns;  // as written, same order
  std::size_t size() const { return templates.size(); }
};

/// Leaves out the groups named in `without` and what reads columns that are empty in the treebank.
TemplateSet compile_templates(PartKind kind, std::span<const std::string> without, std::span<const Atom> empty_columns,
                              bool no_feats);

}  // namespace ramify::parsing
