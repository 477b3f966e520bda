#include "prices.hpp"

#include <algorithm>
#include <cmath>

#include "ramify/numeric/index.hpp"

namespace ramify::summarization {

namespace {

constexpr double kFirstShare = 0.6;  // of the weight of a concept of several tokens

}  // namespace

Prices::Prices(const Parts& parts)
    : concepts(parts.concepts.size()), tokens(parts.tokens.size()), rows(parts.rows.size()) {
  for (std::size_t i = 0; i < concepts.size(); ++i) {
    const Concept& c = parts.concepts[i];
    const auto size = static_cast<double>(c.end - c.begin);
    concepts[i] = c.weight > 0 ? (size > 1 ? kFirstShare : 1.0) * c.weight : 0.0;
    for (Index t = c.begin; t < c.end; ++t) tokens[at(t)] = c.weight > 0 ? concepts[i] / 2 : -c.weight / size;
  }
}

double Prices::gains(const Parts& parts, const Mask& covered, std::vector<double>& gains) const {
  gains.assign(parts.stays.begin(), parts.stays.end());
  double constant = 0.0;
  for (std::size_t i = 0; i < concepts.size(); ++i) {
    if (!covered.empty() && covered[i]) continue;
    const Concept& c = parts.concepts[i];
    if (c.weight > 0) constant += c.weight - concepts[i];
    for (Index t = c.begin; t < c.end; ++t) {
      const auto [a, b] = parts.tokens[at(t)];
      const double price = tokens[at(t)];
      if (c.weight > 0) {
        gains[at(a)] += a == b ? concepts[i] : price;
        if (a != b) gains[at(b)] += concepts[i] - price;
      } else {  // both stay: a + b - 1, or more where neither does
        gains[at(a)] -= price;
        if (a != b) gains[at(b)] -= price, constant += price;
      }
    }
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Row& row = parts.rows[r];
    constant += rows[r] * row.constant;
    for (std::size_t i = 0; i < row.units.size(); ++i) gains[at(row.units[i])] += rows[r] * row.coefficients[i];
  }
  return constant;
}

Prices Prices::gradient(const Parts& parts, const Mask& kept) const {
  Prices out;
  out.concepts.assign(concepts.size(), 0.0);
  out.tokens.assign(tokens.size(), 0.0);
  out.rows.resize(rows.size());
  for (std::size_t i = 0; i < concepts.size(); ++i) {
    const Concept& c = parts.concepts[i];
    double count = 0.0;
    for (Index t = c.begin; t < c.end; ++t) {
      const auto [first, second] = parts.tokens[at(t)];
      const double a = kept[at(first)], b = kept[at(second)];
      count += b;
      if (c.weight < 0) {
        out.tokens[at(t)] = first == second ? -a : 1.0 - a - b;
      } else if (first != second) {
        out.tokens[at(t)] = a - b;
      }
    }
    if (c.weight > 0 && c.end > c.begin + 1) out.concepts[i] = count - 1.0;
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Row& row = parts.rows[r];
    out.rows[r] = row.constant;
    for (std::size_t i = 0; i < row.units.size(); ++i) out.rows[r] += row.coefficients[i] * kept[at(row.units[i])];
  }
  return out;
}

double Prices::dot(const Prices& other) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < concepts.size(); ++i) sum += concepts[i] * other.concepts[i];
  for (std::size_t i = 0; i < tokens.size(); ++i) sum += tokens[i] * other.tokens[i];
  for (std::size_t i = 0; i < rows.size(); ++i) sum += rows[i] * other.rows[i];
  return sum;
}

double Prices::norm() const { return dot(*this); }

void Prices::deflect(const Prices& other, double factor) {
  for (std::size_t i = 0; i < concepts.size(); ++i) concepts[i] = other.concepts[i] + factor * concepts[i];
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = other.tokens[i] + factor * tokens[i];
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = other.rows[i] + factor * rows[i];
}

void Prices::move(const Parts& parts, const Prices& direction, double step) {
  for (std::size_t i = 0; i < concepts.size(); ++i) {
    const Concept& c = parts.concepts[i];
    if (c.weight > 0 && c.end > c.begin + 1) {
      concepts[i] = std::clamp(concepts[i] + step * direction.concepts[i], 0.0, c.weight);
    }
    for (Index t = c.begin; t < c.end; ++t) {
      double& price = tokens[at(t)];
      price = std::max(0.0, price + step * direction.tokens[at(t)]);
      if (c.weight > 0) price = std::min(price, concepts[i]);
    }
    if (c.weight < 0) move_negative(c);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = std::max(0.0, rows[r] + step * direction.rows[r]);
}

/// Tokens pay no more than the weight together: what is too much is taken from all of them evenly, then by scaling.
void Prices::move_negative(const Concept& c) {
  const auto sum = [&] {
    double total = 0.0;
    for (Index t = c.begin; t < c.end; ++t) total += tokens[at(t)];
    return total;
  };
  const double excess = (sum() + c.weight) / static_cast<double>(c.end - c.begin);
  if (excess <= 0) return;
  for (Index t = c.begin; t < c.end; ++t) tokens[at(t)] = std::max(0.0, tokens[at(t)] - excess);
  const double left = sum();
  const double scale = left > -c.weight ? -c.weight / left : 1.0;
  for (Index t = c.begin; t < c.end; ++t) tokens[at(t)] *= scale;
}

}  // namespace ramify::summarization
