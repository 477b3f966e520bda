#include "ramify/trees/projectivity.hpp"
#include "ramify/numeric/index.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace ramify::trees {
namespace {

int num_words(Heads heads) { return static_cast<int>(heads.size()) - 1; }

/// Does h dominate k? Walking up from k is cheap: real trees are shallow.
bool dominates(Heads heads, std::int32_t h, std::int32_t k) {
  while (k != 0 && k != h) k = heads[at(k)];
  return k == h;
}

bool is_nonprojective(Heads heads, std::int32_t m) {
  const std::int32_t h = heads[at(m)];
  if (h == 0) return false;
  const auto [low, high] = std::minmax(h, m);
  for (std::int32_t k = low + 1; k < high; ++k) {
    if (!dominates(heads, h, k)) return true;
  }
  return false;
}

}  // namespace

bool is_tree(Heads heads, bool single_root) {
  const int n = num_words(heads);
  if (n < 0) return false;
  std::vector<std::int32_t> seen(heads.size(), 0);  // the walk in which a word was first met
  int num_roots = 0;
  for (std::int32_t m = 1; m <= n; ++m) {
    if (heads[at(m)] < 0 || heads[at(m)] > n) return false;
    num_roots += heads[at(m)] == 0 ? 1 : 0;
  }
  for (std::int32_t m = 1; m <= n; ++m) {
    std::int32_t k = m;
    while (k != 0 && seen[at(k)] == 0) {
      seen[at(k)] = m;
      k = heads[at(k)];
    }
    if (k != 0 && seen[at(k)] == m) return false;  // met again in the same walk
  }
  return !single_root || n == 0 || num_roots == 1;
}

void nonprojective_arcs(Heads heads, std::uint8_t* mask) {
  mask[0] = 0;
  for (std::int32_t m = 1; m <= num_words(heads); ++m) mask[m] = is_nonprojective(heads, m) ? 1 : 0;
}

void crossing_arcs(Heads heads, std::uint8_t* mask) {
  const int n = num_words(heads);
  std::fill(mask, mask + n + 1, std::uint8_t{0});
  const auto strictly_inside = [&](std::int32_t k, std::int32_t m) {
    const auto [low, high] = std::minmax(heads[at(m)], m);
    return low < k && k < high;
  };
  const auto strictly_outside = [&](std::int32_t k, std::int32_t m) {
    const auto [low, high] = std::minmax(heads[at(m)], m);
    return k < low || k > high;
  };
  for (std::int32_t m = 1; m <= n; ++m) {
    for (std::int32_t k = 1; k < m; ++k) {
      const std::int32_t h = heads[at(k)];
      if ((strictly_inside(k, m) && strictly_outside(h, m)) || (strictly_inside(h, m) && strictly_outside(k, m))) {
        mask[m] = mask[k] = 1;
      }
    }
  }
}

int gap_degree(Heads heads) {
  const int n = num_words(heads);
  std::vector<int> blocks(heads.size(), 0);
  for (std::int32_t k = 1; k <= n; ++k) {
    // k is the last word of a block in the yield of each ancestor that does not also dominate k + 1.
    for (std::int32_t a = k; a != 0; a = heads[at(a)]) {
      if (k < n && dominates(heads, a, k + 1)) break;
      ++blocks[at(a)];
    }
  }
  const int most = *std::max_element(blocks.begin(), blocks.end());
  return std::max(most - 1, 0);
}

int projectivize(std::span<std::int32_t> heads) {
  const int n = num_words(heads);
  for (int lifts = 0;; ++lifts) {
    std::int32_t shortest = 0;
    int length = n + 1;
    for (std::int32_t m = 1; m <= n; ++m) {
      const int distance = std::abs(heads[at(m)] - m);
      if (distance < length && is_nonprojective(heads, m)) {
        shortest = m;
        length = distance;
      }
    }
    if (shortest == 0) return lifts;
    heads[at(shortest)] = heads[at(heads[at(shortest)])];
  }
}

}  // namespace ramify::trees
