#include "ramify/factors/projections.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace ramify::factors {

namespace {

double clip(double x) { return std::clamp(x, 0.0, 1.0); }

double cost_of(Scores costs, std::size_t i) { return costs.empty() ? 1.0 : costs[i]; }

bool nothing_feasible(Point z) {
  std::ranges::fill(z, 0.0);
  return false;
}

struct KnapsackLine {
  Scores a;
  Scores costs;

  double cost(double tau) const {
    double total = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double c = cost_of(costs, i);
      total += std::isfinite(a[i]) ? c * clip(a[i] - tau * c) : 0.0;
    }
    return total;
  }
};

// The multiplier with cost(tau) = budget. Between two neighbouring breakpoints cost() is linear.
double solve_multiplier(const KnapsackLine& line, double budget, Workspace& ws) {
  const std::span<double> points = ws.take<double>(2 * line.a.size());
  std::size_t n = 0;
  for (std::size_t i = 0; i < line.a.size(); ++i) {
    const double c = cost_of(line.costs, i);
    if (!std::isfinite(line.a[i]) || c == 0.0) continue;
    points[n++] = line.a[i] / c;
    points[n++] = (line.a[i] - 1.0) / c;
  }
  if (n == 0) return 0.0;
  const std::span<double> sorted = points.first(n);
  std::ranges::sort(sorted);
  // The last breakpoint where the cost is still at least the budget.
  std::size_t low = 0;
  std::size_t high = n - 1;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (line.cost(sorted[middle]) >= budget ? low : high) = middle;
  }
  const double between = 0.5 * (sorted[low] + sorted[high]);
  double numerator = -budget;
  double denominator = 0.0;
  for (std::size_t i = 0; i < line.a.size(); ++i) {
    const double c = cost_of(line.costs, i);
    if (!std::isfinite(line.a[i]) || c == 0.0) continue;
    const double x = line.a[i] - between * c;
    if (x >= 1.0) numerator += c;
    if (x > 0.0 && x < 1.0) {
      numerator += c * line.a[i];
      denominator += c * c;
    }
  }
  return denominator > 0.0 ? numerator / denominator : between;
}

// The largest value t that z_last and the inputs above it share when only z_i <= z_last binds.
double shared_ceiling(Scores a, Workspace& ws) {
  const std::size_t n = a.size() - 1;
  const std::span<double> sorted = ws.take<double>(n);
  std::ranges::copy(a.first(n), sorted.begin());
  std::ranges::sort(sorted, std::greater<>());
  double total = a[n];
  double count = 1.0;
  for (std::size_t i = 0; i < n && sorted[i] > total / count; ++i) {
    total += sorted[i];
    count += 1.0;
  }
  return total / count;
}

// Inputs forced or an output fixed: what is left is a box or an OR.
bool project_or_out_fixed(Scores a, Point z, Face& face, Workspace& ws) {
  const std::size_t n = a.size() - 1;
  const auto inputs = a.first(n);
  const bool forced = std::ranges::find(inputs, kForced) != inputs.end();
  const bool open = std::ranges::any_of(inputs, [](double x) { return x != kForbidden; });
  if ((forced && a[n] == kForbidden) || (!open && a[n] == kForced)) return nothing_feasible(z);
  std::ranges::fill(z, 0.0);
  if (a[n] == kForbidden || !open) return true;
  if (forced) {
    project_box(a, z, face);
    z[n] = 1.0;
    face.free[n] = 0;
    return true;
  }
  Face inner(n, ws);
  const bool feasible = project_knapsack(inputs, {}, 1.0, Relation::kAtLeast, z.first(n), inner, ws);
  z[n] = 1.0;
  face.kind = inner.kind;
  std::ranges::copy(inner.direction, face.direction.begin());
  std::ranges::copy(inner.free, face.free.begin());
  return feasible;
}

}  // namespace

