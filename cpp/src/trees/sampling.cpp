#include "ramify/trees/sampling.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "chain.hpp"
#include "leave_one_out.hpp"
#include "ramify/numeric/parallel.hpp"
#include "ramify/numeric/random.hpp"
#include "ramify/trees/matrix_tree.hpp"

namespace ramify::trees {
namespace {

using numeric::Random;

/// Index of the term in which the random point falls; terms need not sum to one, zero terms are never chosen.
int choose(const double* cumulative, int size, Random& random) {
  const double point = random.uniform() * cumulative[size - 1];
  return static_cast<int>(std::upper_bound(cumulative, cumulative + size - 1, point) - cumulative);
}

/// Draws the words' heads one after the other, each given those before it: exact, and O(n^3) whatever the
/// scores. The leaves of leave_one_out give E(h, m); when half of the words are decided, their rows lead to
/// their heads only.
struct SequentialDraw {
  Chain<Extended>& chain;
  Random& random;
  std::int32_t* heads;
  std::vector<Extended> terms;
  std::vector<double> cumulative;

  bool leaf(int row, const Extended* escape, const Extended&) {
    const int word = row + 1;
    Extended total;
    terms.clear();
    for (int h = 0; h <= chain.num_words; ++h) {
      Extended term;
      if (h != word) term = h == 0 ? chain.weight(0, word) : chain.weight(h, word) * escape[h - 1];
      total += term;
      terms.push_back(term);
    }
    double sum = 0.0;
    cumulative.clear();
    for (const Extended& term : terms)
      cumulative.push_back(sum += term.is_zero() ? 0.0 : static_cast<double>(term / total));
    heads[word] = choose(cumulative.data(), chain.num_words + 1, random);
    return true;
  }

  void second_half(const Panel<Extended>& panel, int num_first) {
    for (int i = 1; i <= num_first; ++i) decide(panel, panel.ids[i]);
  }

  void decide(const Panel<Extended>& panel, int row) const {
    const std::int32_t head = heads[row + 1];
    const std::int32_t* found = std::find(panel.ids, panel.ids + panel.num_columns, head - 1);
    const auto target = static_cast<int>(found - panel.ids);
    for (int c = 0; c < panel.num_columns; ++c) {
      const bool has_column = target < panel.num_columns;
      panel.entry(c, row) = has_column ? Extended(c == target ? 1.0 : 0.0) : panel.entry(c, head - 1);
    }
  }
};

/// All trees of a matrix, several root arcs allowed: Wilson's algorithm where its walks are short.
class ForestSampler {
 public:
  ForestSampler(const double* scores, int num_words) : n_(num_words) {
    build(scores, num_words, false, extended_);
    MatrixTreeWorkspace workspace;
    std::vector<double> marginals(static_cast<std::size_t>(num_words + 1) * static_cast<std::size_t>(num_words + 1));
    double walk_length = std::numeric_limits<double>::infinity();
    marginals_and_walk_length(scores, num_words, marginals.data(), &walk_length, workspace);
    const double cubed = static_cast<double>(num_words) * num_words * num_words;
    // A step of a walk costs about as much as four multiplications of extended numbers.
    if (walk_length <= 0.25 * cubed + 50.0 * num_words) prepare_walks(scores);
  }

  void draw(Random& random, std::int32_t* heads) const {
    if (cumulative_.empty()) {
      draw_in_sequence(random, heads);
    } else {
      draw_by_walks(random, heads);
    }
  }

 private:
  void prepare_walks(const double* scores) {
    Chain<double> chain;
    build(scores, n_, false, chain);
    cumulative_.resize(static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_ + 1));
    for (int word = 1; word <= n_; ++word) {
      double sum = 0.0;
      for (int h = 0; h <= n_; ++h) {
        cumulative_[static_cast<std::size_t>((word - 1) * (n_ + 1) + h)] = sum += chain.weight(h, word);
      }
    }
  }

  /// Wilson (1996): walk from each word until the tree is met; the last exit of every word is its head.
  void draw_by_walks(Random& random, std::int32_t* heads) const {
    std::vector<char> in_tree(static_cast<std::size_t>(n_ + 1), 0);
    in_tree[0] = 1;
    heads[0] = -1;
    for (int start = 1; start <= n_; ++start) {
      for (int word = start; in_tree[static_cast<std::size_t>(word)] == 0; word = heads[word]) {
        heads[word] = choose(cumulative_.data() + (word - 1) * (n_ + 1), n_ + 1, random);
      }
      for (int word = start; in_tree[static_cast<std::size_t>(word)] == 0; word = heads[word]) {
        in_tree[static_cast<std::size_t>(word)] = 1;
      }
    }
  }

