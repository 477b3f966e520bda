// Keys of the features of every part of a sentence.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "ramify/parsing/templates.hpp"

namespace ramify::parsing {

/// All kinds of parts that a model scores, and what distances and directions add to a key.
class FeatureModel {
 public:
  explicit FeatureModel(std::vector<TemplateSet> sets);
  /// The same with only those templates whose number is marked; they get other numbers.
  FeatureModel only(const std::vector<bool>& marked) const;
  const TemplateSet& of(PartKind kind) const { return sets_[static_cast<std::size_t>(kind)]; }
  bool has(PartKind kind) const { return of(kind).size() > 0; }
  /// Templates that learn weights by their own are numbered through all kinds; this is the number of a kind's first.
  std::size_t first_template(PartKind kind) const { return first_[static_cast<std::size_t>(kind)]; }
  /// Of all kinds.
  std::size_t num_templates() const { return first_.back() + sets_.back().size(); }
  /// One number per template; `relation` is the kind's.
  const Key* relation_row(PartKind kind, int relation) const {
    const auto k = static_cast<std::size_t>(kind);
    return relation_rows_[k].data() + static_cast<std::size_t>(relation) * sets_[k].size();
  }

 private:
  std::array<TemplateSet, kMaxPartKinds> sets_;
  std::array<std::vector<Key>, kMaxPartKinds> relation_rows_;
  std::array<std::size_t, kMaxPartKinds> first_{};
};

class SentenceFeatures {
 public:
  SentenceFeatures(const FeatureModel& model, const Tokens& tokens) : model_(&model), tokens_(&tokens) {}
  void prepare(PartKind kind);  // once, before the first keys() of a kind

  /// Stand-ins for a sibling where the sequence of modifiers starts and stops.
  std::int32_t start() const { return tokens_->num_words + 1; }
  std::int32_t stop() const { return tokens_->num_words + 2; }

  /// Replaces `out` by the keys of one part, and `templates`, if there, by the number of the template of each. Labels
  /// add label_key(...) to each key.
  void keys(PartKind kind, const Roles& roles, std::vector<Key>& out,
            std::vector<std::size_t>* templates = nullptr) const;

  /// What stands between two words.
  struct Between {
    std::uint64_t tags = 0;  // a set; ids beyond 63 share
    Key counts = 0;
    std::array<unsigned, 3>
        seen{};  // what counts stands for: tags like the first word's, like the second's, punctuation
  };
  Between between(std::int32_t a, std::int32_t b) const;
  int relation(PartKind kind, const Roles& roles) const {
    return kind_of(kind).relation.pack(roles, tokens_->num_words);
  }

 private:
  Key value(std::int32_t position, Atom atom) const;
  Key role_key(const CompiledTemplate& compiled, std::size_t role, std::int32_t word) const;
  const Key* row(PartKind kind, std::size_t role, std::int32_t word) const;
  void append_special(const TemplateSet& set, std::size_t t, Key base, const Roles& roles, const Between& between,
                      std::vector<Key>& out) const;

  const FeatureModel* model_;
  const Tokens* tokens_;
  std::array<std::vector<Key>, kMaxPartKinds> rows_;  // [role][word][template]
};

}  // namespace ramify::parsing
