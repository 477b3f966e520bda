#include "ramify/learn/weight_store.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "slots.hpp"

namespace ramify::learn {

WeightStore::WeightStore(FeatureSet set, std::uint64_t num_buckets, const OptimizerOptions& options, bool scaled)
    : set_(set),
      num_buckets_(set == FeatureSet::kBuckets ? num_buckets : 0),
      averaged_(options.averaged),
      adaptive_(Optimizer(options).keeps_squares()),
      shift_(shift_for(kFirstSlots)),
      slots_(kFirstSlots),
      squares_(averaged_ && adaptive_ ? kFirstSlots : 0) {
  if (!scaled) return;
  expect_templates();
  scales_.emplace();
}

// These stand in the innermost loops of training, and nowhere but here.

/// Never 0 but for the template, as no key of a slot in use may be.
inline Key WeightStore::reduce(Key key) const {
  if (num_buckets_ > 0) key = to_bucket(key, num_buckets_);
  return key > kTemplate ? key : key + kTemplate + 1;
}

inline std::size_t WeightStore::probe(Key key) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = home(key);; i = (i + 1) & mask) {
    if (same(slots_[i].key, key) || slots_[i].key == 0) return i;
  }
}

inline const WeightStore::Slot* WeightStore::find(Key key) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = home(key);; i = (i + 1) & mask) {
    if (same(slots_[i].key, key)) return &slots_[i];
    if (slots_[i].key == 0) return nullptr;
  }
}

std::size_t WeightStore::open(Key key) {
  std::size_t i = probe(key);
  if (slots_[i].key != 0) return i;
  if (2 * (size_ + 1) > slots_.size()) {
    rehash(2 * slots_.size(), [](const Slot&) { return true; });
    i = probe(key);
  }
  ++size_;
  if (scales_) scales_->opened(template_of(key));
  slots_[i].key = key;
  return i;
}

std::size_t WeightStore::slot_to_learn(Key key) {
  if (set_ != FeatureSet::kSupported) return open(key);
  const std::size_t i = probe(key);
  return slots_[i].key == 0 ? kNone : i;
}

template <class Keep>
void WeightStore::rehash(std::size_t num_slots, const Keep& keep) {
  decltype(slots_) old(num_slots);
  decltype(squares_) old_squares(squares_.empty() ? 0 : num_slots);
  old.swap(slots_);
  old_squares.swap(squares_);
  shift_ = shift_for(num_slots);
  size_ = 0;
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old[i].key == 0 || !keep(old[i])) continue;
    const std::size_t to = probe(old[i].key);
    slots_[to] = old[i];
    if (!squares_.empty()) squares_[to] = old_squares[i];
    ++size_;
  }
}

void WeightStore::reserve(std::size_t num_weights) {
  const std::size_t num_slots = std::bit_ceil(2 * num_weights);
  if (num_slots > slots_.size()) rehash(num_slots, [](const Slot&) { return true; });
}

/// Into a table that is no larger than what is left needs.
template <class Keep>
void WeightStore::forget(const Keep& keep) {
  most_ = most();
  std::size_t left = 0;
  for (const Slot& slot : slots_) {
    if (slot.key == 0) continue;
    if (keep(slot)) {
      ++left;
    } else if (scales_) {
      scales_->forgotten(template_of(slot.key), slot.weight);
    }
  }
  if (left < size_) rehash(std::max(kFirstSlots, std::bit_ceil(2 * left + 2)), keep);
  if (scales_) scales_->all_forgotten();
}

void WeightStore::support(std::span<const Key> keys) {
  for (const Key key : keys) open(reduce(key));
}

void WeightStore::restrict_to(std::span<const Key> keys) {
  set_ = FeatureSet::kSupported;
  reserve(size_ + keys.size());
  support(keys);
}

inline void WeightStore::move_slot(std::size_t slot, double descent, const Optimizer& optimizer, double step,
                                   double time) {
  const WeightCell moved = cell(slot);
  if (!scales_) return optimizer.move(moved, descent, step, time);
  scales_->move(template_of(slots_[slot].key), moved, optimizer.change(moved.squares, descent, step), time);
}

void WeightStore::move(std::span<const Key> keys, std::span<const float> values, const Optimizer& optimizer,
                       double step, double time) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) __builtin_prefetch(&slots_[home(reduce(keys[i + kAhead]))], 1);
    const std::size_t slot = slot_to_learn(reduce(keys[i]));
    if (slot != kNone) move_slot(slot, static_cast<double>(values[i]), optimizer, step, time);
  }
}

void WeightStore::move_sums(std::vector<std::pair<Key, float>>& values, const Optimizer& optimizer, double step,
                            double time) {
  for (auto& [key, value] : values) key = reduce(key);
  // Not by value too: equal keys keep the order they came in, and sums do not depend on the sorting.
  if (!std::ranges::is_sorted(values, {}, &std::pair<Key, float>::first)) {
    std::ranges::stable_sort(values, {}, &std::pair<Key, float>::first);
  }
  for (std::size_t i = 0; i < values.size();) {
    if (i + kAhead < values.size()) __builtin_prefetch(&slots_[home(values[i + kAhead].first)], 1);
    const Key key = values[i].first;
    double sum = 0.0;
    for (; i < values.size() && values[i].first == key; ++i) sum += static_cast<double>(values[i].second);
    const std::size_t slot = slot_to_learn(key);
    if (slot != kNone) move_slot(slot, sum, optimizer, step, time);
  }
}

