// Scores for trees with one root arc: compared first by the number of root arcs, then by score.
#pragma once

#include <limits>

namespace ramify::trees {

/// Adding up, `roots` counts root arcs (negatively, so that more is better); a large constant in place of the
/// pair would eat the digits of the score.
struct Lexicographic {
  double roots;
  double score;

  friend Lexicographic operator+(const Lexicographic& a, const Lexicographic& b) {
    return {a.roots + b.roots, a.score + b.score};
  }
  friend Lexicographic operator-(const Lexicographic& a, const Lexicographic& b) {
    return {a.roots - b.roots, a.score - b.score};
  }
  friend bool operator<(const Lexicographic& a, const Lexicographic& b) {
    return a.roots < b.roots || (a.roots == b.roots && a.score < b.score);
  }
  friend bool operator>(const Lexicographic& a, const Lexicographic& b) { return b < a; }
};

/// What an algorithm needs to know about its scores besides the operators + - < >.
template <class Score>
struct ScoreTraits;

template <>
struct ScoreTraits<double> {
  static constexpr double kForbidden = -std::numeric_limits<double>::infinity();
  static constexpr double kZero = 0.0;
  static double of_arc(double score, bool /*is_root_arc*/) { return score; }
  static bool is_forbidden(double score) { return score == kForbidden; }
  static bool is_impossible(double length) { return length == -kForbidden; }
  static double impossible() { return -kForbidden; }
};

template <>
struct ScoreTraits<Lexicographic> {
  static constexpr double kInf = std::numeric_limits<double>::infinity();
  static constexpr Lexicographic kForbidden{-kInf, -kInf};
  static constexpr Lexicographic kZero{0.0, 0.0};
  static Lexicographic of_arc(double score, bool is_root_arc) {
    return score == -kInf ? kForbidden : Lexicographic{is_root_arc ? -1.0 : 0.0, score};
  }
  static bool is_forbidden(const Lexicographic& score) { return score.score == -kInf; }
  static bool is_impossible(const Lexicographic& length) { return length.score == kInf; }
  static Lexicographic impossible() { return {kInf, kInf}; }
};

}  // namespace ramify::trees
