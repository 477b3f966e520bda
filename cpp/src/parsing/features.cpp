#include "ramify/parsing/features.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>

#include "ramify/numeric/dispatch.hpp"
#include "ramify/parsing/kinds/relations.hpp"

namespace ramify::parsing {

namespace {

using learn::combine;
using learn::hash_text;
using learn::mix;

RAMIFY_DISPATCH void add_rows(std::size_t n, const Key* a, const Key* b, const Key* c, Key* out) {
  for (std::size_t t = 0; t < n; ++t) out[t] = a[t] + b[t] + c[t];
}
RAMIFY_DISPATCH void add_row(std::size_t n, const Key* a, Key* out) {
  for (std::size_t t = 0; t < n; ++t) out[t] += a[t];
}

}  // namespace

FeatureModel::FeatureModel(std::vector<TemplateSet> sets) {
  for (TemplateSet& set : sets) {
    const auto k = static_cast<std::size_t>(set.kind);
    relation_rows_[k].resize(static_cast<std::size_t>(kRelations) * set.size());
    for (std::size_t relation = 0; relation < kRelations; ++relation) {
      for (std::size_t t = 0; t < set.size(); ++t) {
        const CompiledTemplate& compiled = set.templates[t];
        const Key seen = compiled.distance ? relation : relation % kOrders;
        relation_rows_[k][relation * set.size() + t] = combine(compiled.seed ^ 0x5e1aULL, seen);
      }
    }
    sets_[k] = std::move(set);
  }
  for (std::size_t k = 1; k < first_.size(); ++k) first_[k] = first_[k - 1] + sets_[k - 1].size();
  const std::size_t total = num_templates();
  if (total > learn::kMostTemplates) {
    throw std::invalid_argument("model.templates expects at most " + std::to_string(learn::kMostTemplates) +
                                " templates of all kinds, the pruner's included; got " + std::to_string(total) + ".");
  }
}

FeatureModel FeatureModel::only(const std::vector<bool>& marked) const {
  std::vector<TemplateSet> sets;
  for (std::size_t k = 0; k < sets_.size(); ++k) {
    const TemplateSet& all = sets_[k];
    if (all.size() == 0) continue;
    TemplateSet& set = sets.emplace_back(TemplateSet{all.kind, all.num_roles, 0, {}, {}});
    for (std::size_t t = 0; t < all.size(); ++t) {
      if (first_[k] + t >= marked.size() || !marked[first_[k] + t]) continue;
      set.num_simple += t < all.num_simple ? 1 : 0;
      set.templates.push_back(all.templates[t]);
      set.patterns.push_back(all.patterns[t]);
    }
  }
  return FeatureModel(std::move(sets));
}

Key SentenceFeatures::value(std::int32_t position, Atom atom) const {
  static constexpr Key kBefore = hash_text("<before>");
  static constexpr Key kAfter = hash_text("<after>");
  if (position < 0) return kBefore;
  if (position > tokens_->num_words) return kAfter;
  return tokens_->atoms[static_cast<std::size_t>(position)][static_cast<std::size_t>(atom)];
}

Key SentenceFeatures::role_key(const CompiledTemplate& compiled, std::size_t role, std::int32_t word) const {
  static constexpr Key kStart = hash_text("<start>");
  static constexpr Key kStop = hash_text("<stop>");
  if (compiled.values[role].empty()) return 0;
  Key key = compiled.seed + role * 0x632be59bd9b4e019ULL;
  for (const CompiledTemplate::Value& v : compiled.values[role]) {
    const Key seen = word > tokens_->num_words ? (word == start() ? kStart : kStop) : value(word + v.offset, v.atom);
    key = combine(key, seen);
  }
  return key;
}

void SentenceFeatures::prepare(PartKind kind) {
  const TemplateSet& set = model_->of(kind);
  const auto num_words = static_cast<std::size_t>(stop()) + 1;
  std::vector<Key>& rows = rows_[static_cast<std::size_t>(kind)];
  const std::size_t num_roles = std::max<std::size_t>(set.num_roles, 2);  // as keys() reads; what is too many is zero
  rows.resize(num_roles * num_words * set.size());
  Key* out = rows.data();
  for (std::size_t role = 0; role < num_roles; ++role) {
    for (std::size_t word = 0; word < num_words; ++word) {
      for (const CompiledTemplate& compiled : set.templates) {
        *out++ = role_key(compiled, role, static_cast<std::int32_t>(word));
      }
    }
  }
}

const Key* SentenceFeatures::row(PartKind kind, std::size_t role, std::int32_t word) const {
  const auto k = static_cast<std::size_t>(kind);
  const auto num_words = static_cast<std::size_t>(stop()) + 1;
  return rows_[k].data() + (role * num_words + static_cast<std::size_t>(word)) * model_->of(kind).size();
}

SentenceFeatures::Between SentenceFeatures::between(std::int32_t a, std::int32_t b) const {
  const std::uint16_t tag_a = tokens_->tags[static_cast<std::size_t>(a)];
  const std::uint16_t tag_b = tokens_->tags[static_cast<std::size_t>(b)];
  std::uint64_t tags = 0;
  unsigned like_a = 0;
  unsigned like_b = 0;
  unsigned punctuation = 0;
  for (auto i = static_cast<std::size_t>(std::min(a, b)) + 1; i < static_cast<std::size_t>(std::max(a, b)); ++i) {
    const std::uint16_t tag = tokens_->tags[i];
    tags |= std::uint64_t{1} << (tag % 64U);
    like_a += tag == tag_a;
    like_b += tag == tag_b;
    punctuation += tokens_->punctuation[i];
  }
  const std::array<unsigned, 3> seen = {std::min(like_a, 2U), std::min(like_b, 2U), std::min(punctuation, 3U)};
  return {tags, mix(seen[0] * 16 + seen[1] * 4 + seen[2]), seen};
}

void SentenceFeatures::keys(PartKind kind, const Roles& roles, std::vector<Key>& out,
                            std::vector<std::size_t>* templates) const {
  const TemplateSet& set = model_->of(kind);
  const Key* relation_row = model_->relation_row(kind, relation(kind, roles));
  const std::size_t n = set.size();
  out.resize(n);
  add_rows(n, row(kind, 0, roles[0]), row(kind, 1, roles[1]), relation_row, out.data());
  for (std::size_t role = 2; role < set.num_roles; ++role) add_row(n, row(kind, role, roles[role]), out.data());
  if (templates != nullptr) {
    templates->resize(set.num_simple);
    std::iota(templates->begin(), templates->end(), model_->first_template(kind));
  }
  if (set.num_simple == n) return;
  const Between seen = between(roles[0], roles[1]);
  thread_local std::vector<Key> special;
  special.assign(out.begin() + static_cast<std::ptrdiff_t>(set.num_simple), out.end());
  out.resize(set.num_simple);
  for (std::size_t t = set.num_simple; t < n; ++t) {
    append_special(set, t, special[t - set.num_simple], roles, seen, out);
    if (templates != nullptr) templates->resize(out.size(), model_->first_template(kind) + t);
  }
}

void SentenceFeatures::append_special(const TemplateSet& set, std::size_t t, Key base, const Roles& roles,
                                      const Between& seen, std::vector<Key>& out) const {
  const CompiledTemplate& compiled = set.templates[t];
  if (compiled.between_counts) base += combine(compiled.seed, seen.counts);
  const std::size_t begin = out.size();
  if (compiled.between_tags) {
    out.resize(begin + static_cast<std::size_t>(std::popcount(seen.tags)));
    Key* key = out.data() + begin;
    for (std::uint64_t tags = seen.tags; tags != 0; tags &= tags - 1) {
      *key++ = base + combine(compiled.seed, static_cast<Key>(std::countr_zero(tags)));
    }
    return;
  }
  if (!compiled.each_feat[0] && !compiled.each_feat[1]) {
    out.push_back(base);
    return;
  }
  static constexpr Key kNone[] = {0};
  const std::span<const Key> first = compiled.each_feat[0] ? tokens_->feats_of(roles[0]) : std::span<const Key>(kNone);
  const std::span<const Key> second = compiled.each_feat[1] ? tokens_->feats_of(roles[1]) : std::span<const Key>(kNone);
  out.resize(begin + first.size() * second.size());
  Key* key = out.data() + begin;
  for (const Key a : first) {
    const Key with_first = base + combine(compiled.seed + 1, a);
    for (const Key b : second) *key++ = with_first + combine(compiled.seed + 2, b);
  }
}

}  // namespace ramify::parsing
