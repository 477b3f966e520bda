// The cells of a chain's tables: what all its recursions walk over, whatever the order.
#pragma once

#include <span>
#include <vector>

#include "ramify/tagging/chain.hpp"

namespace ramify::tagging {

/// A label of a word together with what later n-grams need to know of the labels before.
struct Cell {
  std::size_t at;  // place among the cells of its word: context * stride + label
  std::size_t label;
  std::size_t row;     // of the n-gram scores that follow
  std::size_t target;  // context of the next word
};

/// Word i has num_contexts(i) rows of cells: in order 2 one for each label of the word before, else one.
class Cells {
 public:
  Cells(const NgramScores& ngrams, const Lattice& lattice) : ngrams_(ngrams), lattice_(lattice) {}

  std::size_t num_contexts(std::size_t word) const {
    return ngrams_.order() < 2 || word == 0 ? 1 : lattice_.labels_of(word - 1).size();
  }

  /// Where the cells of each word begin, [n + 1]; returns how many there are.
  std::size_t lay_out(std::vector<std::size_t>& offsets) const {
    offsets.assign(1, 0);
    for (std::size_t i = 0; i < lattice_.num_words; ++i) {
      offsets.push_back(offsets.back() + num_contexts(i) * ngrams_.stride());
    }
    return offsets.back();
  }

  /// The row after `row` and a label.
  std::size_t next_row(std::size_t row, std::size_t label) const {
    if (ngrams_.order() == 0) return 0;
    if (ngrams_.order() == 1) return label;
    const std::size_t with_boundary = ngrams_.num_labels() + 1;
    return row % with_boundary * with_boundary + label;
  }

  template <class Body>
  void for_each(std::size_t word, const Body& body) const {
    const std::span<const std::uint16_t> labels = lattice_.labels_of(word);
    const std::size_t stride = ngrams_.stride();
    if (ngrams_.order() == 0) {
      for (const std::uint16_t b : labels) body(Cell{b, b, 0, 0});
    } else if (ngrams_.order() == 1) {
      for (const std::uint16_t b : labels) body(Cell{b, b, b, 0});
    } else {
      const std::size_t with_boundary = ngrams_.num_labels() + 1;
      for (std::size_t x = 0; x < num_contexts(word); ++x) {
        const std::size_t first = word == 0 ? ngrams_.num_labels() : lattice_.labels_of(word - 1)[x];
        for (std::size_t b = 0; b < labels.size(); ++b) {
          body(Cell{x * stride + labels[b], labels[b], first * with_boundary + labels[b], b});
        }
      }
    }
  }

 private:
  const NgramScores& ngrams_;
  const Lattice& lattice_;
};

}  // namespace ramify::tagging
