#include "tensors.hpp"

#include <stdexcept>

namespace ramify::neural {

namespace {

std::string shown(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "(" + text + ")";
}

}  // namespace

const Tensor* find_tensor(const Tensors& tensors, std::string_view name) {
  const auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : &found->second;
}

const Tensor& tensor_of(const Tensors& tensors, std::string_view name) {
  const Tensor* found = find_tensor(tensors, name);
  if (found == nullptr) throw std::invalid_argument("A network expects the weights " + std::string(name) + ".");
  return *found;
}

const Tensor& matrix_of(const Tensors& tensors, std::string_view name) {
  const Tensor& tensor = tensor_of(tensors, name);
  if (tensor.shape.size() != 2 || tensor.size() == 0) {
    throw std::invalid_argument(std::string(name) + " expects a matrix; got shape " + shown(tensor.shape) + ".");
  }
  return tensor;
}

void expect_shape(const Tensor& tensor, std::string_view name, const std::vector<std::size_t>& shape) {
  if (tensor.shape == shape) return;
  throw std::invalid_argument(std::string(name) + " expects shape " + shown(shape) + "; got " + shown(tensor.shape) +
                              ".");
}

}  // namespace ramify::neural
