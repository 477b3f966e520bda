#include "ramify/neural/activations.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ramify::neural {

Activations::Activations(bool quantised, std::size_t num_rows, std::size_t width)
    : quantised_(quantised), num_rows_(num_rows), width_(padded(width, kDepth)) {
  if (quantised) {
    bytes_.assign(num_rows_ * width_, 128);
    scales_.assign(num_rows_, 0.0F);
  } else {
    values_.assign(num_rows_ * width_, 0.0F);
  }
}

void Activations::write(std::size_t row, std::span<const float> vector) {
  if (!quantised_) {
    std::ranges::copy(vector, values(row));
    return;
  }
  float largest = 0.0F;
  for (const float value : vector) largest = std::max(largest, std::abs(value));
  scales_[row] = largest / 127.0F;
  const float factor = largest > 0.0F ? 127.0F / largest : 0.0F;
  std::uint8_t* to = bytes(row);
  for (std::size_t i = 0; i < vector.size(); ++i) {
    // Adding 1.5 · 2^23 rounds to the nearest integer, which then is in the low bits.
    to[i] = static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(vector[i] * factor + 12582912.0F) + 128U);
  }
}

void Activations::write(std::size_t row, std::span<const std::int8_t> codes, float scale) {
  scales_[row] = scale;
  std::uint8_t* to = bytes(row);
  for (std::size_t i = 0; i < codes.size(); ++i) to[i] = static_cast<std::uint8_t>(codes[i] + 128);
}

}  // namespace ramify::neural
