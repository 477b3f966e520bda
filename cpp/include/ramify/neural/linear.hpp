// A matrix that multiplies the vectors of many tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ramify/neural/activations.hpp"
#include "ramify/neural/tensor.hpp"

namespace ramify::neural {

/// The number of rows of a matrix that are computed at a time.
inline constexpr std::size_t kLanes = 16;

/// A matrix in the order in which it is used, taken out of a tensor.
struct Rows {
  std::size_t num_rows = 0, num_columns = 0;
  std::vector<float> values;
  std::vector<std::int8_t> codes;
  std::vector<float> scales;

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// Row r, column c is the number `at(r, c)` of the tensor, or 0 if that is kNone. A row has one scale.
  template <class At>
  static Rows gather(const Tensor& tensor, std::size_t num_rows, std::size_t num_columns, const At& at) {
    Rows rows{num_rows, num_columns, {}, {}, {}};
    rows.reserve(tensor.quantised());
    for (std::size_t r = 0; r < num_rows; ++r) {
      if (tensor.quantised()) rows.scales.push_back(at(r, 0) == kNone ? 0.0F : tensor.scale_of(at(r, 0)));
      for (std::size_t c = 0; c < num_columns; ++c) rows.push(tensor, at(r, c));
    }
    return rows;
  }

 private:
  void reserve(bool quantised);
  void push(const Tensor& tensor, std::size_t i);
};

/// Output r is bias[r] + Σ weights[r, c] · input[c]. With bytes the sums are integers, and therefore exact; with floats
/// they are added in the order of c. So results depend neither on the other tokens nor on the processor.
class Linear {
 public:
  Linear() = default;
  /// An empty bias means zeros. Columns are in parts of the given sizes; in the input, each part is padded to kDepth.
  Linear(const Rows& rows, std::vector<float> bias, std::span<const std::size_t> parts);

  /// Returns the size of the output, which is a multiple of kLanes.
  std::size_t num_rows() const { return bias_.size(); }

  /// Computes the outputs of some tokens, one after the other in `out`; if `add`, adds to what is there instead of
  /// the bias. The matrix reads the columns of the input from `column` on.
  void apply(const Activations& in, std::span<const std::int32_t> tokens, std::size_t column, float* out,
             bool add) const;

 private:
  std::size_t width_ = 0;  // padded columns
  std::vector<float> bias_;
  std::vector<float> values_;         // [block][column][lane]
  std::vector<std::int8_t> codes_;    // [block][column / kDepth][lane][kDepth]
  std::vector<std::int32_t> starts_;  // cancels the offset 128 of the input's bytes
  std::vector<float> scales_;
};

}  // namespace ramify::neural
