// A priority queue whose members' priorities can change.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ramify::inference {

/// Largest priority first, the lower number among equals, so that the order is the same everywhere.
class IndexedHeap {
 public:
  IndexedHeap(std::size_t size, std::span<const std::int32_t> members, double priority)
      : heap_(members.begin(), members.end()), place_(size, -1), priority_(size, 0.0) {
    for (std::size_t i = 0; i < heap_.size(); ++i) {  // equal priorities in increasing order are a heap
      place_[at(heap_[i])] = static_cast<std::int32_t>(i);
      priority_[at(heap_[i])] = priority;
    }
  }

  std::int32_t top() const { return heap_.front(); }
  double top_priority() const { return heap_.empty() ? 0.0 : priority_[at(heap_.front())]; }

  /// Members only; others are passed over.
  void add(std::int32_t member, double more) {
    if (place_[at(member)] >= 0 && more > 0.0) set(member, priority_[at(member)] + more);
  }
  void set(std::int32_t member, double priority) {
    const double old = std::exchange(priority_[at(member)], priority);
    const auto place = static_cast<std::size_t>(place_[at(member)]);
    if (priority > old) {
      rise(place);
    } else {
      sink(place);
    }
  }

 private:
  static std::size_t at(std::int32_t member) { return static_cast<std::size_t>(member); }
  bool before(std::int32_t a, std::int32_t b) const {
    const double pa = priority_[at(a)];
    const double pb = priority_[at(b)];
    return pa > pb || (pa == pb && a < b);
  }
  void put(std::size_t place, std::int32_t member) {
    heap_[place] = member;
    place_[at(member)] = static_cast<std::int32_t>(place);
  }
  void rise(std::size_t place) {
    const std::int32_t member = heap_[place];
    for (; place > 0 && before(member, heap_[(place - 1) / 2]); place = (place - 1) / 2) {
      put(place, heap_[(place - 1) / 2]);
    }
    put(place, member);
  }
  void sink(std::size_t place) {
    const std::int32_t member = heap_[place];
    for (std::size_t below = 2 * place + 1; below < heap_.size(); below = 2 * place + 1) {
      if (below + 1 < heap_.size() && before(heap_[below + 1], heap_[below])) ++below;
      if (!before(heap_[below], member)) break;
      put(place, heap_[below]);
      place = below;
    }
    put(place, member);
  }

  std::vector<std::int32_t> heap_;
  std::vector<std::int32_t> place_;
  std::vector<double> priority_;
};

}  // namespace ramify::inference
