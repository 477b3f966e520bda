// For every word, what is left of a Markov chain when all other words are eliminated: without one
// subtraction.
//
// A word m moves to head h with probability P(h, m), until it is absorbed at the root. Eliminating word k
// from the chain re-routes its visitors: P(h, k) P(k, m) / s_k is added to P(h, m), where s_k, the
// probability of leaving k for another word or the root, is the *sum* of what is left in k's row (Grassmann,
// Taksar & Heyman 1985) and not 1 minus the probability of staying. All quantities are sums, products and
// quotients of positive numbers, so each has full relative precision whatever the range of the scores.
//
// Halving does this for all n words in O(n^3): eliminate the second half and recurse on the first, then the
// first half and recurse on the second. At a leaf, one word m is left and the root column holds, for every
// word h, the probability E(h, m) that a walk from h reaches the root without visiting m.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ramify/numeric/dual.hpp"
#include "ramify/numeric/extended.hpp"

namespace ramify::trees {

/// Columns of transition probabilities: entry (column c, row r) is the probability of moving from word r to
/// the word ids[c], both from 0; column 0 is the root. All words keep their row; only those not yet
/// eliminated have a column.
template <class Real>
struct Panel {
  Real* data;
  std::ptrdiff_t stride;  ///< of a column, >= num_rows
  int num_rows;
  std::int32_t* ids;
  int num_columns;

  Real* column(int c) const { return data + c * stride; }
  Real& entry(int c, int row) const { return data[c * stride + row]; }
};

/// Eliminates the last num_pivots columns and returns the product of the pivots s_k. With `root_is_small` the
/// root column is infinitesimal against the others: it is carried along to first order and does not count in
/// the pivots.
double eliminate(const Panel<double>& panel, int num_pivots, bool root_is_small, std::vector<double>& scratch);

template <class Real>
Real leaving(const Panel<Real>& panel, int pivot, bool root_is_small) {
  const int row = panel.ids[pivot];
  Real total{};
  for (int c = root_is_small ? 1 : 0; c < pivot; ++c) total += panel.entry(c, row);
  return total;
}

template <class Real>
Real eliminate(const Panel<Real>& panel, int num_pivots, bool root_is_small, std::vector<Real>&) {
  Real product{};
  for (int pivot = panel.num_columns - 1; pivot >= panel.num_columns - num_pivots; --pivot) {
    const Real total = leaving(panel, pivot, root_is_small);
    product = pivot == panel.num_columns - 1 ? total : product * total;
    const int row = panel.ids[pivot];
    const Real* through = panel.column(pivot);
    for (int c = 0; c < pivot; ++c) {
      Real* column = panel.column(c);
      const Real onward = column[row] / total;
      for (int r = 0; r < panel.num_rows; ++r) column[r] += through[r] * onward;
      column[row] = onward;
    }
  }
  return product;
}

/// Scratch of one recursion.
template <class Real>
struct LeaveOneOutArena {
  std::vector<Real> data, scratch;
  std::vector<std::int32_t> ids;

  void reserve(int num_words, std::ptrdiff_t stride) {
    const auto columns = static_cast<std::size_t>(3 * num_words + 64);
    if (data.size() < columns * static_cast<std::size_t>(stride))
      data.resize(columns * static_cast<std::size_t>(stride));
    if (ids.size() < columns) ids.resize(columns);
  }
};

/// Two words are left: each leaf in one pass, without a copy of the panel. Half of all eliminations end here.
template <class Real, class Visitor>
bool last_two(const Panel<Real>& panel, const Real& product, bool root_is_small, Real* escape, Visitor& visitor) {
  for (int keep = 1; keep <= 2; ++keep) {
    if (keep == 2) visitor.second_half(panel, 1);
    const int pivot = 3 - keep;
    const int row = panel.ids[pivot];
    const Real* root = panel.column(0);
    const Real* through = panel.column(pivot);
    const Real total = root_is_small ? panel.entry(keep, row) : root[row] + panel.entry(keep, row);
    const Real onward = root[row] / total;
    for (std::ptrdiff_t r = 0; r < panel.stride; ++r) escape[r] = root[r] + through[r] * onward;
    escape[row] = onward;
    if (!visitor.leaf(panel.ids[keep], escape, product * total)) return false;
  }
  return true;
}

/// Visits all leaves from left to right. The visitor offers
///   bool leaf(word, escape, product): escape[h] = E(h, word), at h = word the probability of no return;
///   `product` of all
///     pivots on the way, so that product * escape[word] is det(I - P); false stops the recursion;
///   void second_half(panel, num_first): before the words of columns 1..num_first of the panel are eliminated
///   for good.
template <class Real, class Visitor>
bool leave_one_out(const Panel<Real>& panel, const Real& product, bool root_is_small, LeaveOneOutArena<Real>& arena,
                   std::size_t used, Visitor& visitor) {
  if (panel.num_columns == 2) return visitor.leaf(panel.ids[1], panel.column(0), product);
  if (panel.num_columns == 3) {
    const std::size_t free = used * static_cast<std::size_t>(panel.stride);
    return last_two(panel, product, root_is_small, arena.data.data() + free, visitor);
  }
  const int num_words = panel.num_columns - 1;
  // Pivots are taken four at a time: halves that are multiples of four leave no short blocks.
  const int half = num_words < 8 ? num_words / 2 : (num_words / 2 + 2) / 4 * 4;
  const auto length = static_cast<std::size_t>(panel.stride);
  for (int side = 0; side < 2; ++side) {
    if (side == 1) visitor.second_half(panel, half);
    const int keep = side == 0 ? half : num_words - half;
    const Panel<Real> child{arena.data.data() + used * length, panel.stride, panel.num_rows, arena.ids.data() + used,
                            panel.num_columns};
    for (int c = 0; c < panel.num_columns; ++c) {
      // The root first, then what is kept, then the pivots.
      const int from = c == 0 ? 0 : (side == 0 ? c : 1 + (c - 1 + half) % num_words);
      std::copy_n(panel.column(from), length, child.column(c));
      child.ids[c] = panel.ids[from];
    }
    const Real pivots = eliminate(child, num_words - keep, root_is_small, arena.scratch);
    Panel<Real> rest = child;
    rest.num_columns = keep + 1;
    if (!leave_one_out(rest, product * pivots, root_is_small, arena, used + static_cast<std::size_t>(keep) + 1,
                       visitor)) {
      return false;
    }
  }
  return true;
}

}  // namespace ramify::trees
