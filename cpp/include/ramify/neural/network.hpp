// A trained network that scores arcs, labels, siblings, grandparents and tags.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ramify/neural/output.hpp"
#include "ramify/neural/tensor.hpp"

namespace ramify::neural {

/// Sentences as numbers, one after the other; the root is the first token of each.
struct Batch {
  std::span<const std::int32_t> lengths;              // of the sentences
  std::span<const std::int32_t> words;                // one for each token; empty: the network reads no words
  std::array<std::span<const std::int32_t>, 3> tags;  // upos, xpos and feats; empty: it reads none
  std::span<const std::int32_t> forms;                // numbers of spellings; empty: it reads no characters
  std::span<const std::int32_t> characters;           // of all spellings, one after the other
  std::span<const std::int32_t> spelling_lengths;
};

class Network {
 public:
  /// Sizes follow from the shapes. Throws std::invalid_argument if the tensors are of no such network.
  explicit Network(const Tensors& tensors);
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;
  ~Network();

  /// One output for each sentence. Throws std::invalid_argument if numbers are out of range. Sentences, threads and
  /// what ran before change nothing in the output of a sentence, bit by bit.
  std::vector<Output> run(const Batch& batch, int num_threads) const;

  std::size_t num_labels() const;
  /// Scores of all labels for each of some arcs: `out` has shape (number of arcs, num_labels()). The work grows with
  /// the number of different heads.
  void label_scores(const Output& output, std::span<const std::int32_t> heads, std::span<const std::int32_t> modifiers,
                    std::span<float> out) const;

  /// Numbers that inputs and outputs may have; 0: none.
  std::size_t num_words() const;
  std::size_t num_characters() const;
  std::array<std::size_t, 3> num_tags() const;
  bool reads_tags() const;
  bool predicts_tags() const;
  std::size_t rank() const;
  bool quantised() const;

 private:
  struct Layers;
  std::unique_ptr<const Layers> layers_;
};

}  // namespace ramify::neural
