// The Markov chain of a score matrix, in doubles where their range allows it, else in extended numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "leave_one_out.hpp"
#include "ramify/numeric/dual.hpp"
#include "ramify/numeric/extended.hpp"

namespace ramify::trees {

using numeric::Dual;
using numeric::Extended;

/// Transition weights as columns over modifiers, column 0 the root: weight of (head, modifier) is
/// e^score / (e^row_log_scale[modifier] * e^root_log_scale if head is the root).
template <class Real>
struct Chain {
  std::vector<Real> data;
  std::vector<std::int32_t> ids;
  std::vector<double> row_log_scale;
  double root_log_scale = 0.0;
  double log_scale = 0.0;            ///< log of what the scales take out of Z
  std::int64_t root_shift = 0;       ///< extended only: bits by which the root is scaled down for a single root
  std::int64_t lowest_exponent = 0;  ///< extended only: of any tree with one root arc
  double lowest_score = 0.0;         ///< extended single root only
  std::ptrdiff_t stride = 0;
  int num_words = 0;
  bool root_is_small = false;

  void resize(int words) {
    num_words = words;
    stride = (static_cast<std::ptrdiff_t>(words) + 7) / 8 * 8;
    data.assign(static_cast<std::size_t>(stride) * static_cast<std::size_t>(words + 1), Real{});
    ids.resize(static_cast<std::size_t>(words + 1));
    for (int c = 0; c <= words; ++c) ids[static_cast<std::size_t>(c)] = c - 1;
    row_log_scale.assign(static_cast<std::size_t>(words), 0.0);
    root_log_scale = log_scale = 0.0;
    root_shift = lowest_exponent = 0;
    lowest_score = 0.0;
  }
  Panel<Real> panel() { return {data.data(), stride, num_words, ids.data(), num_words + 1}; }
  Real& weight(int head, int modifier) { return data[static_cast<std::size_t>(head * stride + modifier - 1)]; }
};

/// Rows are probabilities. False where a word has no head within the range of doubles.
bool build(const double* scores, int num_words, bool single_root, Chain<double>& chain);

/// Rows are e^score; a single root is asked for by making the root arcs so weak that two of them count for
/// nothing.
void build(const double* scores, int num_words, bool single_root, Chain<Extended>& chain);

/// The same chains with the derivatives of their weights when the scores move along `direction`.
bool build(const double* scores, const double* direction, int num_words, bool single_root, Chain<double>& plain,
           Chain<Dual<double>>& chain);
void build(const double* scores, const double* direction, int num_words, bool single_root, Chain<Extended>& plain,
           Chain<Dual<Extended>>& chain);

}  // namespace ramify::trees
