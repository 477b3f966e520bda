// Sums over all trees by the matrix-tree theorem (Tutte 1948; Koo et al. 2007), stable for scores of any
// magnitude.
#pragma once

#include <memory>

namespace ramify::trees {

/// Scratch of the functions below; reuse it over a batch. What it holds between calls has no meaning.
class MatrixTreeWorkspace {
 public:
  MatrixTreeWorkspace();
  ~MatrixTreeWorkspace();
  MatrixTreeWorkspace(const MatrixTreeWorkspace&) = delete;
  MatrixTreeWorkspace& operator=(const MatrixTreeWorkspace&) = delete;
  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Everywhere: scores[head * (num_words + 1) + modifier], -inf = pruned, column 0 and the diagonal not read;
// outputs have the same shape. Each function returns log Z; where it is -inf no tree exists and the outputs
// are undefined.

double log_partition(const double* scores, int num_words, bool single_root, MatrixTreeWorkspace& workspace);

/// Arc marginals; 0 in column 0 and on the diagonal. `complements`, unless null, receives 1 - marginal
/// computed as the sum over the other heads, exact where the marginal is close to 1.
double marginals(const double* scores, int num_words, bool single_root, double* marginals, double* complements,
                 MatrixTreeWorkspace& workspace);

/// Sum-product messages: log(marginal / (1 - marginal)) - score of every arc, computed without reading the
/// arc's own score, so that pruned arcs have one too, if it is asked for (else -inf). +inf: the arc is in every
/// tree; -inf: its head needs it, in no tree.
double messages(const double* scores, int num_words, bool single_root, bool of_pruned, double* messages,
                MatrixTreeWorkspace& workspace);

/// Hessian of log Z times `direction`: the derivative of the marginals when the scores move along it.
double marginals_vjp(const double* scores, const double* direction, int num_words, bool single_root, double* product,
                     MatrixTreeWorkspace& workspace);

/// Marginals and, for Wilson's algorithm, the expected number of steps of its walks (infinite if beyond
/// doubles).
double marginals_and_walk_length(const double* scores, int num_words, double* marginals, double* walk_length,
                                 MatrixTreeWorkspace& workspace);

}  // namespace ramify::trees
