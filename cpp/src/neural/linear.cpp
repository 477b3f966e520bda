#include "ramify/neural/linear.hpp"

#include <algorithm>
#include <utility>

#include "kernels.hpp"

namespace ramify::neural {

namespace {

constexpr std::size_t kTokens = 256;  // number whose addresses are collected at a time

}  // namespace

void Rows::reserve(bool quantised) {
  if (quantised) {
    codes.reserve(num_rows * num_columns);
    scales.reserve(num_rows);
  } else {
    values.reserve(num_rows * num_columns);
  }
}

void Rows::push(const Tensor& tensor, std::size_t i) {
  if (tensor.quantised()) {
    codes.push_back(i == kNone ? std::int8_t{0} : tensor.codes[i]);
  } else {
    values.push_back(i == kNone ? 0.0F : tensor.values[i]);
  }
}

Linear::Linear(const Rows& rows, std::vector<float> bias, std::span<const std::size_t> parts) : bias_(std::move(bias)) {
  const std::size_t num_blocks = padded(rows.num_rows, kLanes) / kLanes;
  bias_.resize(num_blocks * kLanes);
  std::vector<std::size_t> columns;  // where each column is in the input
  for (const std::size_t part : parts) {
    for (std::size_t c = 0; c < part; ++c) columns.push_back(width_ + c);
    width_ += padded(part, kDepth);
  }
  const bool quantised = !rows.codes.empty();
  if (quantised) {
    codes_.resize(num_blocks * kLanes * width_);
    starts_.resize(num_blocks * kLanes);
    scales_ = rows.scales;
    scales_.resize(num_blocks * kLanes);
  } else {
    values_.resize(num_blocks * kLanes * width_);
  }
  for (std::size_t r = 0; r < rows.num_rows; ++r) {
    const std::size_t block = r / kLanes, lane = r % kLanes;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::size_t c = columns[i], from = r * rows.num_columns + i;
      if (quantised) {
        codes_[((block * (width_ / kDepth) + c / kDepth) * kLanes + lane) * kDepth + c % kDepth] = rows.codes[from];
        starts_[r] -= 128 * rows.codes[from];
      } else {
        values_[(block * width_ + c) * kLanes + lane] = rows.values[from];
      }
    }
  }
}

void Linear::apply(const Activations& in, std::span<const std::int32_t> tokens, std::size_t column, float* out,
                   bool add) const {
  const std::size_t num_blocks = num_rows() / kLanes;
  for (std::size_t begin = 0; begin < tokens.size(); begin += kTokens) {
    const auto some = tokens.subspan(begin, std::min(kTokens, tokens.size() - begin));
    float* to = out + begin * num_rows();
    if (in.quantised()) {
      const std::uint8_t* bytes[kTokens];
      float scales[kTokens];
      for (std::size_t i = 0; i < some.size(); ++i) {
        const auto token = static_cast<std::size_t>(some[i]);
        bytes[i] = in.bytes(token) + column;
        scales[i] = in.scale(token);
      }
      const CodeMatrix matrix{num_blocks, width_ / kDepth, codes_.data(), starts_.data(), scales_.data(), bias_.data()};
      multiply_codes(matrix, bytes, scales, some.size(), to, add);
    } else {
      const float* values[kTokens];
      for (std::size_t i = 0; i < some.size(); ++i) values[i] = in.values(static_cast<std::size_t>(some[i])) + column;
      multiply_floats({num_blocks, width_, values_.data(), bias_.data()}, values, some.size(), to, add);
    }
  }
}

}  // namespace ramify::neural
