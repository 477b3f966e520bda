// Weights of a network as a model file has them: floats, or bytes with a scale for each row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace ramify::neural {

/// A view of numbers. It has `values`, or `codes` and `scales`; then a value is its code times its scale.
struct Tensor {
  std::vector<std::size_t> shape;
  std::span<const float> values;
  std::span<const std::int8_t> codes;
  /// One for each vector along the last axis, or one for each vector along the first axis.
  std::span<const float> scales;
  bool scaled_by_first_axis = false;

  bool quantised() const { return !codes.empty(); }
  std::size_t size() const { return quantised() ? codes.size() : values.size(); }
  float scale_of(std::size_t i) const {
    return scales[scaled_by_first_axis ? i % (codes.size() / shape.front()) : i / shape.back()];
  }
  float at(std::size_t i) const { return quantised() ? static_cast<float>(codes[i]) * scale_of(i) : values[i]; }
};

/// Tensors by the names that PyTorch gives them.
using Tensors = std::map<std::string, Tensor, std::less<>>;

}  // namespace ramify::neural
