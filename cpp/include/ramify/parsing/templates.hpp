// The templates of a kind of part: which ones a model has, compiled into what features.cpp computes with.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ramify/parsing/kinds/kind.hpp"
#include "ramify/parsing/tokens.hpp"

namespace ramify::parsing {

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

/// Which templates a model has.
struct TemplateChoice {
  /// Each is "standard", "pool", or a kind and one of these or a template: "arc: pool", "arc: h.p m.p dist". The
  /// standard templates where there are none. The pruner always has its own.
  std::vector<std::string> chosen;
  std::vector<std::string> without;  // groups that are left out
};

/// The templates of a kind, each once, in the order in which they are chosen; in the pool, standard ones come first.
std::vector<std::string> patterns_of(PartKind kind, const TemplateChoice& choice);
/// The group of a template: as the kind has it, or for those of the pool by what they see.
std::string group_of(PartKind kind, std::string_view pattern);
/// What is wrong with an item of TemplateChoice::chosen; empty if nothing is.
std::string problem_with(std::string_view chosen);

/// Leaves out what reads columns that are empty in the treebank.
TemplateSet compile_templates(PartKind kind, const TemplateChoice& choice, std::span<const Atom> empty_columns,
                              bool no_feats);

}  // namespace ramify::parsing
