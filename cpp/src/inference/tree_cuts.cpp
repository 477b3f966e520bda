#include "ramify/inference/tree_cuts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ramify::inference {
namespace {

using Flags = std::vector<std::uint8_t>;

/// Maximum flow by shortest augmenting paths with level graphs (Dinic), on the arcs that carry something.
class Network {
 public:
  Network(std::span<const std::int32_t> heads, std::span<const std::int32_t> modifiers, std::int32_t num_words,
          std::span<const double> x)
      : first_(static_cast<std::size_t>(num_words) + 1, -1), level_(first_.size()), current_(first_.size()) {
    for (std::size_t a = 0; a < x.size(); ++a) {
      if (x[a] <= 0.0) continue;
      add(heads[a], modifiers[a], x[a]);
      add(modifiers[a], heads[a], 0.0);
    }
    residual_ = capacity_;
  }

  std::size_t num_words() const { return first_.size() - 1; }

  /// Flow from the root to a word, stopped at `enough`; side: words on the root's side of a minimum cut.
  double flow(std::int32_t target, double enough, Flags& side) {
    residual_ = capacity_;
    double total = 0.0;
    // What is missing may be less than what counts as flow: then it is enough.
    while (enough - total > kTiny && find_levels(target)) {
      current_ = first_;
      while (enough - total > kTiny) {
        const double pushed = push(0, target, enough - total);
        if (pushed <= kTiny) break;
        total += pushed;
      }
    }
    if (enough - total <= kTiny) return enough;
    find_levels(-1);
    for (std::size_t w = 0; w < side.size(); ++w) side[w] = level_[w] >= 0;
    return total;
  }

  Flags reached() {
    residual_ = capacity_;
    find_levels(-1);
    Flags out(first_.size());
    for (std::size_t w = 0; w < out.size(); ++w) out[w] = level_[w] >= 0;
    return out;
  }

 private:
  static constexpr double kTiny = 1e-12;

  void add(std::int32_t from, std::int32_t to, double capacity) {
    to_.push_back(to);
    capacity_.push_back(capacity);
    next_.push_back(first_[static_cast<std::size_t>(from)]);
    first_[static_cast<std::size_t>(from)] = static_cast<std::int32_t>(to_.size()) - 1;
  }

  bool find_levels(std::int32_t target) {
    std::fill(level_.begin(), level_.end(), -1);
    level_[0] = 0;
    queue_.assign(1, 0);
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const std::int32_t word = queue_[i];
      for (std::int32_t e = first_[static_cast<std::size_t>(word)]; e >= 0; e = next_[static_cast<std::size_t>(e)]) {
        const std::int32_t other = to_[static_cast<std::size_t>(e)];
        if (residual_[static_cast<std::size_t>(e)] <= kTiny || level_[static_cast<std::size_t>(other)] >= 0) continue;
        level_[static_cast<std::size_t>(other)] = level_[static_cast<std::size_t>(word)] + 1;
        queue_.push_back(other);
      }
    }
    return target >= 0 && level_[static_cast<std::size_t>(target)] >= 0;
  }

  double push(std::int32_t word, std::int32_t target, double most) {
    if (word == target) return most;
    for (std::int32_t& e = current_[static_cast<std::size_t>(word)]; e >= 0; e = next_[static_cast<std::size_t>(e)]) {
      const auto edge = static_cast<std::size_t>(e);
      const auto other = static_cast<std::size_t>(to_[edge]);
      if (residual_[edge] <= kTiny || level_[other] != level_[static_cast<std::size_t>(word)] + 1) continue;
      const double pushed = push(to_[edge], target, std::min(most, residual_[edge]));
      if (pushed <= kTiny) continue;
      residual_[edge] -= pushed;
      residual_[edge ^ 1U] += pushed;
      return pushed;
    }
    return 0.0;
  }

  std::vector<std::int32_t> first_, level_, current_, to_, next_, queue_;
  std::vector<double> capacity_, residual_;
};

/// Sets of words, among those that the root does not reach, that no arc leads into: a word and all that lead to it.
std::vector<Flags> islands(std::span<const std::int32_t> heads, std::span<const std::int32_t> modifiers,
                           std::span<const double> x, const Flags& reached) {
  const std::size_t size = reached.size();
  std::vector<std::vector<std::int32_t>> before(size);
  for (std::size_t a = 0; a < x.size(); ++a) {
    if (x[a] > 0.0) before[static_cast<std::size_t>(modifiers[a])].push_back(heads[a]);
  }
  std::vector<Flags> out;
  Flags done = reached;
  for (std::size_t word = 1; word < size; ++word) {
    if (done[word]) continue;
    Flags set(size, 0);
    std::vector<std::int32_t> stack = {static_cast<std::int32_t>(word)};
    set[word] = 1;
    while (!stack.empty()) {  // all words that lead to this one
      const auto w = static_cast<std::size_t>(stack.back());
      stack.pop_back();
      for (const std::int32_t h : before[w]) {
        if (!set[static_cast<std::size_t>(h)]) set[static_cast<std::size_t>(h)] = 1, stack.push_back(h);
      }
    }
    if (set[0]) continue;
    for (std::size_t w = 0; w < size; ++w) done[w] = done[w] || set[w];
    out.push_back(std::move(set));
  }
  return out;
}

}  // namespace

std::vector<Flags> violated_cuts(std::span<const std::int32_t> heads, std::span<const std::int32_t> modifiers,
                                 std::int32_t num_words, std::span<const double> x, double tolerance) {
  Network network(heads, modifiers, num_words, x);
  const Flags reached = network.reached();
  if (std::find(reached.begin(), reached.end(), 0) != reached.end()) {
    return islands(heads, modifiers, x, reached);
  }
  std::vector<Flags> out;
  Flags side(network.num_words() + 1);
  for (std::int32_t word = 1; word <= num_words; ++word) {
    if (network.flow(word, 1.0 - tolerance, side) >= 1.0 - tolerance) continue;
    Flags set(side.size());
    for (std::size_t w = 0; w < set.size(); ++w) set[w] = !side[w];
    if (std::find(out.begin(), out.end(), set) == out.end()) out.push_back(std::move(set));
  }
  return out;
}

}  // namespace ramify::inference
