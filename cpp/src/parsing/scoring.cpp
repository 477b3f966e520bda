#include "ramify/parsing/scoring.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ramify/factors/no_cross.hpp"
#include "ramify/numeric/index.hpp"
#include "ramify/trees/projectivity.hpp"

namespace ramify::parsing {

namespace {

/// Appends the parts of one sequence of modifiers, given away from the head with start and stop around it.
void append_sequence(const PartChoice& choice, std::int32_t g, std::int32_t h, bool right,
                     std::span<const std::int32_t> sequence, std::vector<Part>& out) {
  const std::size_t last = sequence.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    const std::int32_t m = sequence[i];
    const std::int32_t s = sequence[i + 1];
    if (choice.sibling) out.push_back({PartKind::kSibling, 0, {h, m, s, right ? 1 : 0}});
    if (i + 1 == last) continue;
    if (choice.grand && g >= 0) out.push_back({PartKind::kGrand, 0, {g, h, s, 0}});
    if (choice.grand_sibling && g >= 0) out.push_back({PartKind::kGrandSibling, 0, {g, h, m, s}});
    if (choice.tri_sibling) out.push_back({PartKind::kTriSibling, 0, {h, m, s, sequence[i + 2]}});
  }
}

void append_crossings(std::span<const std::int32_t> heads, std::vector<Part>& out) {
  const auto n = static_cast<std::int32_t>(heads.size()) - 1;
  for (std::int32_t m = 1; m <= n; ++m) {
    for (std::int32_t s = m + 1; s <= n; ++s) {
      if (factors::arcs_cross(heads[at(m)], m, heads[at(s)], s)) out.push_back({PartKind::kNoCross, 0, {m, s, 0, 0}});
    }
  }
}

void append_valencies(std::span<const std::int32_t> heads, std::vector<Part>& out) {
  std::vector<std::int32_t> counts(heads.size(), 0);
  for (std::size_t m = 1; m < heads.size(); ++m) ++counts[at(heads[m])];
  for (std::size_t h = 0; h < heads.size(); ++h) {
    out.push_back({PartKind::kValency, 0, {static_cast<std::int32_t>(h), 0, 0, std::min(counts[h], kMostModifiers)}});
  }
}

void append_paths(const PartChoice& choice, std::span<const std::int32_t> heads, std::vector<Part>& out) {
  const auto n = static_cast<std::int32_t>(heads.size()) - 1;
  std::vector<std::uint8_t> nonprojective(heads.size());
  trees::nonprojective_arcs(heads, nonprojective.data());
  for (std::int32_t m = 1; m <= n; ++m) {
    const std::int32_t head = heads[at(m)];
    for (std::int32_t h = head; h > 0 && choice.path; h = heads[at(h)]) {
      out.push_back({PartKind::kPath, 0, {h, m, 0, 0}});
    }
    if (choice.nonproj && nonprojective[at(m)] != 0) out.push_back({PartKind::kNonProj, 0, {head, m, 0, 0}});
  }
}

}  // namespace

std::vector<Part> parts_of_tree(const PartChoice& choice, std::span<const std::int32_t> heads,
                                std::span<const std::int32_t> labels) {
  const auto n = static_cast<std::int32_t>(heads.size()) - 1;
  std::vector<Part> out;
  for (std::int32_t m = 1; m <= n; ++m) {
    out.push_back({PartKind::kArc, 0, {heads[at(m)], m, 0, 0}});
    out.push_back({PartKind::kLabel, labels[at(m)], {heads[at(m)], m, 0, 0}});
    if (choice.head_bigram && m > 1) {
      out.push_back({PartKind::kHeadBigram, 0, {m, heads[at(m)], heads[at(m - 1)], 0}});
    }
  }
  if (choice.no_cross) append_crossings(heads, out);
  if (choice.valency) append_valencies(heads, out);
  if (choice.needs_paths()) append_paths(choice, heads, out);
  if (!choice.any()) return out;
  std::vector<std::int32_t> sequence;
  for (std::int32_t h = 0; h <= n; ++h) {
    const std::int32_t g = h == 0 ? -1 : heads[at(h)];
    for (const bool right : {false, true}) {
      if (h == 0 && !right) continue;
      sequence.assign(1, n + 1);
      for (std::int32_t m = right ? h + 1 : h - 1; m >= 1 && m <= n; m += right ? 1 : -1) {
        if (heads[at(m)] == h) sequence.push_back(m);
      }
      sequence.push_back(n + 2);
      append_sequence(choice, g, h, right, sequence, out);
    }
    if (!choice.any_sibling) continue;
    sequence.clear();
    for (std::int32_t m = 1; m <= n; ++m) {
      if (heads[at(m)] == h) sequence.push_back(m);
    }
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      for (std::size_t j = i + 1; j < sequence.size(); ++j) {
        out.push_back({PartKind::kAnySibling, 0, {h, sequence[i], sequence[j], 0}});
      }
    }
  }
  return out;
}

std::vector<Side> sides_of(const Candidates& candidates) {
  const std::int32_t n = candidates.num_words;
  std::vector<Side> sides;
  for (std::int32_t h = 0; h <= n; ++h) {
    if (h > 0) sides.push_back({h, false, {}});
    sides.push_back({h, true, {}});
  }
  const auto side = [](std::int32_t h, bool right) { return at(h == 0 ? 0 : 2 * h - 1 + (right ? 1 : 0)); };
  for (std::int32_t a = 0; a < candidates.size(); ++a) {
    const std::int32_t h = candidates.heads[at(a)];
    const bool right = h < candidates.modifiers[at(a)];
    sides[side(h, right)].arcs.push_back(a);
  }
  for (Side& s : sides) {
    if (!s.right) std::ranges::reverse(s.arcs);
  }
  return sides;
}