void Face::apply(Scores grad_z, Point grad_a) const {
  double dot = 0.0;
  double norm = 0.0;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    dot += direction[i] * grad_z[i];
    norm += direction[i] * direction[i];
  }
  const double along = norm > 0.0 ? dot / norm : 0.0;
  for (std::size_t i = 0; i < direction.size(); ++i) {
    if (direction[i] == 0.0) {
      grad_a[i] = free[i] ? grad_z[i] : 0.0;
    } else {
      grad_a[i] = kind == Kind::kPlane ? grad_z[i] - along * direction[i] : along * direction[i];
    }
  }
}

void project_box(Scores a, Point z, Face& face) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    z[i] = clip(a[i]);
    face.free[i] = a[i] > 0.0 && a[i] < 1.0;
  }
}

bool project_knapsack(Scores a, Scores costs, double budget, Relation relation, Point z, Face& face, Workspace& ws) {
  double left = budget;
  double most = 0.0;
  double spent = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double c = cost_of(costs, i);
    if (a[i] == kForced) left -= c;
    if (!std::isfinite(a[i])) continue;
    most += c;
    spent += c * clip(a[i]);
  }
  if ((relation != Relation::kAtLeast && left < 0.0) || (relation != Relation::kAtMost && most < left)) {
    return nothing_feasible(z);
  }
  project_box(a, z, face);
  if (spent == left || (relation == Relation::kAtMost && spent < left) ||
      (relation == Relation::kAtLeast && spent > left)) {
    return true;
  }
  const double tau = solve_multiplier({a, costs}, left, ws);
  face.kind = Face::Kind::kPlane;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double c = cost_of(costs, i);
    if (!std::isfinite(a[i]) || c == 0.0) continue;
    const double x = a[i] - tau * c;
    z[i] = clip(x);
    face.free[i] = 0;
    face.direction[i] = x > 0.0 && x < 1.0 ? c : 0.0;
  }
  return true;
}

bool project_or_out(Scores a, Point z, Face& face, Workspace& ws) {
  const std::size_t n = a.size() - 1;
  const auto inputs = a.first(n);
  if (!std::isfinite(a[n]) || std::ranges::find(inputs, kForced) != inputs.end() ||
      std::ranges::none_of(inputs, [](double x) { return x != kForbidden; })) {
    return project_or_out_fixed(a, z, face, ws);
  }
  const double ceiling = clip(shared_ceiling(a, ws));
  double total = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    z[i] = std::min(clip(a[i]), ceiling);
    total += z[i];
  }
  if (total >= ceiling) {
    z[n] = ceiling;
    const bool inside = ceiling > 0.0 && ceiling < 1.0;
    face.kind = Face::Kind::kTie;
    face.direction[n] = inside ? 1.0 : 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      face.direction[i] = inside && a[i] > ceiling ? 1.0 : 0.0;
      face.free[i] = a[i] > 0.0 && a[i] < ceiling;
    }
    return true;
  }
  // z_last = sum of the inputs: with 1 - z_last in its place, exactly one is on.
  const Point flipped = ws.take<double>(n + 1);
  std::ranges::copy(a, flipped.begin());
  flipped[n] = 1.0 - a[n];
  project_knapsack(flipped, {}, 1.0, Relation::kExactly, z, face, ws);
  z[n] = 1.0 - z[n];
  face.direction[n] = -face.direction[n];
  return true;
}

void negate(const std::uint8_t* negated, Scores a, Point out) {
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = negated != nullptr && negated[i] ? 1.0 - a[i] : a[i];
}

void negate_back(const std::uint8_t* negated, Point z, Face& face) {
  for (std::size_t i = 0; i < z.size() && negated != nullptr; ++i) {
    if (!negated[i]) continue;
    z[i] = 1.0 - z[i];
    face.direction[i] = -face.direction[i];
  }
}

double projection_value(Scores a, Scores z) {
  double total = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    total += (std::isfinite(a[i]) ? a[i] * z[i] : 0.0) - 0.5 * z[i] * z[i];
  }
  return total;
}

}  // namespace ramify::factors
