#include "ramify/factors/layout.hpp"

#include <algorithm>
#include <stdexcept>

namespace ramify::factors {

namespace {

Offsets doubled(Index num_factors, const Offsets& slots) {
  if (slots.uniform()) return Offsets(2 * slots.stride());
  std::vector<Index> values;
  for (Index f = 0; f <= num_factors; ++f) values.push_back(2 * slots[f]);
  return Offsets(std::move(values));
}

[[noreturn]] void refuse_size() {
  throw std::length_error("A group of factors expects at most 2^31 - 1 parts and slots; this one would have more.");
}

}  // namespace

Index product(Index a, Index b) {
  if (b != 0 && a > kMostOfGroup / b) refuse_size();
  return a * b;
}

Layout::Layout(Index num_factors, Offsets slots, Offsets parts)
    : num_factors_(num_factors),
      slots_(std::move(slots)),
      parts_(std::move(parts)),
      states_(doubled(num_factors, slots_)) {
  check();
}

Layout::Layout(Index num_factors, Offsets slots, Offsets parts, std::vector<std::int32_t> num_states)
    : num_factors_(num_factors), slots_(std::move(slots)), parts_(std::move(parts)) {
  check();
  if (std::ranges::all_of(num_states, [](std::int32_t k) { return k == 2; })) {
    states_ = doubled(num_factors, slots_);
    return;
  }
  num_states_ = std::move(num_states);
  coord_of_.push_back(0);
  state_of_.push_back(0);
  for (const std::int32_t k : num_states_) {
    coord_of_.push_back(coord_of_.back() + (k == 2 ? 1 : k));
    state_of_.push_back(state_of_.back() + k);
  }
  std::vector<Index> coords;
  std::vector<Index> states;
  for (Index f = 0; f <= num_factors; ++f) {
    coords.push_back(coord_of_[static_cast<std::size_t>(slots_[f])]);
    states.push_back(state_of_[static_cast<std::size_t>(slots_[f])]);
  }
  coords_ = Offsets(std::move(coords));
  states_ = Offsets(std::move(states));
}

void Layout::check() const {
  if (slots_[num_factors_] > kMostOfGroup || parts_[num_factors_] > kMostOfGroup) refuse_size();
}

}  // namespace ramify::factors
