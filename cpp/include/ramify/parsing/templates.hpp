// The templates of a kind of part, compiled into what features.cpp computes with.
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

/// Leaves out the groups named in `without` and what reads columns that are empty in the treebank.
TemplateSet compile_templates(PartKind kind, std::span<const std::string> without, std::span<const Atom> empty_columns,
                              bool no_feats);

}  // namespace ramify::parsing
