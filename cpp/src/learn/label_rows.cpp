#include "ramify/learn/label_rows.hpp"

#include <algorithm>

namespace ramify::learn {

LabelRows::LabelRows(std::size_t num_features, std::size_t num_labels, const OptimizerOptions& options)
    : num_labels_(num_labels),
      adaptive_(Optimizer(options).keeps_squares()),
      most_(static_cast<std::uint32_t>(std::min<std::size_t>(std::max<std::size_t>(num_labels / 3, 4), 24))),
      rows_(num_features) {}

LabelRows::Entry* LabelRows::find(std::size_t feature, std::uint32_t label) {
  const Row& row = rows_[feature];
  Entry* const begin = pool_.data() + row.begin;
  if (whole(row)) return begin + label;
  for (std::uint32_t i = 0; i < row.size; ++i) {
    if (begin[i].label == label) return begin + i;
  }
  return nullptr;
}

void LabelRows::move_row(Row& row, std::uint32_t capacity) {
  const std::uint64_t begin = pool_.size();
  pool_.resize(begin + capacity);
  std::copy_n(pool_.data() + row.begin, row.size, pool_.data() + begin);
  row.begin = begin;
  row.capacity = capacity;
}

LabelRows::Entry& LabelRows::open(std::size_t feature, std::uint32_t label) {
  if (Entry* entry = find(feature, label)) return *entry;
  Row& row = rows_[feature];
  ++size_;
  if (row.size >= most_) {  // from here on with all labels, each in its place
    const std::vector<Entry> old(pool_.data() + row.begin, pool_.data() + row.begin + row.size);
    size_ += num_labels_ - row.size - 1;
    row.size = 0;
    move_row(row, static_cast<std::uint32_t>(num_labels_));
    row.size = static_cast<std::uint32_t>(num_labels_);
    for (std::uint32_t l = 0; l < num_labels_; ++l) pool_[row.begin + l].label = l;
    for (const Entry& entry : old) pool_[row.begin + entry.label] = entry;
    return pool_[row.begin + label];
  }
  if (row.size == row.capacity) move_row(row, std::max(2 * row.capacity, std::uint32_t{1}));
  Entry& entry = pool_[row.begin + row.size];
  entry = {0.0F, 0.0F, 0.0F, label};
  ++row.size;
  // A list as long as a whole row must be one.
  if (whole(row)) std::ranges::sort(std::span(pool_).subspan(row.begin, row.size), {}, &Entry::label);
  return *find(feature, label);
}

void LabelRows::save(State& state) const {
  std::vector<std::uint32_t> counts, labels;
  std::vector<float> weights, totals, squares;
  for (std::size_t f = 0; f < num_features(); ++f) {
    counts.push_back(rows_[f].size);
    for (const Entry& entry : row(f)) {
      labels.push_back(entry.label);
      weights.push_back(entry.weight);
      totals.push_back(entry.total);
      squares.push_back(entry.squares);
    }
  }
  state.put("counts", std::move(counts));
  state.put("labels", std::move(labels));
  state.put("weights", std::move(weights));
  state.put("totals", std::move(totals));
  state.put("squares", std::move(squares));
}

void LabelRows::restore(const State& state) {
  const auto& counts = state.get<std::uint32_t>("counts", num_features());
  const auto& labels = state.get<std::uint32_t>("labels");
  const auto& weights = state.get<float>("weights", labels.size());
  const auto& totals = state.get<float>("totals", labels.size());
  const auto& squares = state.get<float>("squares", labels.size());
  std::uint64_t in_rows = 0;
  for (const std::uint32_t count : counts) in_rows += count;
  if (in_rows != labels.size()) throw std::invalid_argument("The state to go on from expects labels for all counts.");
  if (std::ranges::any_of(labels, [&](std::uint32_t label) { return label >= num_labels_; })) {
    throw std::invalid_argument("The state to go on from expects labels that the model has.");
  }
  pool_.clear();
  size_ = 0;
  std::ranges::fill(rows_, Row{});
  std::size_t from = 0;
  for (std::size_t f = 0; f < counts.size(); ++f) {
    for (const std::size_t end = from + counts[f]; from < end; ++from) {
      open(f, labels[from]) = {weights[from], totals[from], squares[from], labels[from]};
    }
  }
}

}  // namespace ramify::learn
