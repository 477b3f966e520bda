// The tree algorithms over a batch of padded score matrices, on several threads.
#pragma once

#include <cstdint>

namespace ramify::trees {

/// scores[item][head][modifier], each item (num_words + 1) x (num_words + 1); lengths, unless null, says how
/// many words an item really has, and what is beyond is not read. Outputs are padded the same way.
struct Batch {
  const double* scores;
  const std::int32_t* lengths;
  std::int64_t num_items;
  int num_words;
  bool single_root;
  int num_threads;
};

// Each returns the first item whose scores are malformed (NaN, +inf, beyond +-1e12) or that has no tree, or
// -1 if there is none. What is written for such an item is undefined, except that log Z is -inf where no tree
// exists.

std::int64_t batch_max_arborescence(const Batch& batch, std::int32_t* heads, double* values);
std::int64_t batch_log_partition(const Batch& batch, double* log_z);
std::int64_t batch_marginals(const Batch& batch, double* marginals, double* complements, double* log_z);
std::int64_t batch_messages(const Batch& batch, double* messages, double* log_z);
std::int64_t batch_marginals_vjp(const Batch& batch, const double* directions, double* products);
std::int64_t batch_max_marginals(const Batch& batch, double* with_arc, double* without_arc, std::int32_t* heads);

}  // namespace ramify::trees
