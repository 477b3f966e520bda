#include "ramify/neural/lstm.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "embedding.hpp"
#include "kernels.hpp"
#include "tensors.hpp"

namespace ramify::neural {

namespace {

constexpr std::size_t kChunk = 256;  // tokens whose inputs are multiplied at a time

/// The gates i, f, g, o of kLanes units are kLanes rows each, one after the other.
std::size_t gate_row(std::size_t r, std::size_t hidden) {
  const std::size_t unit = r / (4 * kLanes) * kLanes + r % kLanes, gate = r / kLanes % 4;
  return unit < hidden ? gate * hidden + unit : Rows::kNone;
}

Rows gates(const Tensor& tensor, std::size_t hidden, std::size_t first_column, std::size_t num_columns) {
  const std::size_t all = tensor.shape.back();
  return Rows::gather(tensor, padded(hidden, kLanes) * 4, num_columns, [=](std::size_t r, std::size_t c) {
    const std::size_t row = gate_row(r, hidden);
    return row == Rows::kNone ? row : row * all + first_column + c;
  });
}

}  // namespace

Lstm::Lstm(const Tensors& tensors, const std::string& prefix, bool reverse, std::span<const Sizes> inputs)
    : reverse_(reverse) {
  const std::string suffix = reverse ? "_l0_reverse" : "_l0";
  const Tensor& states = matrix_of(tensors, prefix + ".weight_hh" + suffix);
  hidden_ = states.shape[1];
  expect_shape(states, prefix + ".weight_hh" + suffix, {4 * hidden_, hidden_});
  states_ = Linear(gates(states, hidden_, 0, hidden_), {}, std::vector{hidden_});
  std::size_t size = 0;
  for (const Sizes& sizes : inputs) size += std::reduce(sizes.begin(), sizes.end());
  const Tensor& input = matrix_of(tensors, prefix + ".weight_ih" + suffix);
  expect_shape(input, prefix + ".weight_ih" + suffix, {4 * hidden_, size});
  std::vector<float> bias(padded_hidden() * 4);
  for (const char* name : {".bias_ih", ".bias_hh"}) {
    const Tensor& added = tensor_of(tensors, prefix + name + suffix);
    expect_shape(added, prefix + name + suffix, {4 * hidden_});
    for (std::size_t r = 0; r < bias.size(); ++r) {
      if (gate_row(r, hidden_) != Rows::kNone) bias[r] += added.at(gate_row(r, hidden_));
    }
  }
  std::size_t begin = 0;
  for (const Sizes& sizes : inputs) {
    const std::size_t count = std::reduce(sizes.begin(), sizes.end());
    inputs_.emplace_back(gates(input, hidden_, begin, count), std::exchange(bias, {}), sizes);
    begin += count;
  }
}

Lstm::Lstm(const Tensors& tensors, const std::string& prefix, bool reverse, const Tensor& embedding)
    : Lstm(tensors, prefix, reverse, std::array{Sizes{embedding.shape.back()}}) {
  const Embedding embedded(embedding);
  Activations vectors(embedding.quantised(), embedded.num_rows(), embedded.size());
  std::vector<std::int32_t> all(embedded.num_rows());
  std::iota(all.begin(), all.end(), 0);
  for (const std::int32_t i : all) embedded.write(i, static_cast<std::size_t>(i), vectors);
  table_.resize(all.size() * padded_hidden() * 4);
  inputs_[0].apply(vectors, all, 0, table_.data(), false);
  inputs_.clear();
}

template <class Fill>
void Lstm::run_with(const Fill& fill, std::span<const Sequence> sequences, std::size_t column, Activations& out) const {
  const std::size_t width = padded_hidden() * 4;
  std::vector<float> products, cells(sequences.size() * padded_hidden()), states(padded_hidden());
  std::vector<std::int32_t> tokens, before;
  const auto token = [&](std::size_t i, std::int32_t step) {
    return sequences[i].begin + (reverse_ ? sequences[i].length - 1 - step : step);
  };
  std::size_t active = sequences.size();
  const auto drop_ended = [&](std::int32_t step) {
    while (active > 0 && sequences[active - 1].length <= step) --active;
  };
  std::vector<std::size_t> counts;
  for (std::int32_t step = 0; drop_ended(step), active > 0;) {
    const std::int32_t first = step;
    tokens.clear();
    counts.clear();
    do {
      for (std::size_t i = 0; i < active; ++i) tokens.push_back(token(i, step));
      counts.push_back(active);
      drop_ended(++step);
    } while (active > 0 && tokens.size() + active <= kChunk);
    products.resize(tokens.size() * width);
    fill(tokens, products.data());
    std::size_t begin = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
      float* gate = products.data() + begin * width;
      const auto now = std::span(tokens).subspan(begin, counts[s]);
      const std::int32_t at = first + static_cast<std::int32_t>(s);
      if (at > 0) {
        before.clear();
        for (std::size_t i = 0; i < now.size(); ++i) before.push_back(token(i, at - 1));
        states_.apply(out, before, column, gate, true);
      }
      for (std::size_t i = 0; i < now.size(); ++i) {
        step_cells(gate + i * width, padded_hidden() / kLanes, cells.data() + i * padded_hidden(), states.data());
        const auto row = static_cast<std::size_t>(now[i]);
        if (out.quantised()) {
          unit_bytes(states.data(), hidden_, out.bytes(row) + column);
        } else {
          std::copy_n(states.data(), hidden_, out.values(row) + column);
        }
      }
      begin += counts[s];
    }
  }
}

void Lstm::run(std::span<const Activations* const> inputs, std::span<const Sequence> sequences, std::size_t column,
               Activations& out) const {
  const auto fill = [&](std::span<const std::int32_t> tokens, float* products) {
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs_[i].apply(*inputs[i], tokens, 0, products, i > 0);
  };
  run_with(fill, sequences, column, out);
}

void Lstm::run(std::span<const std::int32_t> numbers, std::span<const Sequence> sequences, std::size_t column,
               Activations& out) const {
  const std::size_t width = padded_hidden() * 4;
  const auto fill = [&](std::span<const std::int32_t> tokens, float* products) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto number = static_cast<std::size_t>(numbers[static_cast<std::size_t>(tokens[i])]);
      std::copy_n(table_.data() + number * width, width, products + i * width);
    }
  };
  run_with(fill, sequences, column, out);
}

}  // namespace ramify::neural