  void draw_in_sequence(Random& random, std::int32_t* heads) const {
    Chain<Extended> weights = extended_;
    Chain<Extended> reduced = extended_;
    LeaveOneOutArena<Extended> arena;
    arena.reserve(n_, reduced.stride);
    SequentialDraw draw{weights, random, heads, {}, {}};
    heads[0] = -1;
    leave_one_out(reduced.panel(), Extended(1.0), false, arena, 0, draw);
  }

  int n_;
  Chain<Extended> extended_;
  std::vector<double> cumulative_;
};

/// The scores of the other words when the word `root` takes the place of the root.
std::vector<double> scores_below(const double* scores, int num_words, int root) {
  std::vector<double> result;
  for (int h = 0; h <= num_words; ++h) {
    if (h == root) continue;
    const int head = h == 0 ? root : h;
    for (int m = 0; m <= num_words; ++m) {
      if (m != root) result.push_back(scores[static_cast<std::ptrdiff_t>(head) * (num_words + 1) + m]);
    }
  }
  return result;
}

/// One root arc: first the root word from its marginal, then the rest of the tree below it.
class SingleRootSampler {
 public:
  SingleRootSampler(int num_words, const double* marginals) : n_(num_words), samplers_(static_cast<std::size_t>(n_)) {
    double sum = 0.0;
    for (int root = 1; root <= n_; ++root) cumulative_.push_back(sum += marginals[root]);
  }

  int draw_root(Random& random) const { return 1 + choose(cumulative_.data(), n_, random); }

  /// Must precede draw() with this root.
  void prepare(const double* scores, int root) {
    auto& sampler = samplers_[static_cast<std::size_t>(root - 1)];
    if (n_ == 1 || sampler != nullptr) return;
    sampler = std::make_unique<ForestSampler>(scores_below(scores, n_, root).data(), n_ - 1);
  }

  void draw(Random& random, std::int32_t* heads) const {
    const int root = draw_root(random);
    const auto outer = [root](int word) { return word == 0 ? root : (word < root ? word : word + 1); };
    std::vector<std::int32_t> below(static_cast<std::size_t>(n_), -1);
    if (n_ > 1) samplers_[static_cast<std::size_t>(root - 1)]->draw(random, below.data());
    heads[0] = -1;
    heads[root] = 0;
    for (int word = 1; word < n_; ++word) heads[outer(word)] = outer(below[static_cast<std::size_t>(word)]);
  }

 private:
  int n_;
  std::vector<double> cumulative_;
  std::vector<std::unique_ptr<ForestSampler>> samplers_;
};

template <class Sampler>
void draw_all(const Sampler& sampler, int num_words, std::int64_t num_samples, std::uint64_t seed, int num_threads,
              std::int32_t* heads) {
  numeric::parallel_for(num_samples, num_threads, [&](int, std::int64_t i) {
    Random random(seed, static_cast<std::uint64_t>(i));
    sampler.draw(random, heads + i * (num_words + 1));
  });
}

}  // namespace

bool sample(const double* scores, int num_words, bool single_root, std::int64_t num_samples, std::uint64_t seed,
            int num_threads, std::int32_t* heads) {
  MatrixTreeWorkspace workspace;
  std::vector<double> mu(static_cast<std::size_t>(num_words + 1) * static_cast<std::size_t>(num_words + 1));
  const double log_z = marginals(scores, num_words, single_root, mu.data(), nullptr, workspace);
  if (log_z == -std::numeric_limits<double>::infinity()) return false;
  if (!single_root) {
    draw_all(ForestSampler(scores, num_words), num_words, num_samples, seed, num_threads, heads);
    return true;
  }
  SingleRootSampler sampler(num_words, mu.data());
  for (std::int64_t i = 0; i < num_samples; ++i) {
    Random random(seed, static_cast<std::uint64_t>(i));
    sampler.prepare(scores, sampler.draw_root(random));
  }
  draw_all(sampler, num_words, num_samples, seed, num_threads, heads);
  return true;
}

}  // namespace ramify::trees
