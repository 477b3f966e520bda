// Exact inference in chains of labels whose n-gram scores are the same at every position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ramify::tagging {

inline constexpr double kImpossible = -std::numeric_limits<double>::infinity();

/// Scores of label n-grams. Order 0 has none, order 1 pairs, order 2 pairs and triples, added up. Label number
/// `num_labels` stands for what is before the first word and after the last.
class NgramScores {
 public:
  NgramScores(int order, std::size_t num_labels);

  int order() const { return order_; }
  std::size_t num_labels() const { return num_labels_; }
  /// Labels and padding to whole vectors; padding scores -inf.
  std::size_t stride() const { return stride_; }
  std::size_t num_rows() const { return stop_.size(); }

  /// Rows are what comes before: order 1 the label, order 2 the two labels, first * (num_labels + 1) + second.
  double* row(std::size_t r) { return rows_.data() + r * stride_; }
  const double* row(std::size_t r) const { return rows_.data() + r * stride_; }
  double& stop(std::size_t r) { return stop_[r]; }
  double stop(std::size_t r) const { return stop_[r]; }
  /// Labels outside [begin, end) cannot follow; both are multiples of a vector. Whole rows until find_limits().
  struct Limits {
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
  };
  const Limits& limits(std::size_t r) const { return limits_[r]; }
  void find_limits();
  std::size_t start_row() const { return num_rows() - 1; }
  std::span<const double> rows() const { return rows_; }
  std::span<const double> stops() const { return stop_; }

 private:
  int order_;
  std::size_t num_labels_;
  std::size_t stride_;
  std::vector<double> rows_;
  std::vector<double> stop_;
  std::vector<Limits> limits_;
};

/// From scores of pairs, [(k + 1)][(k + 1)], and in order 2 of triples, [(k + 1)²][(k + 1)], the boundary last.
NgramScores compose(int order, std::size_t num_labels, std::span<const double> pairs, std::span<const double> triples);

/// Scores of the labels of each word, [n][stride], and which of them may be: sets never empty, labels ascending.
struct Lattice {
  std::size_t num_words = 0;
  std::vector<double> scores;
  std::vector<std::uint32_t> begin;  // n + 1
  std::vector<std::uint16_t> labels;

  void reset(std::size_t words, std::size_t stride);
  std::span<const std::uint16_t> labels_of(std::size_t word) const {
    return std::span(labels).subspan(begin[word], begin[word + 1] - begin[word]);
  }
  /// -inf for all labels that may not be.
  void mask(std::size_t stride);
};

/// A labelling with its score; infeasible ones have no labels and a score of -inf.
struct Labelling {
  std::vector<std::uint16_t> labels;
  double value = kImpossible;
};

/// Memory that inference reuses from sentence to sentence.
struct ChainScratch {
  std::vector<std::size_t> offsets;  // of the cells of each word
  std::vector<double> forward, backward, unary;
  std::vector<std::int32_t> back;
  std::vector<double> exp_rows, exp_stop;  // of the n-gram scores for which ready is set
  double low = 0.0;                        // smallest of them, as a logarithm
  bool ready = false;
};

/// Score of one labelling; -inf where something of it is impossible.
double score_of(const NgramScores& ngrams, const Lattice& lattice, std::span<const std::uint16_t> labels);

Labelling viterbi(const NgramScores& ngrams, const Lattice& lattice, ChainScratch& scratch);

/// The k best labellings, best first; fewer where there are fewer.
std::vector<Labelling> k_best(const NgramScores& ngrams, const Lattice& lattice, std::size_t k);

/// Expectations under exp(score).
struct ChainMarginals {
  double log_partition = kImpossible;
  std::vector<double> words;   // [n][stride]
  std::vector<double> ngrams;  // [rows][stride], summed over positions; only if asked for
  std::vector<double> stops;   // [rows]
};

/// Set scratch.ready to false when the n-gram scores have changed since the last call.
void marginals(const NgramScores& ngrams, const Lattice& lattice, bool want_ngrams, ChainScratch& scratch,
               ChainMarginals& out);

}  // namespace ramify::tagging