void Scorer::start(const Tokens& tokens) {
  tokens_ = &tokens;
  sentence_.emplace(features_, tokens);
  for (const PartKind kind : {PartKind::kArc, PartKind::kLabel}) sentence_->prepare(kind);
  if (choice_.sibling) sentence_->prepare(PartKind::kSibling);
  if (choice_.any_sibling) sentence_->prepare(PartKind::kAnySibling);
  if (choice_.grand) sentence_->prepare(PartKind::kGrand);
  if (choice_.grand_sibling) sentence_->prepare(PartKind::kGrandSibling);
  if (choice_.tri_sibling) sentence_->prepare(PartKind::kTriSibling);
  if (choice_.head_bigram) sentence_->prepare(PartKind::kHeadBigram);
  if (choice_.no_cross) sentence_->prepare(PartKind::kNoCross);
  if (choice_.valency) sentence_->prepare(PartKind::kValency);
  if (choice_.path) sentence_->prepare(PartKind::kPath);
  if (choice_.nonproj) sentence_->prepare(PartKind::kNonProj);
}

double Scorer::sum_labels(std::span<const std::int32_t> labels, double temperature, ArcScores& out) const {
  const double best = std::ranges::max(label_scores_);
  double total = 0.0;
  for (const double s : label_scores_) total += std::exp((s - best) / temperature);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    out.label_ids.push_back(labels[i]);
    out.label_marginals.push_back(std::exp((label_scores_[i] - best) / temperature) / total);
  }
  out.label_begin.push_back(static_cast<std::int32_t>(out.label_ids.size()));
  return best + temperature * std::log(total);
}

ArcScores Scorer::score_arcs(const Candidates& candidates, LabelChoice allowed, const Cost* cost, double temperature) {
  ArcScores out;
  if (temperature > 0.0) out.label_begin.push_back(0);
  out.scores.resize(at(candidates.size()));
  out.labels.resize(at(candidates.size()));
  for (std::int32_t a = 0; a < candidates.size(); ++a) {
    const std::int32_t h = candidates.heads[at(a)];
    const std::int32_t m = candidates.modifiers[at(a)];
    sentence_->keys(PartKind::kArc, {h, m, 0, 0}, keys_);
    const double arc = weights_.sum(keys_);
    sentence_->keys(PartKind::kLabel, {h, m, 0, 0}, keys_);
    std::span<const std::int32_t> labels = pairs_.labels(tokens_->tags[at(h)], tokens_->tags[at(m)]);
    if (!allowed.empty() && !allowed[at(m)].empty()) labels = allowed[at(m)];
    double best = -std::numeric_limits<double>::infinity();
    const bool gold_head = cost != nullptr && cost->heads[at(m)] == h;
    label_scores_.resize(labels.size());
    chosen_keys_.clear();
    for (const std::int32_t label : labels) chosen_keys_.push_back(label_keys_[at(label)]);
    weights_.label_sums(keys_, chosen_keys_, label_scores_);
    for (std::size_t l = 0; l < labels.size(); ++l) {
      const std::int32_t label = labels[l];
      double& s = label_scores_[l];
      if (gold_head && cost->labels[at(m)] != label) s += cost->label;
      if (s > best) best = s, out.labels[at(a)] = label;
    }
    if (temperature > 0.0) best = sum_labels(labels, temperature, out);
    out.scores[at(a)] = arc + best + (cost != nullptr && !gold_head ? cost->head : 0.0);
  }
  return out;
}

double Scorer::score(PartKind kind, const Roles& roles) {
  sentence_->keys(kind, roles, keys_);
  return weights_.sum(keys_);
}

void Scorer::ask(PartKind kind, const Roles& roles) {
  sentence_->keys(kind, roles, keys_);
  asked_.insert(asked_.end(), keys_.begin(), keys_.end());
  asked_ends_.push_back(static_cast<std::uint32_t>(asked_.size()));
}

std::span<const double> Scorer::answers() {
  answers_.resize(asked_ends_.size());
  weights_.sums(asked_, asked_ends_, answers_);
  asked_.clear();
  asked_ends_.clear();
  return answers_;
}

double Scorer::score(const Part& part) {
  keys(part, keys_);
  return weights_.sum(keys_);
}

double Scorer::score_label(const Part& part) {
  sentence_->keys(PartKind::kLabel, part.roles, keys_);
  double total = 0.0;
  weights_.label_sums(keys_, label_keys_.subspan(at(part.label), 1), {&total, 1});
  return total;
}

void Scorer::keys(const Part& part, std::vector<Key>& out) const {
  sentence_->keys(part.kind, part.roles, out);
  if (part.kind != PartKind::kLabel) return;
  for (Key& key : out) key = learn::with_label(key, label_keys_[at(part.label)]);
}

void Scorer::keys_with_templates(const Part& part, std::vector<Key>& out) {
  sentence_->keys(part.kind, part.roles, out, &templates_);
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (part.kind == PartKind::kLabel) out[k] = learn::with_label(out[k], label_keys_[at(part.label)]);
    out[k] = learn::with_template(out[k], templates_[k]);
  }
}

}  // namespace ramify::parsing
