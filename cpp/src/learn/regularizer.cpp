#include "ramify/learn/regularizer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "ramify/learn/label_rows.hpp"
#include "ramify/learn/template_scales.hpp"
#include "ramify/learn/weight_store.hpp"

namespace ramify::learn {

namespace {

double norm(const std::vector<std::uint32_t>& group, const TemplateScales& scales) {
  double squares = 0.0;
  for (const std::uint32_t m : group) squares += scales.squares(m);
  return std::sqrt(squares);
}

/// d of a group.
double weight(const GroupSet& set, std::size_t g, const TemplateScales& scales) {
  const double given = set.weights.empty() ? 1.0 : set.weights[g];
  double features = 0.0;
  for (const std::uint32_t m : set.groups[g]) features += static_cast<double>(scales.most(m));
  return given * group_weight(set.size, features);
}

/// Norms by weights: what groups are ranked by.
std::vector<double> ratios(const GroupSet& set, const TemplateScales& scales) {
  std::vector<double> out;
  out.reserve(set.groups.size());
  for (std::size_t g = 0; g < set.groups.size(); ++g) {
    out.push_back(norm(set.groups[g], scales) / weight(set, g, scales));
  }
  return out;
}

void shrink(const GroupSet& set, double threshold, double time, TemplateScales& scales) {
  if (threshold <= 0.0) return;
  for (std::size_t g = 0; g < set.groups.size(); ++g) {
    const double factor = shrink_factor(norm(set.groups[g], scales), weight(set, g, scales), threshold);
    for (const std::uint32_t m : set.groups[g]) scales.shrink(m, factor, time);
  }
}

}  // namespace

void Regularizer::set_budgets(std::span<const std::int64_t> budgets) {
  const std::size_t expected = options_.budget >= 0 ? 1 : options_.sets.size();
  if (budgets.size() != expected) {
    throw std::invalid_argument("The regularizer expects " + std::to_string(expected) + " budgets; got " +
                                std::to_string(budgets.size()) + ".");
  }
  if (options_.budget >= 0) {
    options_.budget = budgets[0];
  } else {
    for (std::size_t s = 0; s < budgets.size(); ++s) options_.sets[s].budget = budgets[s];
  }
}

double Regularizer::every(double size) const {
  return std::min(static_cast<double>(options_.every), std::max(1.0, size));
}

bool Regularizer::due(double before, const Stretch& stretch) const {
  const double length = every(stretch.size);
  return active() && std::floor(stretch.time / length) != std::floor(before / length);
}

/// What a budget for all sets leaves to each: as many groups as it has among the best of all.
std::vector<std::int64_t> Regularizer::budgets(const TemplateScales& scales) const {
  std::vector<std::int64_t> out;
  for (const GroupSet& set : options_.sets) out.push_back(set.budget);
  if (options_.budget < 0) return out;
  std::vector<std::pair<double, std::size_t>> ranks;
  for (std::size_t s = 0; s < out.size(); ++s) {
    out[s] = 0;
    for (const double ratio : ratios(options_.sets[s], scales)) ranks.emplace_back(-ratio, s);
  }
  std::ranges::sort(ranks);
  for (std::size_t i = 0; i < ranks.size() && std::cmp_less(i, options_.budget); ++i) ++out[ranks[i].second];
  return out;
}

template <class Table>
void Regularizer::apply(Table& table, const Optimizer& optimizer, const Stretch& stretch) const {
  if (!active()) return;
  const double steps = every(stretch.size) / stretch.batch;
  const double length = stretch.rate * stretch.batch / std::max(1.0, stretch.size);  // of one
  const double time = stretch.time;
  const double small = std::max(options_.l1, options_.rows) * length * steps;
  const bool lazy = small > 0.0 && table.fall(small, time);
  if (options_.l1 > 0.0 && !lazy) {
    table.for_each([&](std::size_t m, const WeightCell& cell) {
      const double threshold = small / optimizer.stiffness(cell.squares) / table.scale(m);
      table.set(m, cell, soft_threshold(static_cast<double>(*cell.weight), threshold), time);
    });
  }
  if (TemplateScales* scales = table.scales()) {
    const std::vector<std::int64_t> most = budgets(*scales);
    for (std::size_t s = 0; s < options_.sets.size(); ++s) {
      const GroupSet& set = options_.sets[s];
      const double threshold = most[s] < 0 ? set.lambda * length * steps
                                           : budget_threshold(ratios(set, *scales), static_cast<std::size_t>(most[s]));
      shrink(set, threshold, time, *scales);
    }
  }
  if (options_.l2 > 0.0) {
    table.for_each([&](std::size_t m, const WeightCell& cell) {
      if (*cell.weight == 0.0F) return;
      const double stiffness = optimizer.stiffness(cell.squares);
      const double factor = std::pow(stiffness / (stiffness + options_.l2 * length), steps);
      table.set(m, cell, static_cast<double>(*cell.weight) * factor, time);
    });
  }
  table.tidy(time, options_.l1 > 0.0 && !lazy);
}

template void Regularizer::apply(WeightStore&, const Optimizer&, const Stretch&) const;
template void Regularizer::apply(LabelRows&, const Optimizer&, const Stretch&) const;

}  // namespace ramify::learn
