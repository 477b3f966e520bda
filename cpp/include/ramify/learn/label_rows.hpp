// Weights of features with labels while they learn: the layout for features that are numbered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ramify/learn/frozen_label_rows.hpp"
#include "ramify/learn/optimizer.hpp"
#include "ramify/learn/state.hpp"
#include "ramify/numeric/large_allocator.hpp"

namespace ramify::learn {

/// Rows that grow while they learn: a short list of labels, or all labels once a row has many.
class LabelRows {
 public:
  struct Entry {
    float weight = 0.0F;
    float total = 0.0F;    // sum of step * time, for the average
    float squares = 0.0F;  // of gradients, for adaptive steps
    std::uint32_t label = 0;
  };

  /// What is remembered of each weight is what the optimizer needs.
  LabelRows(std::size_t num_features, std::size_t num_labels, const OptimizerOptions& options);

  std::size_t num_features() const { return rows_.size(); }
  std::size_t num_labels() const { return num_labels_; }
  std::span<const Entry> row(std::size_t feature) const {
    return std::span(pool_).subspan(rows_[feature].begin, rows_[feature].size);
  }
  Entry* find(std::size_t feature, std::uint32_t label);
  /// The entry, made where there is none. Pointers into other rows are void after this.
  Entry& open(std::size_t feature, std::uint32_t label);
  WeightCell cell(Entry& entry) const { return {&entry.weight, &entry.total, adaptive_ ? &entry.squares : nullptr}; }
  std::size_t size() const { return size_; }  // entries, whole rows counted whole
  /// Calls change(feature, entries) for every row that has entries. Those whose weights are 0 after it are forgotten,
  /// and so is their memory.
  template <class Change>
  void rewrite(const Change& change);

  void save(State& state) const;
  void restore(const State& state);

 private:
  struct Row {
    std::uint64_t begin = 0;
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;
  };
  bool whole(const Row& row) const { return row.size == num_labels_; }
  void move_row(Row& row, std::uint32_t capacity);

  std::size_t num_labels_;
  bool adaptive_;
  std::uint32_t most_;  // labels of a list; beyond, a row has all
  std::vector<Row> rows_;
  std::vector<Entry, numeric::LargeAllocator<Entry>> pool_;
  std::size_t size_ = 0;
};

template <class Change>
void LabelRows::rewrite(const Change& change) {
  decltype(pool_) old;
  old.swap(pool_);
  size_ = 0;
  for (std::size_t f = 0; f < rows_.size(); ++f) {
    const Row row = std::exchange(rows_[f], Row{});
    if (row.size == 0) continue;
    const std::span<Entry> entries = std::span(old).subspan(row.begin, row.size);
    change(f, entries);
    for (const Entry& entry : entries) {
      if (entry.weight != 0.0F) open(f, entry.label) = entry;
    }
  }
}

}  // namespace ramify::learn
