#include "ramify/parsing/constraints.hpp"

#include <algorithm>
#include <limits>

#include "ramify/numeric/index.hpp"
#include "ramify/trees/arborescence.hpp"
#include "ramify/trees/eisner.hpp"

namespace ramify::parsing {

namespace {

bool has_tree(std::span<const Constraint> constraints, std::int32_t n, bool single_root, bool projective) {
  const Allowed allowed = apply(constraints, n);
  const std::size_t stride = at(n) + 1;
  std::vector<double> scores(stride * stride, 0.0);
  for (std::size_t a = 0; a < allowed.arcs.size(); ++a) {
    if (allowed.arcs[a] == 0) scores[a] = -std::numeric_limits<double>::infinity();
  }
  if (projective) {
    trees::EisnerWorkspace workspace;
    const double log_z = trees::eisner_marginals(n, n + 1, single_root, scores.data(), workspace, nullptr);
    return log_z != -std::numeric_limits<double>::infinity();
  }
  trees::ArborescenceWorkspace workspace;
  std::vector<std::int32_t> heads(stride);
  return trees::max_arborescence(scores.data(), n, single_root, heads.data(), workspace);
}

}  // namespace

Allowed apply(std::span<const Constraint> constraints, std::int32_t n) {
  Allowed allowed;
  const std::size_t stride = at(n) + 1;
  for (const Constraint& c : constraints) {
    if (c.kind == Constraint::Kind::kLabel) {
      if (allowed.labels.empty()) allowed.labels.resize(stride);
      std::vector<std::int32_t>& mine = allowed.labels[at(c.word)];
      const bool contradiction = !mine.empty() && mine.front() != c.value;
      mine = {c.value};
      if (!contradiction) continue;
      // Two labels for one word: no arc into it can have both.
      if (allowed.arcs.empty()) allowed.arcs.assign(stride * stride, 1);
      for (std::int32_t h = 0; h <= n; ++h) allowed.arcs[at(h) * stride + at(c.word)] = 0;
      continue;
    }
    if (allowed.arcs.empty()) allowed.arcs.assign(stride * stride, 1);
    for (std::int32_t h = 0; h <= n; ++h) {
      const bool named = h == c.value;
      if (named == (c.kind == Constraint::Kind::kNotHead)) allowed.arcs[at(h) * stride + at(c.word)] = 0;
    }
  }
  return allowed;
}

std::vector<std::int32_t> find_conflict(std::span<const Constraint> constraints, std::int32_t n, bool single_root,
                                        bool projective) {
  std::vector<std::int32_t> kept(constraints.size());
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = static_cast<std::int32_t>(i);
  const auto subset = [&](const std::vector<std::int32_t>& indices) {
    std::vector<Constraint> out;
    for (const std::int32_t i : indices) out.push_back(constraints[at(i)]);
    return out;
  };
  if (has_tree(constraints, n, single_root, projective)) return {};
  for (std::size_t i = 0; i < kept.size();) {
    std::vector<std::int32_t> fewer(kept);
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (has_tree(subset(fewer), n, single_root, projective)) {
      ++i;
    } else {
      kept = std::move(fewer);
    }
  }
  return kept;
}

}  // namespace ramify::parsing
