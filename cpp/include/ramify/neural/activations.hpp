// The values between the layers of a network: one vector for each token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ramify::neural {

/// Columns of a vector are read four at a time.
inline constexpr std::size_t kDepth = 4;

constexpr std::size_t padded(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

/// Vectors of floats, or of bytes with a scale for each vector: then a value is (byte − 128) · scale.
class Activations {
 public:
  Activations() = default;
  /// Every part of a vector starts at a multiple of kDepth.
  Activations(bool quantised, std::size_t num_rows, std::size_t width);

  bool quantised() const { return quantised_; }
  std::size_t width() const { return width_; }
  std::size_t num_rows() const { return num_rows_; }

  /// Writes a whole vector; a quantised one gets the smallest scale that is large enough.
  void write(std::size_t row, std::span<const float> vector);
  /// Copies a quantised vector.
  void write(std::size_t row, std::span<const std::int8_t> codes, float scale);

  float* values(std::size_t row) { return values_.data() + row * width_; }
  const float* values(std::size_t row) const { return values_.data() + row * width_; }
  std::uint8_t* bytes(std::size_t row) { return bytes_.data() + row * width_; }
  const std::uint8_t* bytes(std::size_t row) const { return bytes_.data() + row * width_; }
  /// Sets the scale of vectors whose values lie between −1 and 1.
  void set_unit_scale() { scales_.assign(num_rows_, 1.0F / 127.0F); }
  float scale(std::size_t row) const { return scales_[row]; }

 private:
  bool quantised_ = false;
  std::size_t num_rows_ = 0, width_ = 0;
  std::vector<float> values_;
  std::vector<std::uint8_t> bytes_;
  std::vector<float> scales_;
};

}  // namespace ramify::neural
