#include "ramify/trees/max_marginals.hpp"

#include <algorithm>
#include <limits>

#include "ramify/numeric/dispatch.hpp"
#include "ramify/numeric/index.hpp"

namespace ramify::trees {
namespace {

using Index = std::int32_t;

RAMIFY_DISPATCH void lower_row(double* into, const double* from, Index size) {
  for (Index i = 0; i < size; ++i) into[i] = from[i] < into[i] ? from[i] : into[i];
}

template <class Score>
void lower_row(Score* into, const Score* from, Index size) {
  for (Index i = 0; i < size; ++i) into[i] = std::min(into[i], from[i]);
}

RAMIFY_DISPATCH void floyd_warshall(double* distance, Index size) {
  for (Index k = 0; k < size; ++k) {
    const double* through = distance + static_cast<std::ptrdiff_t>(k) * size;
    for (Index i = 0; i < size; ++i) {
      double* row = distance + static_cast<std::ptrdiff_t>(i) * size;
      const double first = row[k];
      if (first == std::numeric_limits<double>::infinity() || i == k) continue;
      for (Index j = 0; j < size; ++j) row[j] = first + through[j] < row[j] ? first + through[j] : row[j];
    }
  }
}

template <class Score>
void floyd_warshall(Score* distance, Index size) {
  for (Index k = 0; k < size; ++k) {
    const Score* through = distance + static_cast<std::ptrdiff_t>(k) * size;
    for (Index i = 0; i < size; ++i) {
      Score* row = distance + static_cast<std::ptrdiff_t>(i) * size;
      const Score first = row[k];
      if (ScoreTraits<Score>::is_impossible(first) || i == k) continue;
      for (Index j = 0; j < size; ++j) row[j] = std::min(row[j], first + through[j]);
    }
  }
}

/// The exchange graph of the best tree, on words 1..n. Rows of the tables are over modifiers, from word 1.
template <class Score>
class ExchangeGraph {
  using Traits = ScoreTraits<Score>;

 public:
  ExchangeGraph(const double* scores, Index num_words, const Index* heads, MaxMarginalsWorkspace& ws,
                MaxMarginalsWorkspace::Tables<Score>& tables)
      : scores_(scores), n_(num_words), heads_(heads), ws_(ws), t_(tables) {}

  void write(double value, double* with_arc) {
    order_tree();
    measure_losses();
    minimize_over_subtrees();
    minimize_over_complements();
    collect_lengths();
    make_nonnegative();
    floyd_warshall(t_.distance.data(), n_);
    for (Index m = 1; m <= n_; ++m) write_column(m, value, with_arc);
  }

 private:
  Score* row(std::vector<Score>& table, Index node) { return table.data() + static_cast<std::ptrdiff_t>(node) * n_; }

  bool contains(Index ancestor, Index word) const {
    return ws_.entry[at(ancestor)] <= ws_.entry[at(word)] && ws_.entry[at(word)] < ws_.exit[at(ancestor)];
  }

  /// Preorder of the tree: a subtree is an interval.
  void order_tree() {
    ws_.first_child.assign(at(n_ + 1), -1);
    ws_.next_sibling.assign(at(n_ + 1), -1);
    for (Index word = n_; word >= 1; --word) {
      ws_.next_sibling[at(word)] = ws_.first_child[at(heads_[word])];
      ws_.first_child[at(heads_[word])] = word;
    }
    ws_.order.clear();
    ws_.entry.resize(at(n_ + 1));
    ws_.exit.resize(at(n_ + 1));
    Index node = 0;
    while (true) {
      ws_.entry[at(node)] = static_cast<Index>(ws_.order.size());
      ws_.order.push_back(node);
      if (ws_.first_child[at(node)] >= 0) {
        node = ws_.first_child[at(node)];
        continue;
      }
      while (true) {
        ws_.exit[at(node)] = static_cast<Index>(ws_.order.size());
        if (node == 0) return;
        if (ws_.next_sibling[at(node)] >= 0) break;
        node = heads_[node];
      }
      node = ws_.next_sibling[at(node)];
    }
  }

  Score arc(Index head, Index modifier) const {
    return Traits::of_arc(scores_[static_cast<std::ptrdiff_t>(head) * (n_ + 1) + modifier], head == 0);
  }

  /// What the value loses when (h, m) takes the place of m's tree arc, cycles aside.
  void measure_losses() {
    t_.loss.resize(at(n_ + 1) * at(n_));
    for (Index h = 0; h <= n_; ++h) {
      Score* loss = row(t_.loss, h);
      for (Index m = 1; m <= n_; ++m) {
        const bool is_candidate = h != m && heads_[m] != h;
        const Score score = is_candidate ? arc(h, m) : Traits::kForbidden;
        loss[m - 1] = Traits::is_forbidden(score) ? Traits::impossible() : arc(heads_[m], m) - score;
      }
    }
  }

  void minimize_over_subtrees() {
    t_.inside = t_.loss;
    for (std::size_t i = ws_.order.size() - 1; i > 0; --i) {
      const Index word = ws_.order[i];
      lower_row(row(t_.inside, heads_[word]), row(t_.inside, word), n_);
    }
  }

  /// The heads outside a subtree: those outside the parent's, the parent, and those under its other children.
  void minimize_over_complements() {
    t_.outside.assign(at(n_ + 1) * at(n_), Traits::impossible());
    t_.path.resize(at(n_));
    for (const Index node : ws_.order) {
      if (ws_.first_child[at(node)] < 0) continue;
      std::copy_n(row(t_.outside, node), n_, t_.path.data());
      lower_row(t_.path.data(), row(t_.loss, node), n_);
      Index last = -1;
      for (Index child = ws_.first_child[at(node)]; child >= 0; child = ws_.next_sibling[at(child)]) {
        std::copy_n(t_.path.data(), n_, row(t_.outside, child));
        lower_row(t_.path.data(), row(t_.inside, child), n_);
        last = child;
      }
      std::fill_n(t_.path.data(), n_, Traits::impossible());
      // Words are linked to siblings in rising order, so the way back is a scan down.
      for (Index child = last; child >= 1; --child) {
        if (heads_[child] != node) continue;
        lower_row(row(t_.outside, child), t_.path.data(), n_);
        lower_row(t_.path.data(), row(t_.inside, child), n_);
      }
    }
  }

