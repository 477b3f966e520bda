#include "kernels.hpp"

#include <algorithm>
#include <bit>

#include "activation.hpp"
#include "ramify/neural/linear.hpp"
#include "ramify/numeric/dispatch.hpp"

namespace ramify::neural {

RAMIFY_DISPATCH void multiply_codes(const CodeMatrix& matrix, const std::uint8_t* const* tokens, const float* scales,
                                    std::size_t n, float* out, bool add) {
  for (std::size_t b = 0; b < matrix.num_blocks; ++b) {
    const std::int8_t* codes = matrix.codes + b * matrix.depth * kLanes * kDepth;
    for (std::size_t t = 0; t < n; ++t) {
      std::int32_t sums[kLanes];
      std::copy_n(matrix.starts + b * kLanes, kLanes, sums);
      for (std::size_t d = 0; d < matrix.depth; ++d) {
        for (std::size_t r = 0; r < kLanes; ++r) {
          for (std::size_t k = 0; k < kDepth; ++k) {
            sums[r] += tokens[t][d * kDepth + k] * codes[(d * kLanes + r) * kDepth + k];
          }
        }
      }
      float* to = out + (t * matrix.num_blocks + b) * kLanes;
      for (std::size_t r = 0; r < kLanes; ++r) {
        const float product = static_cast<float>(sums[r]) * matrix.scales[b * kLanes + r] * scales[t];
        to[r] = (add ? to[r] : matrix.bias[b * kLanes + r]) + product;
      }
    }
  }
}

RAMIFY_DISPATCH void multiply_floats(const FloatMatrix& matrix, const float* const* tokens, std::size_t n, float* out,
                                     bool add) {
  for (std::size_t b = 0; b < matrix.num_blocks; ++b) {
    const float* values = matrix.values + b * matrix.num_columns * kLanes;
    for (std::size_t t = 0; t < n; ++t) {
      float sums[kLanes] = {};
      for (std::size_t c = 0; c < matrix.num_columns; ++c) {
        for (std::size_t r = 0; r < kLanes; ++r) sums[r] += values[c * kLanes + r] * tokens[t][c];
      }
      float* to = out + (t * matrix.num_blocks + b) * kLanes;
      for (std::size_t r = 0; r < kLanes; ++r) to[r] = (add ? to[r] : matrix.bias[b * kLanes + r]) + sums[r];
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
      float sums[kLanes] = {};
      for (std::size_t k = 0; k < size; ++k) {
        for (std::size_t r = 0; r < kLanes; ++r) sums[r] += heads[h * size + k] * modifiers[k * width + m + r];
      }
      std::copy_n(sums, kLanes, out + h * width + m);
    }
  }
}

}  // namespace ramify::neural
