// First-order projective inside-outside, laid out so that every inner loop runs over contiguous memory.
#pragma once

#include <vector>

namespace ramify::trees {

/// Scratch of eisner_marginals, reused over the sentences of a batch.
struct EisnerWorkspace {
  std::vector<double> scores, chart;
};

/// log Z of the projective trees over n words and, unless `marginals` is null, the probability of every arc.
///
/// `scores` and `marginals` are (n+1, n+1) with rows `stride` apart, indexed [head, modifier]. Of `marginals`
/// the entries of arcs are written (not column 0, not the diagonal); if no tree is allowed, log Z is -inf and
/// nothing is written.
///
/// The sums run in the probability domain when all of them provably keep their relative accuracy there, and
/// in the log domain otherwise, by the same recursion.
double eisner_marginals(int n, int stride, bool single_root, const double* scores, EisnerWorkspace& workspace,
                        double* marginals);

}  // namespace ramify::trees
