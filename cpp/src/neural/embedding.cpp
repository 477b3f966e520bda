#include "embedding.hpp"

namespace ramify::neural {

Embedding::Embedding(const Tensor& matrix)
    : num_rows_(matrix.shape[0]),
      size_(matrix.shape[1]),
      values_(matrix.values.begin(), matrix.values.end()),
      codes_(matrix.codes.begin(), matrix.codes.end()),
      scales_(matrix.scales.begin(), matrix.scales.end()) {}

void Embedding::write(std::int32_t number, std::size_t token, Activations& out) const {
  const auto row = static_cast<std::size_t>(number);
  if (codes_.empty()) {
    out.write(token, std::span(values_).subspan(row * size_, size_));
  } else {
    out.write(token, std::span(codes_).subspan(row * size_, size_), scales_[row]);
  }
}

void Embedding::add(std::int32_t number, std::span<float> vector) const {
  const std::size_t begin = static_cast<std::size_t>(number) * size_;
  for (std::size_t i = 0; i < size_; ++i) {
    vector[i] += codes_.empty() ? values_[begin + i]
                                : static_cast<float>(codes_[begin + i]) * scales_[static_cast<std::size_t>(number)];
  }
}

}  // namespace ramify::neural
