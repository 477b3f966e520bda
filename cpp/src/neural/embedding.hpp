// Vectors by number.
#pragma once

#include <span>
#include <vector>

#include "ramify/neural/activations.hpp"
#include "ramify/neural/tensor.hpp"

namespace ramify::neural {

/// Owns a copy of a matrix.
class Embedding {
 public:
  Embedding() = default;
  explicit Embedding(const Tensor& matrix);

  std::size_t num_rows() const { return num_rows_; }
  std::size_t size() const { return size_; }

  /// Makes row `number` the vector of a token.
  void write(std::int32_t number, std::size_t token, Activations& out) const;
  void add(std::int32_t number, std::span<float> vector) const;

 private:
  std::size_t num_rows_ = 0, size_ = 0;
  std::vector<float> values_;
  std::vector<std::int8_t> codes_;
  std::vector<float> scales_;
};

}  // namespace ramify::neural
