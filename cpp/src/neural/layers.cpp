#include "layers.hpp"

#include <stdexcept>
#include <string>

#include "tensors.hpp"

namespace ramify::neural {

namespace {

/// Reads a matrix with its bias, as PyTorch stores them.
Linear linear_of(const Tensors& tensors, const std::string& name, bool with_bias, std::span<const std::size_t> parts) {
  const Tensor& matrix = matrix_of(tensors, name + ".weight");
  std::size_t size = 0;
  for (const std::size_t part : parts) size += part;
  expect_shape(matrix, name + ".weight", {matrix.shape[0], size});
  std::vector<float> bias;
  if (with_bias) {
    const Tensor& added = tensor_of(tensors, name + ".bias");
    expect_shape(added, name + ".bias", {matrix.shape[0]});
    for (std::size_t i = 0; i < added.size(); ++i) bias.push_back(added.at(i));
  }
  const auto at = [&](std::size_t r, std::size_t c) { return r * size + c; };
  return {Rows::gather(matrix, matrix.shape[0], size, at), std::move(bias), parts};
}

/// The matrix of arcs: a row for each component of the modifier. The head has one component more, which is 1.
Linear arcs_of(const Tensor& arc, std::size_t size) {
  std::vector<float> bias;
  for (std::size_t r = 0; r < size; ++r) bias.push_back(arc.at(size * size + r));
  const auto at = [&](std::size_t r, std::size_t c) { return c * size + r; };
  return {Rows::gather(arc, size, size, at), std::move(bias), std::span(&size, 1)};
}

/// The same for labels: kLanes · k rows for each component of the modifier, which has a 1 at its end, too.
Linear labels_of(const Tensor& label, std::size_t size, std::size_t num_labels) {
  const std::size_t lanes = padded(num_labels, kLanes), step = num_labels * (size + 1);
  const auto from = [=](std::size_t r) {
    return r % lanes < num_labels ? r % lanes * (size + 1) + r / lanes : Rows::kNone;
  };
  const std::size_t num_rows = lanes * (size + 1);
  std::vector<float> bias;
  for (std::size_t r = 0; r < num_rows; ++r) {
    bias.push_back(from(r) == Rows::kNone ? 0.0F : label.at(size * step + from(r)));
  }
  const auto at = [&](std::size_t r, std::size_t c) { return from(r) == Rows::kNone ? from(r) : c * step + from(r); };
  return {Rows::gather(label, num_rows, size, at), std::move(bias), std::span(&size, 1)};
}

/// Tells whether the matrices are bytes; throws if only some of them are.
bool are_quantised(const Tensors& tensors) {
  std::size_t matrices = 0, of_bytes = 0;
  for (const auto& [name, tensor] : tensors) {
    if (tensor.shape.size() < 2) continue;
    ++matrices;
    of_bytes += tensor.quantised() ? 1 : 0;
  }
  if (of_bytes != 0 && of_bytes != matrices) {
    throw std::invalid_argument("A network expects either all matrices as bytes or none; got " +
                                std::to_string(of_bytes) + " of " + std::to_string(matrices) + " as bytes.");
  }
  return of_bytes > 0;
}

}  // namespace

Network::Layers::Layers(const Tensors& tensors) : quantised(are_quantised(tensors)) {
  std::vector<Sizes> parts;  // of the input of a layer
  if (find_tensor(tensors, "words.weight") != nullptr) {
    words.emplace(matrix_of(tensors, "words.weight"));
    parts.push_back({words->size()});
  }
  if (find_tensor(tensors, "characters.weight") != nullptr) {
    const Tensor& characters = matrix_of(tensors, "characters.weight");
    num_characters = characters.shape[0];
    spelling.emplace(tensors, "spelling", characters);
    parts.push_back({spelling->hidden(), spelling->hidden()});
  }
  for (std::size_t i = 0; i < 3 && find_tensor(tensors, "tags.0.weight") != nullptr; ++i) {
    tags.emplace_back(matrix_of(tensors, "tags." + std::to_string(i) + ".weight"));
    if (tags[i].size() != tags[0].size())
      throw std::invalid_argument("A network expects embeddings of tags of one size.");
  }
  if (!tags.empty()) parts.push_back({tags[0].size()});
  if (parts.empty()) throw std::invalid_argument("A network expects embeddings of words, characters or tags.");

  const bool feeds = find_tensor(tensors, "fed.0.weight") != nullptr;
  while (find_tensor(tensors, "layers." + std::to_string(layers.size()) + ".weight_hh_l0") != nullptr) {
    const std::string name = "layers." + std::to_string(layers.size());
    const bool last = find_tensor(tensors, "layers." + std::to_string(layers.size() + 1) + ".weight_hh_l0") == nullptr;
    if (feeds && last && !layers.empty()) {
      fed_size = matrix_of(tensors, "fed.0.weight").shape[0];
      parts.push_back({fed_size});
    }
    layers.emplace_back(tensors, name, parts);
    parts = {{layers.back().hidden(), layers.back().hidden()}};
  }
  if (layers.empty()) throw std::invalid_argument("A network expects the weights layers.0.weight_hh_l0.");
  hidden = layers.back().hidden();
  const std::array both{hidden, hidden};
  for (std::size_t i = 0; i < 3 && find_tensor(tensors, "tag_heads.0.weight") != nullptr; ++i) {
    const std::string number = std::to_string(i);
    tag_heads.push_back(linear_of(tensors, "tag_heads." + number, true, both));
    num_tags[i] = matrix_of(tensors, "tag_heads." + number + ".weight").shape[0];
    if (feeds && layers.size() > 1) {
      fed.push_back(linear_of(tensors, "fed." + number, false, std::span(&num_tags[i], 1)));
    }
  }

  const Tensor& arcs = matrix_of(tensors, "arc");
  arc_size = arcs.shape[1];
  expect_shape(arcs, "arc", {arc_size + 1, arc_size});
  const Tensor& of_labels = tensor_of(tensors, "label");
  if (of_labels.shape.size() != 3 || of_labels.shape[0] < 2 || of_labels.shape[1] == 0) {
    throw std::invalid_argument("label expects three axes, none of them empty.");
  }
  label_size = of_labels.shape[0] - 1;
  num_labels = of_labels.shape[1];
  expect_shape(of_labels, "label", {label_size + 1, num_labels, label_size + 1});
  dense = linear_of(tensors, "dense", true, both);
  const std::size_t num_rows = matrix_of(tensors, "dense.weight").shape[0], without_rank = 2 * (arc_size + label_size);
  if (num_rows < without_rank || (num_rows - without_rank) % 5 != 0) {
    throw std::invalid_argument("dense.weight expects " + std::to_string(without_rank) +
                                " rows, or 5 more for each rank; got " + std::to_string(num_rows) + ".");
  }
  rank = (num_rows - without_rank) / 5;
  arc = arcs_of(arcs, arc_size);
  label = labels_of(of_labels, label_size, num_labels);
}

}  // namespace ramify::neural
