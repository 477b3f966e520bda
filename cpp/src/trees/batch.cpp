#include "ramify/trees/batch.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "ramify/numeric/dispatch.hpp"
#include "ramify/numeric/forbidden.hpp"
#include "ramify/numeric/parallel.hpp"
#include "ramify/trees/arborescence.hpp"
#include "ramify/trees/matrix_tree.hpp"
#include "ramify/trees/max_marginals.hpp"

namespace ramify::trees {
namespace {

using numeric::kForbidden;
constexpr double kLargestScore = 1e12;

RAMIFY_INLINE bool is_bad(double score) {
  return !(score <= kLargestScore) || (score < -kLargestScore && score != kForbidden);
}

/// The fast look counts the diagonal and column 0 too, whose contents are free; only then is there a slow
/// one.
RAMIFY_DISPATCH bool seems_valid(const double* scores, std::ptrdiff_t count) {
  int bad = 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) bad |= is_bad(scores[i]) ? 1 : 0;
  return bad == 0;
}

bool is_valid(const double* scores, int num_words) {
  const std::ptrdiff_t size = num_words + 1;
  if (seems_valid(scores, size * size)) return true;
  for (std::ptrdiff_t h = 0; h < size; ++h) {
    for (std::ptrdiff_t m = 1; m < size; ++m) {
      if (h != m && is_bad(scores[h * size + m])) return false;
    }
  }
  return true;
}

/// A matrix without its padding, and back.
struct Compact {
  std::vector<double> values;

  const double* pack(const double* padded, int num_words, int length) {
    if (length == num_words) return padded;
    resize(length);
    for (std::ptrdiff_t h = 0; h <= length; ++h) {
      std::copy_n(padded + h * (num_words + 1), length + 1, values.data() + h * (length + 1));
    }
    return values.data();
  }
  double* room(double* padded, int num_words, int length) {
    if (padded == nullptr || length == num_words) return padded;
    resize(length);
    return values.data();
  }
  void unpack(double* padded, int num_words, int length, double filler) const {
    if (padded == nullptr || length == num_words) return;
    const std::ptrdiff_t size = num_words + 1;
    std::fill_n(padded, size * size, filler);
    for (std::ptrdiff_t h = 0; h <= length; ++h) {
      std::copy_n(values.data() + h * (length + 1), length + 1, padded + h * size);
    }
  }

 private:
  void resize(int length) {
    values.resize(static_cast<std::size_t>(length + 1) * static_cast<std::size_t>(length + 1));
  }
};

/// What one thread needs.
struct Worker {
  ArborescenceWorkspace arborescence;
  MatrixTreeWorkspace matrix_tree;
  MaxMarginalsWorkspace max_marginals;
  Compact scores, first, second;
};

/// body(worker, item, scores, length) -> whether the item is fine.
template <class Body>
std::int64_t for_each(const Batch& batch, const Body& body) {
  const int num_threads = std::max(1, batch.num_threads);
  std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(num_threads));
  std::vector<char> failed(static_cast<std::size_t>(batch.num_items), 0);
  const std::ptrdiff_t cells = static_cast<std::ptrdiff_t>(batch.num_words + 1) * (batch.num_words + 1);
  numeric::parallel_for(batch.num_items, num_threads, [&](int index, std::int64_t item) {
    auto& worker = workers[static_cast<std::size_t>(index)];
    if (worker == nullptr) worker = std::make_unique<Worker>();
    const int length = batch.lengths == nullptr ? batch.num_words : batch.lengths[item];
    const double* scores = worker->scores.pack(batch.scores + item * cells, batch.num_words, length);
    const bool fine = is_valid(scores, length) && body(*worker, item, scores, length);
    failed[static_cast<std::size_t>(item)] = fine ? 0 : 1;
  });
  const auto first = std::find(failed.begin(), failed.end(), 1);
  return first == failed.end() ? -1 : first - failed.begin();
}

}  // namespace

