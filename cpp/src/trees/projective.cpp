#include "ramify/trees/projective.hpp"

#include <algorithm>
#include <vector>

#include "ramify/numeric/parallel.hpp"
#include "ramify/trees/eisner.hpp"
#include "ramify/trees/projective_algorithms.hpp"

namespace ramify::trees {
namespace {

/// f(sentence, workspace) for every sentence; each thread has its own workspace.
template <class Workspace, class F>
void for_each_sentence(const ProjectiveBatch& batch, F f) {
  const int num_threads = std::max(1, batch.num_threads);
  std::vector<Workspace> workspaces(std::min(static_cast<std::size_t>(num_threads), batch.lengths.size()));
  const auto count = static_cast<std::int64_t>(batch.lengths.size());
  numeric::parallel_for(count, num_threads, [&](int worker, std::int64_t b) {
    f(static_cast<std::size_t>(b), workspaces[static_cast<std::size_t>(worker)]);
  });
}

/// f(grammar, sentence, its table, workspace) for every sentence of the batch.
template <class F>
void for_each_grammar(const ProjectiveBatch& batch, F f) {
  const std::size_t size = num_projective_parts(batch.order, static_cast<std::size_t>(batch.stride));
  for_each_sentence<ProjectiveWorkspace>(batch, [&](std::size_t b, ProjectiveWorkspace& ws) {
    const int n = batch.lengths[b];
    const double* parts = batch.parts + b * size;
    switch (batch.order) {
      case ProjectiveOrder::kArc:
        return f(ArcGrammar(n, batch.stride, batch.single_root), b, parts, ws);
      case ProjectiveOrder::kSibling:
        return f(SiblingGrammar(n, batch.stride, batch.single_root), b, parts, ws);
      case ProjectiveOrder::kGrand:
        return f(GrandGrammar(n, batch.stride, batch.single_root), b, parts, ws);
      case ProjectiveOrder::kGrandSibling:
        return f(GrandSiblingGrammar(n, batch.stride, batch.single_root), b, parts, ws);
      case ProjectiveOrder::kTriSibling:
        return f(TriSiblingGrammar(n, batch.stride, batch.single_root), b, parts, ws);
    }
  });
}

std::size_t table_size(const ProjectiveBatch& batch) {
  return num_projective_parts(batch.order, static_cast<std::size_t>(batch.stride));
}

/// Spreads a seed and a position over 64 bits (splitmix64), so that neighbouring sentences get unrelated
/// streams.
std::uint64_t mix(std::uint64_t seed, std::uint64_t position) {
  std::uint64_t z = seed + (position + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

std::size_t num_projective_parts(ProjectiveOrder order, std::size_t stride) {
  switch (order) {
    case ProjectiveOrder::kArc:
      return stride * stride;
    case ProjectiveOrder::kSibling:
    case ProjectiveOrder::kGrand:
      return stride * stride * stride;
    case ProjectiveOrder::kGrandSibling:
      return stride * stride * stride * stride;
    case ProjectiveOrder::kTriSibling:
      break;
  }
  return 2 * stride * stride * stride * stride;
}

void log_partition(const ProjectiveBatch& batch, double* log_z) {
  if (batch.order == ProjectiveOrder::kArc) return marginals(batch, nullptr, log_z);
  for_each_grammar(batch, [&](const auto& grammar, std::size_t b, const double* parts, ProjectiveWorkspace& ws) {
    log_z[b] = inside_pass<LogSum>(grammar, parts, ws.inside, ws.alternatives);
  });
}

void best_trees(const ProjectiveBatch& batch, std::int32_t* heads, double* values) {
  const auto stride = static_cast<std::size_t>(batch.stride);
  for_each_grammar(batch, [&](const auto& grammar, std::size_t b, const double* parts, ProjectiveWorkspace& ws) {
    values[b] = best_tree(grammar, parts, ws, heads + b * stride);
  });
}

void marginals(const ProjectiveBatch& batch, double* mu, double* log_z) {
  const std::size_t size = table_size(batch);
  if (batch.order == ProjectiveOrder::kArc) {
    return for_each_sentence<EisnerWorkspace>(batch, [&](std::size_t b, EisnerWorkspace& ws) {
      log_z[b] = eisner_marginals(batch.lengths[b], batch.stride, batch.single_root, batch.parts + b * size, ws,
                                  mu == nullptr ? nullptr : mu + b * size);
    });
  }
  for_each_grammar(batch, [&](const auto& grammar, std::size_t b, const double* parts, ProjectiveWorkspace& ws) {
    log_z[b] = inside_pass<LogSum>(grammar, parts, ws.inside, ws.alternatives);
    if (log_z[b] != kForbidden) outside_pass<LogSum>(grammar, parts, ws, mu + b * size);
  });
}

void marginals_vjp(const ProjectiveBatch& batch, const double* direction, double* grad_parts) {
  const std::size_t size = table_size(batch);
  for_each_grammar(batch, [&](const auto& grammar, std::size_t b, const double* parts, ProjectiveWorkspace& ws) {
    hessian_product(grammar, parts, direction + b * size, ws, grad_parts + b * size);
  });
}

void max_marginals(const ProjectiveBatch& batch, double* best_with, double* best) {
  const std::size_t size = table_size(batch);
  for_each_grammar(batch, [&](const auto& grammar, std::size_t b, const double* parts, ProjectiveWorkspace& ws) {
    best[b] = inside_pass<MaxPlus>(grammar, parts, ws.inside, ws.alternatives);
    if (best[b] == kForbidden) return;
    double* row = best_with + b * size;
    outside_pass<MaxPlus>(grammar, parts, ws, row);
    for (std::size_t i = 0; i < size; ++i) row[i] += best[b];
  });
}

void entropies(const ProjectiveBatch& batch, double* result) {
  for_each_grammar(batch, [&](const auto& grammar, std::size_t b, const double* parts, ProjectiveWorkspace& ws) {
    result[b] = entropy(grammar, parts, ws);
  });
}

void kl_divergences(const ProjectiveBatch& batch, const double* other_parts, double* divergence) {
  const std::size_t size = table_size(batch);
  for_each_grammar(batch, [&](const auto& grammar, std::size_t b, const double* parts, ProjectiveWorkspace& ws) {
    divergence[b] = kl_divergence(grammar, parts, other_parts + b * size, ws);
  });
}

void sample(const ProjectiveBatch& batch, std::uint64_t seed, std::size_t count, std::int32_t* heads, double* log_z) {
  const auto stride = static_cast<std::size_t>(batch.stride);
  for_each_grammar(batch, [&](const auto& grammar, std::size_t b, const double* parts, ProjectiveWorkspace& ws) {
    log_z[b] = sample_trees(grammar, parts, mix(seed, b), count, stride, ws, heads + b * count * stride);
  });
}

void k_best(const ProjectiveBatch& batch, std::size_t k, std::int32_t* heads, double* values) {
  const auto stride = static_cast<std::size_t>(batch.stride);
  for_each_grammar(batch, [&](const auto& grammar, std::size_t b, const double* parts, ProjectiveWorkspace& ws) {
    KBest search(grammar, parts, ws);
    std::fill_n(values + b * k, k, kForbidden);
    for (std::size_t i = 0; i < k; ++i) {
      const std::size_t row = b * k + i;
      values[row] = search.tree(i, heads + row * stride);
      if (values[row] == kForbidden) break;
    }
  });
}

}  // namespace ramify::trees
