// Looking up the weights of a network, with errors that name what is missing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramify/neural/tensor.hpp"

namespace ramify::neural {

/// Returns null if there is no such tensor.
const Tensor* find_tensor(const Tensors& tensors, std::string_view name);
const Tensor& tensor_of(const Tensors& tensors, std::string_view name);
/// Returns a tensor with two axes, neither of which is empty.
const Tensor& matrix_of(const Tensors& tensors, std::string_view name);
void expect_shape(const Tensor& tensor, std::string_view name, const std::vector<std::size_t>& shape);

}  // namespace ramify::neural
