// The layers of a network, and the steps from numbers to outputs for a few sentences at a time.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "embedding.hpp"
#include "ramify/neural/lstm.hpp"
#include "ramify/neural/network.hpp"

namespace ramify::neural {

/// Sentences of a batch that run together, longest first; their tokens are numbered one after the other.
struct Group {
  std::vector<std::size_t> sentences;  // numbers in the batch
  std::vector<Sequence> sequences;     // tokens in this group
  std::vector<std::int32_t> tokens;    // numbers in the batch
  std::vector<std::int32_t> rows;      // 0, 1, 2, …
};

struct Network::Layers {
  explicit Layers(const Tensors& tensors);

  /// Computes a vector for each spelling of a batch.
  Activations spell(const Batch& batch, int num_threads) const;
  /// Returns the input of the first layer: one part each for words, spellings and tags, if the network reads them.
  std::vector<Activations> inputs(const Batch& batch, const Activations& spelled, const Group& group) const;
  /// Returns the states of the last layer of the BiLSTM. Scores of tags go to the outputs of the group's sentences.
  Activations encode(std::vector<Activations> inputs, const Group& group, std::span<Output> outputs) const;
  void predict_tags(const Activations& states, const Group& group, std::span<Output> outputs) const;
  /// Returns the expected embeddings of the predicted tags.
  Activations feed(const Group& group, std::span<const Output> outputs) const;
  void score(const Activations& states, const Group& group, std::span<Output> outputs) const;

  bool quantised = false;
  std::optional<Embedding> words;
  std::size_t num_characters = 0;
  std::optional<BiLstm> spelling;
  std::vector<Embedding> tags;
  std::vector<BiLstm> layers;
  std::size_t hidden = 0;
  std::vector<Linear> tag_heads, fed;
  std::array<std::size_t, 3> num_tags{};
  Linear dense;
  std::size_t arc_size = 0, label_size = 0, rank = 0, fed_size = 0;
  Linear arc;
  std::size_t num_labels = 0;
  Linear label;  // rows [modifier's component][padded label]
};

}  // namespace ramify::neural
