#include "kernels.hpp"

#include <algorithm>
#include <bit>

#include "activation.hpp"
#include "ramify/neural/linear.hpp"
#include "ramify/numeric/dispatch.hpp"

// Functions that take vectors are always inlined, so that calling conventions for vectors do not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace ramify::neural {

namespace {

/// kLanes numbers, which the compiler puts into as many registers as they need.
using Lanes [[gnu::vector_size(kLanes * sizeof(float))]] = float;

RAMIFY_INLINE Lanes load(const float* from) {
  Lanes lanes;
  __builtin_memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

RAMIFY_INLINE void store(const Lanes& lanes, float* to) { __builtin_memcpy(to, &lanes, sizeof lanes); }

}  // namespace

RAMIFY_DISPATCH void multiply_floats(const FloatMatrix& matrix, const float* const* tokens, std::size_t n, float* out,
                                     bool add) {
  constexpr std::size_t kTokens = 6;  // number whose sums stay in registers
  for (std::size_t b = 0; b < matrix.num_blocks; ++b) {
    const float* values = matrix.values + b * matrix.num_columns * kLanes;
    const Lanes bias = load(matrix.bias + b * kLanes);
    const auto finish = [&](std::size_t t, const Lanes& sums) __attribute__((always_inline)) {
      float* to = out + (t * matrix.num_blocks + b) * kLanes;
      store((add ? load(to) : bias) + sums, to);
    };
    std::size_t t = 0;
    for (; t + kTokens <= n; t += kTokens) {
      Lanes sums[kTokens] = {};
      for (std::size_t c = 0; c < matrix.num_columns; ++c) {
        const Lanes weights = load(values + c * kLanes);
        for (std::size_t i = 0; i < kTokens; ++i) sums[i] += weights * tokens[t + i][c];
      }
      for (std::size_t i = 0; i < kTokens; ++i) finish(t + i, sums[i]);
    }
    for (; t < n; ++t) {
      Lanes sums = {};
      for (std::size_t c = 0; c < matrix.num_columns; ++c) sums += load(values + c * kLanes) * tokens[t][c];
      finish(t, sums);
    }
  }
}

RAMIFY_DISPATCH void step_cells(const float* gates, std::size_t num_blocks, float* cells, float* states) {
  for (std::size_t b = 0; b < num_blocks; ++b) {
    const float* gate = gates + b * 4 * kLanes;
    for (std::size_t r = 0; r < kLanes; ++r) {
      const float in = fast_sigmoid(gate[r]), forget = fast_sigmoid(gate[kLanes + r]);
      const float fresh = fast_tanh(gate[2 * kLanes + r]), out = fast_sigmoid(gate[3 * kLanes + r]);
      const float cell = forget * cells[b * kLanes + r] + in * fresh;
      cells[b * kLanes + r] = cell;
      states[b * kLanes + r] = out * fast_tanh(cell);
    }
  }
}

RAMIFY_DISPATCH void unit_bytes(const float* values, std::size_t n, std::uint8_t* out) {
  // Adding 1.5 · 2^23 rounds to the nearest integer, which then is in the low bits.
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(values[i] * 127.0F + 12582912.0F) + 128U);
  }
}

RAMIFY_DISPATCH void multiply_arcs(const float* heads, const float* modifiers, std::size_t num_heads, std::size_t size,
                                   std::size_t width, float* out) {
  for (std::size_t h = 0; h < num_heads; ++h) {
    for (std::size_t m = 0; m < width; m += kLanes) {
      Lanes sums = {};
      for (std::size_t k = 0; k < size; ++k) sums += load(modifiers + k * width + m) * heads[h * size + k];
      store(sums, out + h * width + m);
    }
  }
}

RAMIFY_DISPATCH void add_labels(const float* product, const float* modifier, std::size_t size, std::size_t num_lanes,
                                float* out) {
  for (std::size_t begin = 0; begin < num_lanes; begin += kLanes) {
    Lanes sums = load(product + size * num_lanes + begin);
    for (std::size_t k = 0; k < size; ++k) sums += load(product + k * num_lanes + begin) * modifier[k];
    store(sums, out + begin);
  }
}

}  // namespace ramify::neural
