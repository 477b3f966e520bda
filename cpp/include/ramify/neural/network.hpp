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
  std::span<const std::int32_t> words;                // one for each token; empty if the network reads no words
  std::array<std::span<const std::int32_t>, 3> tags;  // upos, xpos and feats; empty if it reads no tags
  std::span<const std::int32_t> forms;                // numbers of spellings; empty if it reads no characters
  std::span<const std::int32_t> characters;           // of all spellings, one after the other
  std::span<const std::int32_t> spelling_lengths;
};

class Network {
 public:
  /// Takes the sizes from the shapes. Throws std::invalid_argument if the tensors do not fit.
  explicit Network(const Tensors& tensors);
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;
  ~Network();

  /// Returns one output for each sentence. Throws std::invalid_argument if numbers are out of range. The output of a
  /// sentence is the same, bit by bit, with other sentences in the batch, other numbers of threads and earlier calls.
  std::vector<Output> run(const Batch& batch, int num_threads) const;

  std::size_t num_labels() const;
  /// Computes the scores of all labels for each of some arcs: `out` has shape (number of arcs, num_labels()). The work
  /// grows with the number of different heads.
  void label_scores(const Output& output, std::span<const std::int32_t> heads, std::span<const std::int32_t> modifiers,
                    std::span<float> out) const;

  /// How many different words, characters and tags there are; 0 if the network does not use them.
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