  /// Length of from -> m: the least loss of an arc into m whose cycle with the tree runs over from's tree
  /// arc.
  void collect_lengths() {
    t_.distance.resize(at(n_) * at(n_));
    for (Index from = 1; from <= n_; ++from) {
      Score* length = row(t_.distance, from - 1);
      const Score* inside = row(t_.inside, from);
      const Score* outside = row(t_.outside, from);
      for (Index m = 1; m <= n_; ++m) length[m - 1] = contains(from, m) ? outside[m - 1] : inside[m - 1];
    }
  }

  /// Bellman-Ford potentials. No cycle is negative but for rounding, and Floyd-Warshall would square such an
  /// error at every step; with lengths clamped at zero it cannot.
  void make_nonnegative() {
    t_.potential.assign(at(n_), Traits::kZero);
    bool changed = true;
    for (Index round = 0; changed && round < n_; ++round) {
      changed = false;
      for (Index from = 0; from < n_; ++from) changed = relax(from) || changed;
    }
    for (Index from = 0; from < n_; ++from) {
      Score* length = row(t_.distance, from);
      const Score shift = t_.potential[at(from)];
      for (Index m = 0; m < n_; ++m) {
        if (Traits::is_impossible(length[m])) continue;
        length[m] = std::max(Traits::kZero, length[m] + shift - t_.potential[at(m)]);
      }
      length[from] = Traits::kZero;
    }
  }

  bool relax(Index from) {
    const Score* length = row(t_.distance, from);
    const Score start = t_.potential[at(from)];
    bool changed = false;
    for (Index m = 0; m < n_; ++m) {
      const Score candidate = start + length[m];
      if (m == from || !(candidate < t_.potential[at(m)])) continue;
      t_.potential[at(m)] = candidate;
      changed = true;
    }
    return changed;
  }

  Score distance(Index from, Index to) {
    const Score reduced = row(t_.distance, from - 1)[to - 1];
    if (Traits::is_impossible(reduced)) return reduced;
    return reduced - t_.potential[at(from - 1)] + t_.potential[at(to - 1)];
  }

  /// path[h] = least distance from m to a word whose tree arc lies between h and m.
  void write_column(Index m, double value, double* with_arc) {
    t_.path.assign(at(n_ + 1), Traits::impossible());
    Score least = Traits::kZero;
    for (Index word = m; word != 0; word = heads_[word]) {
      least = std::min(least, distance(m, word));
      t_.path[at(heads_[word])] = least;
    }
    for (const Index node : ws_.order) {
      if (node == 0 || contains(node, m)) continue;
      t_.path[at(node)] = std::min(t_.path[at(heads_[node])], distance(m, node));
    }
    for (Index h = 0; h <= n_; ++h) {
      double& out = with_arc[static_cast<std::ptrdiff_t>(h) * (n_ + 1) + m];
      const Score loss = row(t_.loss, h)[m - 1];
      out = heads_[m] == h ? value : -std::numeric_limits<double>::infinity();
      if (Traits::is_impossible(loss) || Traits::is_impossible(t_.path[at(h)])) continue;
      out = after_loss(value, std::max(Traits::kZero, loss + t_.path[at(h)]));
    }
  }

  static double after_loss(double value, double loss) { return value - loss; }
  static double after_loss(double value, const Lexicographic& loss) {
    return loss.roots == 0.0 ? value - loss.score : -std::numeric_limits<double>::infinity();
  }

  const double* scores_;
  Index n_;
  const Index* heads_;
  MaxMarginalsWorkspace& ws_;
  MaxMarginalsWorkspace::Tables<Score>& t_;
};

/// Without a tree arc another head must serve its modifier; without any other arc the best tree stands.
void write_without(const double* with_arc, Index num_words, double value, const Index* heads, double* without_arc) {
  const Index size = num_words + 1;
  std::fill_n(without_arc, at(size) * at(size), value);
  for (Index m = 1; m < size; ++m) {
    double best = -std::numeric_limits<double>::infinity();
    for (Index h = 0; h < size; ++h) {
      if (h != heads[m]) best = std::max(best, with_arc[static_cast<std::ptrdiff_t>(h) * size + m]);
    }
    without_arc[static_cast<std::ptrdiff_t>(heads[m]) * size + m] = best;
  }
}

}  // namespace

bool max_marginals(const double* scores, int num_words, bool single_root, double* with_arc, double* without_arc,
                   std::int32_t* heads, MaxMarginalsWorkspace& ws) {
  if (!max_arborescence(scores, num_words, single_root, heads, ws.arborescence)) return false;
  const double value = tree_score(scores, num_words, heads);
  for (Index h = 0; h <= num_words; ++h) {
    with_arc[static_cast<std::ptrdiff_t>(h) * (num_words + 1)] = -std::numeric_limits<double>::infinity();
  }
  if (single_root) {
    ExchangeGraph<Lexicographic>(scores, num_words, heads, ws, ws.counted).write(value, with_arc);
  } else {
    ExchangeGraph<double>(scores, num_words, heads, ws, ws.plain).write(value, with_arc);
  }
  if (without_arc != nullptr) write_without(with_arc, num_words, value, heads, without_arc);
  return true;
}

}  // namespace ramify::trees
