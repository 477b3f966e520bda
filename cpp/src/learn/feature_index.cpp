#include "ramify/learn/feature_index.hpp"

#include "slots.hpp"

namespace ramify::learn {

FeatureIndex::FeatureIndex() : slots_(kFirstSlots), shift_(shift_for(kFirstSlots)) {}

FeatureIndex::Slot& FeatureIndex::slot_of(Key key) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = static_cast<std::size_t>(key >> shift_);
  while (slots_[i].key != 0 && slots_[i].key != key) i = (i + 1) & mask;
  return slots_[i];
}

void FeatureIndex::grow() {
  decltype(slots_) old(slots_.size() * 2);
  old.swap(slots_);
  shift_ = shift_for(slots_.size());
  for (const Slot& slot : old) {
    if (slot.key != 0) slot_of(slot.key) = slot;
  }
}

void FeatureIndex::count(Key key) {
  key = key == 0 ? 1 : key;
  Slot* slot = &slot_of(key);
  if (slot->key == 0) {
    if (2 * (used_ + 1) > slots_.size()) {
      grow();
      slot = &slot_of(key);
    }
    ++used_;
    slot->key = key;
    keys_.push_back(key);
  }
  ++slot->value;
}

void FeatureIndex::settle(std::uint32_t least) {
  std::vector<Key> kept;
  for (const Key key : keys_) {
    Slot& slot = slot_of(key);
    if (slot.value < least) {
      slot.value = kNone;
      continue;
    }
    slot.value = static_cast<std::uint32_t>(kept.size());
    kept.push_back(key);
  }
  keys_ = std::move(kept);
}

std::uint32_t FeatureIndex::find(Key key) const {
  const std::size_t mask = slots_.size() - 1;
  key = key == 0 ? 1 : key;
  for (std::size_t i = static_cast<std::size_t>(key >> shift_);; i = (i + 1) & mask) {
    if (slots_[i].key == key) return slots_[i].value;
    if (slots_[i].key == 0) return kNone;
  }
}

}  // namespace ramify::learn
