// Bidirectional LSTM over many sequences at a time, so that the weights are read once for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ramify/neural/linear.hpp"

namespace ramify::neural {

/// A sequence of tokens in activations.
struct Sequence {
  std::int32_t begin;
  std::int32_t length;
};

/// Sizes of the parts of a vector, each of which is padded.
using Sizes = std::vector<std::size_t>;

/// One direction of a layer. Its units are computed kLanes at a time, with their four gates side by side.
class Lstm {
 public:
  Lstm() = default;
  /// `inputs` has the sizes of each of the activations that the layer reads.
  Lstm(const Tensors& tensors, const std::string& prefix, bool reverse, std::span<const Sizes> inputs);
  /// The input is a row of `embedding`; its products with the weights are computed once and stored in a table.
  Lstm(const Tensors& tensors, const std::string& prefix, bool reverse, const Tensor& embedding);

  std::size_t hidden() const { return hidden_; }
  std::size_t padded_hidden() const { return padded(hidden_, kLanes); }

  /// The longest sequences must come first. The states are written into columns [column, column + hidden) of `out`.
  void run(std::span<const Activations* const> inputs, std::span<const Sequence> sequences, std::size_t column,
           Activations& out) const;
  /// `numbers` are the rows of the embedding, one for each token.
  void run(std::span<const std::int32_t> numbers, std::span<const Sequence> sequences, std::size_t column,
           Activations& out) const;

 private:
  template <class Fill>
  void run_with(const Fill& fill, std::span<const Sequence> sequences, std::size_t column, Activations& out) const;

  bool reverse_ = false;
  std::size_t hidden_ = 0;
  std::vector<Linear> inputs_;
  Linear states_;
  std::vector<float> table_;
};

/// Both directions; the vectors of the output have two parts.
class BiLstm {
 public:
  BiLstm(const Tensors& tensors, const std::string& prefix, std::span<const Sizes> inputs)
      : forward_(tensors, prefix, false, inputs), backward_(tensors, prefix, true, inputs) {}
  BiLstm(const Tensors& tensors, const std::string& prefix, const Tensor& embedding)
      : forward_(tensors, prefix, false, embedding), backward_(tensors, prefix, true, embedding) {}

  std::size_t hidden() const { return forward_.hidden(); }
  std::size_t backward_column() const { return padded(hidden(), kDepth); }

  template <class Input>
  Activations run(const Input& input, bool quantised, std::size_t num_tokens,
                  std::span<const Sequence> sequences) const {
    Activations out(quantised, num_tokens, 2 * backward_column());
    if (quantised) out.set_unit_scale();
    forward_.run(input, sequences, 0, out);
    backward_.run(input, sequences, backward_column(), out);
    return out;
  }

 private:
  Lstm forward_, backward_;
};

}  // namespace ramify::neural