double WeightStore::weight(Key key, double time) const {
  const Slot* slot = find(reduce(key));
  return slot == nullptr ? 0.0 : value(*slot, time);
}

double WeightStore::sum(std::span<const Key> keys, double time) const {
  const std::uint32_t end[] = {static_cast<std::uint32_t>(keys.size())};
  double total = 0.0;
  sums(keys, end, time, {&total, 1});
  return total;
}

void WeightStore::label_sums(std::span<const Key> keys, std::span<const Key> labels, double time,
                             std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) __builtin_prefetch(&slots_[home(reduce(keys[i + kAhead]))]);
    for (std::size_t l = 0; l < labels.size(); ++l) {
      const Slot* slot = find(reduce(with_label(keys[i], labels[l])));
      if (slot != nullptr) out[l] += value(*slot, time);
    }
  }
}

template <bool scaled>
void WeightStore::sum_slots(std::span<const Key> keys, std::span<const std::uint32_t> ends, double time,
                            std::span<double> out) const {
  std::size_t i = 0;
  for (std::size_t part = 0; part < ends.size(); ++part) {
    double weight = 0.0;
    double total = 0.0;
    for (; i < ends[part]; ++i) {
      if (i + kAhead < keys.size()) __builtin_prefetch(&slots_[home(reduce(keys[i + kAhead]))]);
      if (const Slot* slot = find(reduce(keys[i]))) {
        const auto one = static_cast<double>(slot->weight);
        weight += scaled ? one * scales_->factor(template_of(slot->key), time) : one;
        total += static_cast<double>(slot->memory);
      }
    }
    out[part] = time > 0.0 ? weight - total / time : weight;
  }
}

void WeightStore::sums(std::span<const Key> keys, std::span<const std::uint32_t> ends, double time,
                       std::span<double> out) const {
  if (!averaged_) time = 0.0;
  if (scales_) {
    sum_slots<true>(keys, ends, time, out);
  } else {
    sum_slots<false>(keys, ends, time, out);
  }
}

void WeightStore::expect_templates() const {
  if (!has_templates()) throw std::invalid_argument("Weights in buckets are shared by features of several templates.");
}

std::vector<TemplateNorm> WeightStore::template_norms(double time) const {
  expect_templates();
  std::vector<TemplateNorm> norms(kMostTemplates);
  for (const Slot& slot : slots_) {
    const double weight = slot.key == 0 ? 0.0 : value(slot, time);
    if (weight == 0.0) continue;
    TemplateNorm& norm = norms[template_of(slot.key)];
    ++norm.count;
    norm.squares += weight * weight;
  }
  while (!norms.empty() && norms.back().count == 0) norms.pop_back();
  return norms;
}

void WeightStore::drop_template(std::size_t number) {
  expect_templates();
  forget([number](const Slot& slot) { return template_of(slot.key) != number; });
}

void WeightStore::set(std::size_t number, const WeightCell& cell, double value, double time) {
  if (scales_) return scales_->set(number, cell, value, time);
  const auto before = static_cast<double>(*cell.weight);
  *cell.weight = static_cast<float>(value);
  if (cell.total != nullptr) *cell.total += static_cast<float>((static_cast<double>(*cell.weight) - before) * time);
}

void WeightStore::tidy(double time, bool zeros) {
  if (scales_) scales_->absorb(*this, time);
  const bool dead = scales_ && scales_->has_dead();
  if (!dead && !zeros) return;
  forget([&](const Slot& slot) {
    return !(zeros && slot.weight == 0.0F) && !(dead && scales_->dead(template_of(slot.key)));
  });
}

std::vector<std::pair<Key, double>> WeightStore::weights(double time) const {
  std::vector<std::pair<Key, double>> out;
  out.reserve(size_);
  for_each_in_order([&](std::size_t i) { out.emplace_back(slots_[i].key, value(slots_[i], time)); });
  return out;
}

void WeightStore::save(State& state) const {
  std::vector<Key> keys;
  std::vector<float> weights, memory, squares;
  keys.reserve(size_);
  weights.reserve(size_);
  memory.reserve(size_);
  for_each_in_order([&](std::size_t i) {
    keys.push_back(slots_[i].key);
    weights.push_back(slots_[i].weight);
    memory.push_back(slots_[i].memory);
    if (!squares_.empty()) squares.push_back(squares_[i]);
  });
  state.put("keys", std::move(keys));
  state.put("weights", std::move(weights));
  if (adaptive_ && !averaged_) squares.swap(memory);
  if (!averaged_) memory.clear();
  state.put("totals", std::move(memory));
  state.put("squares", std::move(squares));
  if (!scales_) return;
  scales_->save(state);
  state.put("most", std::vector<std::uint64_t>{most()});
}

void WeightStore::restore(const State& state) {
  const auto& keys = state.get<Key>("keys");
  const auto& weights = state.get<float>("weights", keys.size());
  const auto& totals = state.get<float>("totals", averaged_ ? keys.size() : 0);
  const auto& squares = state.get<float>("squares", adaptive_ ? keys.size() : 0);
  reserve(size_ + keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const WeightCell to = cell(open(keys[k] > kTemplate ? keys[k] : keys[k] + kTemplate + 1));
    *to.weight = weights[k];
    if (to.total != nullptr) *to.total = totals[k];
    if (to.squares != nullptr) *to.squares = squares[k];
  }
  if (!scales_) return;
  scales_->restore(state);
  most_ = state.get<std::uint64_t>("most", 1)[0];
}

}  // namespace ramify::learn
