#include "ramify/learn/label_rows.hpp"

#include <algorithm>
#include <utility>

namespace ramify::learn {

LabelRows::LabelRows(std::vector<std::uint16_t> templates, std::size_t num_labels, const OptimizerOptions& options,
                     RowPenalty penalty)
    : num_labels_(num_labels),
      optimizer_(options),
      adaptive_(optimizer_.keeps_squares()),
      penalty_(penalty),
      templates_(std::move(templates)),
      most_(static_cast<std::uint32_t>(std::min<std::size_t>(std::max<std::size_t>(num_labels / 3, 4), 24))),
      rows_(templates_.size()) {
  if (penalty == RowPenalty::kTemplates) scales_.emplace();
  if (penalty != RowPenalty::kWeights && penalty != RowPenalty::kRows) return;
  gravity_.emplace();
  stamps_.resize(rows_.size());
}

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

void LabelRows::count_opened(std::size_t feature, std::size_t number) {
  size_ += number;
  for (std::size_t i = 0; scales_ && i < number; ++i) scales_->opened(templates_[feature]);
}

LabelRows::Entry& LabelRows::open(std::size_t feature, std::uint32_t label) {
  touch(feature);
  if (Entry* entry = find(feature, label)) return *entry;
  Row& row = rows_[feature];
  count_opened(feature, row.size >= most_ ? num_labels_ - row.size : 1);
  if (row.size >= most_) {  // from here on with all labels, each in its place
    const std::vector<Entry> old(pool_.data() + row.begin, pool_.data() + row.begin + row.size);
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

std::vector<TemplateNorm> LabelRows::template_norms(double time) const {
  std::vector<TemplateNorm> norms(kMostTemplates);
  for (std::size_t f = 0; f < rows_.size(); ++f) {
    for (const Entry& entry : row(f)) {
      const double weight = value(f, entry, time);
      if (weight == 0.0) continue;
      ++norms[templates_[f]].count;
      norms[templates_[f]].squares += weight * weight;
    }
  }
  while (!norms.empty() && norms.back().count == 0) norms.pop_back();
  return norms;
}

void LabelRows::set(std::size_t number, const WeightCell& cell, double value, double time) {
  if (scales_) return scales_->set(number, cell, value, time);
  const auto before = static_cast<double>(*cell.weight);
  *cell.weight = static_cast<float>(value);
  *cell.total += static_cast<float>((static_cast<double>(*cell.weight) - before) * time);
}

bool LabelRows::fall(double threshold, double time) {
  if (!gravity_) return false;
  gravity_->add(threshold, time);
  // Every so often, so that memory follows what is learned: a look at all costs as much as all that was opened since.
  if (size_ > 2 * settled_) settle();
  return true;
}

void LabelRows::catch_up(std::size_t feature) {
  const std::uint32_t stamp = std::exchange(stamps_[feature], gravity_->now());
  const std::span<Entry> entries = std::span(pool_).subspan(rows_[feature].begin, rows_[feature].size);
  const double of_row = penalty_ == RowPenalty::kRows ? norm(entries) : 0.0;
  for (Entry& e : entries) {
    // The thresholds of a weight are divided by its stiffness, which only gradients change.
    const auto weight = static_cast<double>(e.weight);
    const double whole = penalty_ == RowPenalty::kRows ? of_row : std::abs(weight) * stiffness(e);
    if (weight == 0.0 || whole == 0.0) continue;
    const double fall = gravity_->fall(stamp);
    if (fall < whole) {
      e.weight = static_cast<float>(weight * (1.0 - fall / whole));
      e.total -= static_cast<float>(weight / whole * gravity_->moment(stamp));
    } else {  // what is forgotten has no past
      e.weight = e.total = 0.0F;
    }
  }
}

void LabelRows::settle() {
  if (!gravity_) return;
  for (std::size_t f = 0; f < rows_.size(); ++f) touch(f);
  forget([](std::size_t, const Entry& entry) { return entry.weight != 0.0F; });
  settled_ = std::max(size_, std::size_t{1} << 12U);
}

/// Into a pool without gaps.
template <class Keep>
void LabelRows::forget(const Keep& keep) {
  most_ever_ = most();
  decltype(pool_) old;
  old.swap(pool_);
  for (std::size_t f = 0; f < rows_.size(); ++f) {
    Row& row = rows_[f];
    const std::span<const Entry> entries = std::span(old).subspan(row.begin, row.size);
    row = {pool_.size(), 0, 0};
    for (const Entry& entry : entries) {
      if (keep(f, entry)) {
        pool_.push_back(entry);
      } else {
        --size_;
        if (scales_) scales_->forgotten(templates_[f], entry.weight);
      }
    }
    row.size = row.capacity = static_cast<std::uint32_t>(pool_.size() - row.begin);
  }
  pool_.shrink_to_fit();
  if (scales_) scales_->all_forgotten();
}

void LabelRows::tidy(double time, bool zeros) {
  if (scales_) scales_->absorb(*this, time);
  const bool dead = scales_ && scales_->has_dead();
  if (!dead && !zeros) return;
  forget([&](std::size_t feature, const Entry& entry) {
    return !(zeros && entry.weight == 0.0F) && !(dead && scales_->dead(templates_[feature]));
  });
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
  if (scales_) scales_->save(state);
  if (gravity_) {
    gravity_->save(state);
    state.put("stamps", stamps_);
  }
  state.put("most", std::vector<std::uint64_t>{most(), settled_});
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
  if (scales_) scales_->restore(state);
  const auto& most = state.get<std::uint64_t>("most", 2);
  most_ever_ = most[0];
  settled_ = most[1];
  if (!gravity_) return;
  const auto& stamps = state.get<std::uint32_t>("stamps", rows_.size());
  gravity_->restore(state);
  if (std::ranges::any_of(stamps, [&](std::uint32_t stamp) { return stamp > gravity_->now(); })) {
    throw std::invalid_argument("The state to go on from expects stamps of steps that there were.");
  }
  stamps_ = stamps;
}

}  // namespace ramify::learn
