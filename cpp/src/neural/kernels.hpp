// The inner loops of networks, compiled for several instruction sets. All of them give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ramify::neural {

/// A packed matrix of bytes: see Linear.
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

/// Outputs of n tokens: num_blocks · kLanes numbers each, one token after the other.
void multiply_codes(const CodeMatrix& matrix, const std::uint8_t* const* tokens, const float* scales, std::size_t n,
                    float* out, bool add);
void multiply_floats(const FloatMatrix& matrix, const float* const* tokens, std::size_t n, float* out, bool add);

/// One step of an LSTM with num_blocks · kLanes units: new cells, and states into `states`.
void step_cells(const float* gates, std::size_t num_blocks, float* cells, float* states);

/// Bytes with offset 128 of numbers between −1 and 1.
void unit_bytes(const float* values, std::size_t n, std::uint8_t* out);

/// out[h · width + m] = Σ_k heads[h · size + k] · modifiers[k · width + m]; width is a multiple of kLanes.
void multiply_arcs(const float* heads, const float* modifiers, std::size_t num_heads, std::size_t size,
                   std::size_t width, float* out);

/// Scores of labels, in num_lanes numbers: Σ_k modifier[k] · product[k], plus what the product has after the last k.
void add_labels(const float* product, const float* modifier, std::size_t size, std::size_t num_lanes, float* out);

}  // namespace ramify::neural
