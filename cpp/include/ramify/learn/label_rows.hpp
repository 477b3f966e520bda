// Weights of features with labels while they learn: the layout for features that are numbered.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ramify/learn/frozen_label_rows.hpp"
#include "ramify/learn/gravity.hpp"
#include "ramify/learn/optimizer.hpp"
#include "ramify/learn/proximal.hpp"
#include "ramify/learn/state.hpp"
#include "ramify/learn/template_scales.hpp"
#include "ramify/numeric/large_allocator.hpp"

namespace ramify::learn {

/// How the weights of rows shrink.
enum class RowPenalty : std::uint8_t {
  kNone,       // not at all, or all at once
  kTemplates,  // those of a template as a whole; see TemplateScales
  kWeights,    // each for itself when it is looked at, as Gravity has it
  kRows,       // those of a feature with its labels as a group, in the same way
};

/// Rows that grow while they learn: a short list of labels, or all labels once a row has many.
class LabelRows {
 public:
  struct Entry {
    float weight = 0.0F;
    float total = 0.0F;    // sum of step * time, for the average
    float squares = 0.0F;  // of gradients, for adaptive steps
    std::uint32_t label = 0;
  };

  /// What is remembered of each weight is what the optimizer needs. `templates`: of each feature, so that templates can
  /// be measured.
  LabelRows(std::vector<std::uint16_t> templates, std::size_t num_labels, const OptimizerOptions& options,
            RowPenalty penalty = RowPenalty::kNone);

  std::size_t num_features() const { return rows_.size(); }
  std::size_t num_labels() const { return num_labels_; }
  std::span<const Entry> row(std::size_t feature) const {
    return std::span(pool_).subspan(rows_[feature].begin, rows_[feature].size);
  }
  /// Fetches what row() of the features ahead will read: memory, not arithmetic, takes the time.
  void fetch(std::span<const std::uint32_t> features, std::size_t at) const {
    constexpr std::size_t kEntries = 8;  // rows whose entries are on their way; their places are found earlier
    if (at + 2 * kEntries < features.size()) __builtin_prefetch(&rows_[features[at + 2 * kEntries]]);
    if (at + kEntries < features.size()) __builtin_prefetch(pool_.data() + rows_[features[at + kEntries]].begin);
  }
  Entry* find(std::size_t feature, std::uint32_t label);
  /// The entry, made where there is none. Pointers into other rows are void after this.
  Entry& open(std::size_t feature, std::uint32_t label);
  WeightCell cell(Entry& entry) const { return {&entry.weight, &entry.total, adaptive_ ? &entry.squares : nullptr}; }
  /// Moves the weight of an entry of this feature, whose row is up to date.
  void move(std::size_t feature, Entry& entry, const Optimizer& optimizer, double descent, double step, double time) {
    const WeightCell moved = cell(entry);
    if (!scales_) return optimizer.move(moved, descent, step, time);
    scales_->move(templates_[feature], moved, optimizer.change(moved.squares, descent, step), time);
  }
  /// Brings a row up to date with the gravity, before entries change, or are read otherwise than by for_each_present().
  void touch(std::size_t feature) {
    if (gravity_ && stamps_[feature] != gravity_->now()) catch_up(feature);
  }
  bool lazy() const { return gravity_.has_value(); }
  /// Adds the present weights of a row, by their labels, to scores; the row need not be up to date.
  template <class Add>
  void for_each_present(std::size_t feature, const Add& add) const;
  /// Brings all rows up to date; averages, norms and files expect that.
  void settle();
  /// What the entries' weights are multiplied by, for the present weights if time is 0; averages are that less total /
  /// time.
  float factor(std::size_t feature, double time) const {
    return scales_ ? static_cast<float>(scales_->factor(templates_[feature], time)) : 1.0F;
  }
  double value(std::size_t feature, const Entry& entry, double time) const {
    return scales_ ? scales_->value(templates_[feature], entry.weight, entry.total, time)
                   : average(entry.weight, entry.total, time);
  }
  std::size_t size() const { return size_; }  // entries, whole rows counted whole
  /// The most entries that there ever were.
  std::size_t most() const { return std::max(most_ever_, size_); }
  const std::vector<std::uint16_t>& templates() const { return templates_; }
  std::vector<TemplateNorm> template_norms(double time) const;

  /// What proximal steps ask for, as WeightStore has it.
  template <class Visit>
  void for_each(const Visit& visit) {
    for (std::size_t f = 0; f < rows_.size(); ++f) {
      for (Entry& entry : std::span(pool_).subspan(rows_[f].begin, rows_[f].size)) visit(templates_[f], cell(entry));
    }
  }
  TemplateScales* scales() { return scales_ ? &*scales_ : nullptr; }
  /// A step that all weights, or all rows, take when they are looked at; whether there is such a thing here.
  bool fall(double threshold, double time);
  double scale(std::size_t number) const { return scales_ ? scales_->scale(number) : 1.0; }
  void set(std::size_t number, const WeightCell& cell, double value, double time);
  void tidy(double time, bool zeros);

  void save(State& state) const;
  void restore(const State& state);

 private:
  struct Row {
    std::uint64_t begin = 0;
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;
  };
  static double norm(std::span<const Entry> entries) {
    double squares = 0.0;
    for (const Entry& e : entries) squares += static_cast<double>(e.weight) * static_cast<double>(e.weight);
    return std::sqrt(squares);
  }
  bool whole(const Row& row) const { return row.size == num_labels_; }
  void count_opened(std::size_t feature, std::size_t number);
  double stiffness(const Entry& entry) const { return adaptive_ ? optimizer_.stiffness(&entry.squares) : 1.0; }
  void catch_up(std::size_t feature);
  template <class Keep>
  void forget(const Keep& keep);
  void move_row(Row& row, std::uint32_t capacity);

  std::size_t num_labels_;
  Optimizer optimizer_;
  bool adaptive_;
  RowPenalty penalty_;
  std::vector<std::uint16_t> templates_;
  std::optional<TemplateScales> scales_;
  std::optional<Gravity> gravity_;
  std::vector<std::uint32_t> stamps_;  // of rows: how much of the gravity they have felt
  std::size_t settled_ = 0;            // entries after the last time that all were up to date
  std::uint32_t most_;                 // labels of a list; beyond, a row has all
  std::vector<Row> rows_;
  std::vector<Entry, numeric::LargeAllocator<Entry>> pool_;
  std::size_t size_ = 0;
  std::size_t most_ever_ = 0;  // before the last time that there were fewer
};

template <class Add>
void LabelRows::for_each_present(std::size_t feature, const Add& add) const {
  const std::span<const Entry> entries = row(feature);
  const double fall = gravity_->fall(stamps_[feature]);
  if (fall == 0.0) {
    for (const Entry& e : entries) add(e.label, static_cast<double>(e.weight));
  } else if (penalty_ == RowPenalty::kWeights) {
    for (const Entry& e : entries) {
      add(e.label, soft_threshold(static_cast<double>(e.weight), fall / stiffness(e)));
    }
  } else {
    const double factor = shrink_factor(norm(entries), fall);
    if (factor == 0.0) return;
    for (const Entry& e : entries) add(e.label, factor * static_cast<double>(e.weight));
  }
}

}  // namespace ramify::learn
