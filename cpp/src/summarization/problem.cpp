#include "ramify/summarization/problem.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "ramify/numeric/index.hpp"

namespace ramify::summarization {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kSlack = 1e-9;

/// Concepts of a problem as ranges of the numbers of tokens.
std::vector<Index> sorted_tokens(const Problem& problem, std::vector<Index>& begin) {
  begin.assign(problem.weights.size() + 1, 0);
  for (const Index c : problem.concepts) ++begin[at(c) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Index> next(begin.begin(), begin.end() - 1), order(problem.concepts.size());
  for (std::size_t t = 0; t < order.size(); ++t) order[at(next[at(problem.concepts[t])]++)] = static_cast<Index>(t);
  return order;
}

}  // namespace

Parts::Parts(const Problem& problem) : stays(problem.stays.begin(), problem.stays.end()) {
  read_trees(problem);
  read_concepts(problem);
  read_rows(problem);
}

void Parts::read_trees(const Problem& problem) {
  const Index n = problem.num_units();
  std::vector<Index> size(at(n));
  after.resize(at(n));
  sentence.resize(at(n));
  for (Index s = 0; s < problem.num_sentences(); ++s) {
    const Index begin = problem.begin[at(s)], end = problem.begin[at(s) + 1];
    for (Index u = end - 1; u >= begin; --u) {
      sentence[at(u)] = s;
      after[at(u)] = std::max(after[at(u)], u + 1);
      ++size[at(u)];
      if (u == begin) break;
      const Index head = problem.heads[at(u)];
      after[at(head)] = std::max(after[at(head)], after[at(u)]);
      size[at(head)] += size[at(u)];
    }
  }
  for (Index u = 0; u < n; ++u) {
    if (after[at(u)] - u != size[at(u)]) {
      throw std::invalid_argument("SummaryProblem expects units in the order of a walk through each tree.");
    }
  }
}

void Parts::read_concepts(const Problem& problem) {
  std::vector<Index> begin;
  const std::vector<Index> order = sorted_tokens(problem, begin);
  std::vector<Token> own;
  for (std::size_t c = 0; c < problem.weights.size(); ++c) {
    if (problem.weights[c] == 0.0 || begin[c] == begin[c + 1]) continue;
    own.clear();
    for (Index i = begin[c]; i < begin[c + 1]; ++i) {
      const Index t = order[at(i)];
      const auto [a, b] = std::minmax(problem.first[at(t)], problem.second[at(t)]);
      own.push_back({a, b});
    }
    add_concept(problem.weights[c], own);
  }
}

void Parts::add_concept(double weight, std::vector<Token>& own) {
  const auto covers = [&](const Token& high, const Token& low) {  // where the lower one stays, the higher one does
    const auto above = [&](Index u) {
      return (u <= low.first && low.first < after[at(u)]) || (u <= low.second && low.second < after[at(u)]);
    };
    return above(high.first) && above(high.second);
  };
  const Index first = static_cast<Index>(tokens.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    bool is_needed = true;
    for (std::size_t k = 0; k < own.size() && is_needed; ++k) {
      if (k != i && covers(own[k], own[i])) is_needed = covers(own[i], own[k]) && i < k;  // one of equal ones
    }
    if (is_needed) tokens.push_back(own[i]);
  }
  if (static_cast<Index>(tokens.size()) == first + 1 && tokens.back().first == tokens.back().second) {
    stays[at(tokens.back().first)] += weight;
    tokens.pop_back();
    return;
  }
  concepts.push_back({weight, first, static_cast<Index>(tokens.size())});
}

void Parts::read_rows(const Problem& problem) {
  for (Index s = 0; s < problem.num_sentences(); ++s) {
    const Index needed = problem.requires_[at(s)];
    const Index root = problem.begin[at(s)], end = problem.begin[at(s) + 1];
    if (needed >= 0) rows.push_back({{problem.begin[at(needed)], root}, {1.0, -1.0}, 0.0});
    const auto least = static_cast<double>(problem.least[at(s)]);
    if (problem.lengths[at(root)] >= problem.least[at(s)]) continue;
    Row row{{root}, {static_cast<double>(problem.lengths[at(root)]) / least - 1.0}, 0.0};
    for (Index u = root + 1; u < end; ++u) {
      row.units.push_back(u);
      row.coefficients.push_back(static_cast<double>(problem.lengths[at(u)]) / least);
    }
    rows.push_back(std::move(row));
  }
  if (problem.sentences >= problem.num_sentences()) return;
  Row row{{problem.begin.begin(), problem.begin.end() - 1},
          std::vector<double>(at(problem.num_sentences()), -1.0),
          static_cast<double>(problem.sentences)};
  rows.push_back(std::move(row));
}

double Parts::value(const Problem& problem, const Mask& kept) const {
  for (const Row& row : rows) {
    double sum = row.constant;
    for (std::size_t i = 0; i < row.units.size(); ++i) sum += kept[at(row.units[i])] ? row.coefficients[i] : 0.0;
    if (sum < -kSlack) return kNever;
  }
  double total = 0.0;
  Index length = 0;
  for (std::size_t u = 0; u < kept.size(); ++u) {
    const Index head = problem.heads[u];
    const bool has_head = head < 0 || kept[at(head)] != 0;
    if (kept[u] && !has_head) return kNever;
    if (kept[u]) {
      total += stays[u];
      length += problem.lengths[u];
    } else if (head >= 0 && has_head) {
      total += problem.cuts[u];
    }
  }
  if (length > problem.budget) return kNever;
  for (const Concept& c : concepts) {
    for (Index t = c.begin; t < c.end; ++t) {
      if (!kept[at(tokens[at(t)].first)] || !kept[at(tokens[at(t)].second)]) continue;
      total += c.weight;
      break;
    }
  }
  return total;
}

}  // namespace ramify::summarization
