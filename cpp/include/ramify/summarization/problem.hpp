// A summary problem: trees of units that stay or go, concepts that they bring, and limits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ramify::summarization {

using Index = std::int64_t;
using Indices = std::span<const Index>;
using Numbers = std::span<const double>;
using Mask = std::vector<std::uint8_t>;

/// What the attributes of `ramify.summarization.SummaryProblem` say.
struct Problem {
  Indices begin, heads, lengths;
  Numbers cuts, stays;
  Indices first, second, concepts;
  Numbers weights;
  Indices requires_, least;
  Index budget, sentences;

  Index num_units() const { return static_cast<Index>(heads.size()); }
  Index num_sentences() const { return static_cast<Index>(begin.size()) - 1; }
};

/// Units that together bring a concept; the same twice where one is enough.
struct Token {
  Index first, second;
  bool operator==(const Token&) const = default;
};

/// A concept that several tokens bring, or one of two units.
struct Concept {
  double weight;
  Index begin, end;  // of its tokens
};

/// The sum of coefficients of units that stay, and of a constant, is at least 0.
struct Row {
  std::vector<Index> units;
  std::vector<double> coefficients;
  double constant;
};

/// The same problem in fewer parts. Concepts that a single unit brings are in its score, and tokens below another token
/// of the same concept are left out.
struct Parts {
  explicit Parts(const Problem& problem);

  std::vector<double> stays;
  std::vector<Index> after;  // the first unit behind the subtree of each
  std::vector<Index> sentence;
  std::vector<Token> tokens;
  std::vector<Concept> concepts;
  std::vector<Row> rows;

  /// The score of a choice, -inf if it is not allowed.
  double value(const Problem& problem, const Mask& kept) const;

 private:
  void read_trees(const Problem& problem);
  void read_concepts(const Problem& problem);
  void read_rows(const Problem& problem);
  void add_concept(double weight, std::vector<Token>& own);
};

}  // namespace ramify::summarization
