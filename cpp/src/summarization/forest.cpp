#include "ramify/summarization/forest.hpp"

#include <algorithm>
#include <limits>

#include "ramify/numeric/index.hpp"

namespace ramify::summarization {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

constexpr Index kMostCells = 20'000'000;

/// out[b]: the best of a unit and all that follow, with b words left.
void choose(double* __restrict out, const double* __restrict cut, double cut_score, const double* __restrict keep,
            double keep_score, Index length, Index width) {
  const Index least = std::min(length, width);
  for (Index b = 0; b < least; ++b) out[b] = cut[b] + cut_score;
  for (Index b = least; b < width; ++b) {
    const double goes = cut[b] + cut_score, stays = keep[b - length] + keep_score;
    out[b] = goes > stays ? goes : stays;
  }
}

}  // namespace

Forest::Forest(const Problem& problem, const Parts& parts)
    : problem_(problem), parts_(parts), lengths_(problem.lengths.begin(), problem.lengths.end()) {
  piece_ = 1 + (problem.num_units() + 1) * (problem.budget + 1) / kMostCells;
  for (Index& length : lengths_) length = (length + piece_ - 1) / piece_;
}

double Forest::best(Numbers gains, const std::vector<Index>& sentences, Index budget, Mask& kept) {
  budget /= piece_;
  const Index n = problem_.num_units();
  width_ = budget + 1;
  table_.resize(at((n + 1) * width_));
  std::fill_n(row(n), width_, 0.0);
  Index follow = n;
  for (auto s = sentences.rbegin(); s != sentences.rend(); ++s) {
    const Index begin = problem_.begin[at(*s)], end = problem_.begin[at(*s) + 1];
    for (Index u = end - 1; u >= begin; --u) {
      const Index behind = parts_.after[at(u)] == end ? follow : parts_.after[at(u)];
      choose(row(u), row(behind), u == begin ? 0.0 : problem_.cuts[at(u)], row(u + 1 == end ? follow : u + 1),
             gains[at(u)], lengths_[at(u)], width_);
    }
    follow = begin;
    work_ += (end - begin) * width_;
  }
  const double value = row(follow)[budget];
  Index left = budget;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const Index begin = problem_.begin[at(sentences[i])], end = problem_.begin[at(sentences[i]) + 1];
    const Index next = i + 1 < sentences.size() ? problem_.begin[at(sentences[i + 1])] : n;
    std::fill(kept.begin() + begin, kept.begin() + end, std::uint8_t{0});
    for (Index u = begin; u < end;) {
      const Index behind = parts_.after[at(u)], length = lengths_[at(u)];
      const double goes = row(behind == end ? next : behind)[left] + (u == begin ? 0.0 : problem_.cuts[at(u)]);
      const bool stays = length <= left && row(u + 1 == end ? next : u + 1)[left - length] + gains[at(u)] > goes;
      kept[at(u)] = stays ? 1 : 0;
      if (stays) left -= length;
      u = stays ? u + 1 : behind;
    }
  }
  return value;
}

void Forest::max_marginals(Numbers gains, std::vector<double>& stays, std::vector<double>& goes) {
  const Index n = problem_.num_units();
  forward_.assign(at((n + 1) * width_), kNever);  // the best way to a unit with b words left
  forward_[at(width_ - 1)] = 0.0;
  stays.assign(at(n), kNever);
  goes.assign(at(n), kNever);
  for (Index u = 0; u < n; ++u) {
    const double* here = forward_.data() + u * width_;
    const Index behind = parts_.after[at(u)], length = lengths_[at(u)];
    const Index begin = problem_.begin[at(parts_.sentence[at(u)])];
    const double cut = u == begin ? 0.0 : problem_.cuts[at(u)];
    double* to = forward_.data() + behind * width_;
    double* next = forward_.data() + (u + 1) * width_;
    double without = kNever, with = kNever;
    for (Index b = 0; b < width_; ++b) {
      const double value = here[b] + cut;
      without = std::max(without, value + row(behind)[b]);
      to[b] = std::max(to[b], value);
    }
    for (Index b = length; b < width_; ++b) {
      const double value = here[b] + gains[at(u)];
      with = std::max(with, value + row(u + 1)[b - length]);
      next[b - length] = std::max(next[b - length], value);
    }
    stays[at(u)] = with;
    goes[at(u)] = u == begin ? without : std::max(without, goes[at(problem_.heads[at(u)])]);
  }
}

}  // namespace ramify::summarization