std::int64_t batch_max_arborescence(const Batch& batch, std::int32_t* heads, double* values) {
  const std::ptrdiff_t size = batch.num_words + 1;
  return for_each(batch, [&](Worker& worker, std::int64_t item, const double* scores, int length) {
    std::int32_t* out = heads + item * size;
    std::fill(out + length + 1, out + size, -1);
    if (!max_arborescence(scores, length, batch.single_root, out, worker.arborescence)) return false;
    values[item] = tree_score(scores, length, out);
    return true;
  });
}

std::int64_t batch_log_partition(const Batch& batch, double* log_z) {
  return for_each(batch, [&](Worker& worker, std::int64_t item, const double* scores, int length) {
    log_z[item] = log_partition(scores, length, batch.single_root, worker.matrix_tree);
    return true;
  });
}

std::int64_t batch_marginals(const Batch& batch, double* marginals_out, double* complements, double* log_z) {
  const std::ptrdiff_t cells = static_cast<std::ptrdiff_t>(batch.num_words + 1) * (batch.num_words + 1);
  const int n = batch.num_words;
  return for_each(batch, [&](Worker& worker, std::int64_t item, const double* scores, int length) {
    double* mu = marginals_out + item * cells;
    double* rest = complements == nullptr ? nullptr : complements + item * cells;
    log_z[item] = marginals(scores, length, batch.single_root, worker.first.room(mu, n, length),
                            worker.second.room(rest, n, length), worker.matrix_tree);
    worker.first.unpack(mu, n, length, 0.0);
    worker.second.unpack(rest, n, length, 1.0);
    return log_z[item] > kForbidden;
  });
}

std::int64_t batch_messages(const Batch& batch, double* messages_out, double* log_z) {
  const std::ptrdiff_t cells = static_cast<std::ptrdiff_t>(batch.num_words + 1) * (batch.num_words + 1);
  return for_each(batch, [&](Worker& worker, std::int64_t item, const double* scores, int length) {
    double* out = messages_out + item * cells;
    log_z[item] = messages(scores, length, batch.single_root, true, worker.first.room(out, batch.num_words, length),
                           worker.matrix_tree);
    worker.first.unpack(out, batch.num_words, length, 0.0);
    return log_z[item] > kForbidden;
  });
}

std::int64_t batch_marginals_vjp(const Batch& batch, const double* directions, double* products) {
  const std::ptrdiff_t cells = static_cast<std::ptrdiff_t>(batch.num_words + 1) * (batch.num_words + 1);
  const int n = batch.num_words;
  return for_each(batch, [&](Worker& worker, std::int64_t item, const double* scores, int length) {
    double* out = products + item * cells;
    const double* direction = worker.second.pack(directions + item * cells, n, length);
    const double log_z = marginals_vjp(scores, direction, length, batch.single_root, worker.first.room(out, n, length),
                                       worker.matrix_tree);
    worker.first.unpack(out, n, length, 0.0);
    return log_z > kForbidden;
  });
}

std::int64_t batch_max_marginals(const Batch& batch, double* with_arc, double* without_arc, std::int32_t* heads) {
  const std::ptrdiff_t size = batch.num_words + 1;
  const int n = batch.num_words;
  return for_each(batch, [&](Worker& worker, std::int64_t item, const double* scores, int length) {
    double* with = with_arc + item * size * size;
    double* without = without_arc == nullptr ? nullptr : without_arc + item * size * size;
    std::int32_t* tree = heads + item * size;
    std::fill(tree + length + 1, tree + size, -1);
    if (!max_marginals(scores, length, batch.single_root, worker.first.room(with, n, length),
                       worker.second.room(without, n, length), tree, worker.max_marginals)) {
      return false;
    }
    worker.first.unpack(with, n, length, kForbidden);
    worker.second.unpack(without, n, length, tree_score(scores, length, tree));
    return true;
  });
}

}  // namespace ramify::trees
