// The inner loops of networks, compiled for several instruction sets. All of them give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ramify::neural {

/// A packed matrix of bytes; the order of the bytes is that of Linear.
struct CodeMatrix {
  std::size_t num_blocks;  // of kLanes rows
  std::size_t depth;       // groups of kDepth columns
  const std::int8_t* codes;
  const std::int32_t* starts;
  const float* scales;
  const float* bias;
};

struct FloatMatrix {
  std::size_t num_blocks;
  std::size_t num_columns;
  const float* values;
  const float* bias;
};

/// Computes the outputs of n tokens: num_blocks · kLanes numbers each, one token after the other.
void multiply_codes(const CodeMatrix& matrix, const std::uint8_t* const* tokens, const float* scales, std::size_t n,
                    float* out, bool add);
void multiply_floats(const FloatMatrix& matrix, const float* const* tokens, std::size_t n, float* out, bool add);

/// Computes a step of an LSTM with num_blocks · kLanes units: it updates `cells` and writes `states`.
void step_cells(const float* gates, std::size_t num_blocks, float* cells, float* states);

/// Writes numbers between −1 and 1 as bytes with offset 128.
void unit_bytes(const float* values, std::size_t n, std::uint8_t* out);

/// out[h · width + m] = Σ_k heads[h · size + k] · modifiers[k · width + m]; width is a multiple of kLanes.
void multiply_arcs(const float* heads, const float* modifiers, std::size_t num_heads, std::size_t size,
                   std::size_t width, float* out);

/// Computes num_lanes scores of labels: Σ_k modifier[k] · product[k], plus the row of `product` after the last k.
void add_labels(const float* product, const float* modifier, std::size_t size, std::size_t num_lanes, float* out);

}  // namespace ramify::neural
