#include "ramify/trees/k_best.hpp"
#include "ramify/numeric/forbidden.hpp"

#include <limits>
#include <queue>
#include <utility>

namespace ramify::trees {
namespace {

using numeric::kForbidden;

/// The trees that agree with `best` on words 1..split-1 and give word `split` none of the `excluded` heads.
struct Subspace {
  RankedTree best;
  std::int32_t split;
  std::vector<std::int32_t> excluded;
  std::int64_t number;  ///< in order of creation: ties are broken the same way every time

  bool operator<(const Subspace& other) const {
    return best.value < other.best.value || (best.value == other.best.value && number > other.number);
  }
};

class Partition {
 public:
  Partition(const double* scores, int num_words, bool single_root, ArborescenceWorkspace& ws)
      : scores_(scores), n_(num_words), size_(num_words + 1), single_root_(single_root), ws_(ws) {
    const auto cells = static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_);
    allowed_.assign(scores, scores + cells);
  }

  void start() { open(1, {}); }
  bool empty() const { return queue_.empty(); }

  /// Takes the best tree out and splits what is left of its subspace by the first word that differs from it.
  RankedTree pop() {
    Subspace top = queue_.top();
    queue_.pop();
    allowed_.assign(scores_, scores_ + allowed_.size());
    for (int word = 1; word < top.split; ++word) fix(word, top.best.heads[static_cast<std::size_t>(word)]);
    for (std::int32_t word = top.split; word <= n_; ++word) {
      const std::int32_t head = top.best.heads[static_cast<std::size_t>(word)];
      std::vector<std::int32_t> excluded;
      if (word == top.split) excluded = top.excluded;
      excluded.push_back(head);
      open(word, std::move(excluded));
      fix(word, head);
    }
    return std::move(top.best);
  }

 private:
  double& cell(int head, int word) { return allowed_[static_cast<std::size_t>(head * size_ + word)]; }

  void fix(int word, int head) {
    const double score = cell(head, word);
    for (int h = 0; h <= n_; ++h) cell(h, word) = kForbidden;
    cell(head, word) = score;
  }

  void open(std::int32_t split, std::vector<std::int32_t> excluded) {
    RankedTree tree{0.0, std::vector<std::int32_t>(static_cast<std::size_t>(size_))};
    for (const auto head : excluded) cell(head, split) = kForbidden;
    const bool found = max_arborescence(allowed_.data(), n_, single_root_, tree.heads.data(), ws_);
    for (const auto head : excluded) cell(head, split) = scores_[head * size_ + split];
    if (!found) return;
    tree.value = tree_score(scores_, n_, tree.heads.data());
    queue_.push({std::move(tree), split, std::move(excluded), count_++});
  }

  const double* scores_;
  int n_;
  int size_;
  bool single_root_;
  ArborescenceWorkspace& ws_;
  std::vector<double> allowed_;
  std::priority_queue<Subspace> queue_;
  std::int64_t count_ = 0;
};

}  // namespace

std::vector<RankedTree> k_best(const double* scores, int num_words, std::int64_t k, bool single_root,
                               ArborescenceWorkspace& workspace) {
  Partition partition(scores, num_words, single_root, workspace);
  partition.start();
  std::vector<RankedTree> trees;
  while (!partition.empty() && static_cast<std::int64_t>(trees.size()) < k) trees.push_back(partition.pop());
  return trees;
}

}  // namespace ramify::trees
