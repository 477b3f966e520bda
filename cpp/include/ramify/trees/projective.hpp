// Projective trees of any order, over batches: picks the grammar, runs an algorithm on each sentence, in
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ramify::trees {

/// Which parts carry scores; the tables are described in projective_grammar.hpp.
enum class ProjectiveOrder { kArc, kSibling, kGrand, kGrandSibling, kTriSibling };

/// Number of entries in one sentence's table of parts with `stride` entries along each axis.
std::size_t num_projective_parts(ProjectiveOrder order, std::size_t stride);

/// Sentences padded to a common table size: sentence b has lengths[b] words and its own table of parts.
struct ProjectiveBatch {
  ProjectiveOrder order;
  bool single_root;
  int stride;                             // words + 1 of the longest
  std::span<const std::int32_t> lengths;  // one per sentence, each < stride
  const double* parts;                    // (sentences, num_projective_parts)
  int num_threads;
};

// Outputs have one row per sentence. Part tables must arrive filled with zeros (-inf for max_marginals), head
// rows are `stride` long and written up to the sentence's length. A sentence without any tree has the value
// -inf.
void log_partition(const ProjectiveBatch& batch, double* log_z);
void best_trees(const ProjectiveBatch& batch, std::int32_t* heads, double* values);
void marginals(const ProjectiveBatch& batch, double* mu, double* log_z);
void marginals_vjp(const ProjectiveBatch& batch, const double* direction, double* grad_parts);
void max_marginals(const ProjectiveBatch& batch, double* best_with, double* best);
void entropies(const ProjectiveBatch& batch, double* entropy);
void kl_divergences(const ProjectiveBatch& batch, const double* other_parts, double* divergence);
/// heads: (sentences, count, stride). The draws of a sentence depend on the seed and its place in the batch
/// only.
void sample(const ProjectiveBatch& batch, std::uint64_t seed, std::size_t count, std::int32_t* heads, double* log_z);
/// heads: (sentences, k, stride), values: (sentences, k), -inf where there are fewer than k trees.
void k_best(const ProjectiveBatch& batch, std::size_t k, std::int32_t* heads, double* values);

}  // namespace ramify::trees
