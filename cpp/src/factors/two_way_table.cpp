// With prices p = a - z of the nodes and tau that of a unit of mass, p_row + p_column + score is tau on active cells
// and at most tau elsewhere. On a tree the prices follow from that of its root, which the balance of its row and
// column sums gives; tau follows from the total mass. So an active set costs two sweeps over its edges.
#include "ramify/factors/two_way_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ramify::factors {

namespace {

constexpr std::size_t kNodes = 2 * kMostStates;
constexpr double kTolerance = 1e-12;  // of a cell's gain, times the size of the scores
constexpr double kClose = 1e-9;       // a gain at which only so many more cells are tried
constexpr int kTriesWhenClose = 25;
constexpr std::int16_t kNone = -1;

using Forest = std::vector<ForestEdge>;

double largest_magnitude(Scores values) {
  double most[2] = {0.0, 0.0};
  std::size_t i = 0;
  for (; i + 2 <= values.size(); i += 2) {
    for (std::size_t j = 0; j < 2; ++j) most[j] = std::max(most[j], std::abs(values[i + j]));
  }
  if (i < values.size()) most[0] = std::max(most[0], std::abs(values[i]));
  return std::max(most[0], most[1]);
}

/// The best point that puts mass on the forest's cells only, of any sign.
class ForestSolution {
 public:
  ForestSolution(Scores a, Scores parts, std::size_t num_rows) : a_(a), parts_(parts), num_rows_(num_rows) {}

  void solve(const Forest& forest, double mass) {
    index(forest);
    double fixed = -mass;
    double slope = 0.0;
    for (std::size_t g = 0; g < num_trees_; ++g) {
      Tree& tree = trees_[g];
      const double share = 1.0 / (tree.count[0] + tree.count[1]);
      tree.root = (tree.sum[0] - tree.sum[1]) * share;
      tree.root_slope = tree.count[1] * share;
      fixed += (tree.count[1] * tree.sum[0] + tree.count[0] * tree.sum[1]) * share;
      slope += tree.count[0] * tree.root_slope;
    }
    tau_ = slope > 0.0 ? fixed / slope : 0.0;
    for (std::size_t x = 0; x < a_.size(); ++x) {
      double z = 0.0;
      if (tree_of_[x] != kNone) {
        const Tree& tree = trees_[static_cast<std::size_t>(tree_of_[x])];
        const double root = tree.root + tree.root_slope * tau_;
        z = a_[x] - offset_[x] - (x < num_rows_ ? root : tau_ - root);
      }
      price_[x] = a_[x] - z;
      left_[x] = z;
    }
    for (std::size_t e = forest.size(); e-- > 0;) {
      weight_[e] = left_[forest[e].child];
      left_[forest[e].parent] -= weight_[e];
    }
  }

  double weight(std::size_t edge) const { return weight_[edge]; }
  double price(std::size_t node) const { return price_[node]; }
  double tau() const { return tau_; }
  /// Nodes of the same tree have the same; kNone: in none.
  std::int16_t tree_of(std::size_t node) const { return tree_of_[node]; }
  /// The edge to a node's parent, kNone at a root.
  std::int16_t up(std::size_t node) const { return up_[node]; }

 private:
  struct Tree {
    double count[2], sum[2];  // of rows and of columns; sums of a - offset
    double root, root_slope;  // its price, at tau = 0 and per unit of tau
  };

  // Prices are root + offset for rows, tau - root + offset for columns.
  void index(const Forest& forest) {
    std::fill_n(tree_of_, a_.size(), kNone);
    num_trees_ = 0;
    for (std::size_t e = 0; e < forest.size(); ++e) {
      const ForestEdge& edge = forest[e];
      if (tree_of_[edge.parent] == kNone) {
        trees_[num_trees_] = {};
        up_[edge.parent] = kNone;
        add(edge.parent, 0.0, num_trees_++);
      }
      up_[edge.child] = static_cast<std::int16_t>(e);
      add(edge.child, -parts_[static_cast<std::size_t>(edge.cell)] - offset_[edge.parent],
          static_cast<std::size_t>(tree_of_[edge.parent]));
    }
  }

  void add(std::size_t node, double offset, std::size_t tree) {
    const std::size_t side = node < num_rows_ ? 0 : 1;
    offset_[node] = offset;
    tree_of_[node] = static_cast<std::int16_t>(tree);
    trees_[tree].count[side] += 1.0;
    trees_[tree].sum[side] += a_[node] - offset;
  }

  Scores a_, parts_;
  std::size_t num_rows_;
  std::size_t num_trees_ = 0;
  double tau_ = 0.0;
  Tree trees_[kMostStates];
  std::int16_t tree_of_[kNodes];
  std::int16_t up_[kNodes];
  double offset_[kNodes], price_[kNodes], left_[kNodes], weight_[kNodes];
};

class Projector {
 public:
  Projector(Scores a, Scores parts, std::size_t num_rows, Forest& forest)
      : a_(a),
        parts_(parts),
        num_rows_(num_rows),
        num_columns_(a.size() - num_rows),
        forest_(forest),
        solution_(a, parts, num_rows) {}

  void run(double scale) {
    tolerance_ = kTolerance * (1.0 + scale);
    close_ = kClose * (1.0 + scale);
    if (forest_.empty()) start();
    const std::size_t limit = 200 + 20 * a_.size();
    for (std::size_t step = 0; step < limit; ++step) {
      solution_.solve(forest_, 1.0);
      if (move() ? !improve() : stalled_) return;
    }
  }

 private:
  void start() {
    std::int32_t best = 0;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0, cell = 0; i < num_rows_; ++i) {
      for (std::size_t j = 0; j < num_columns_; ++j, ++cell) {
        const double x = a_[i] + a_[num_rows_ + j] + parts_[cell];
        if (x > highest) highest = x, best = static_cast<std::int32_t>(cell);
      }
    }
    forest_.push_back({row(best), column(best), best, 1.0});
  }

  std::uint8_t row(std::int32_t cell) const {
    return static_cast<std::uint8_t>(static_cast<std::size_t>(cell) / num_columns_);
  }
  std::uint8_t column(std::int32_t cell) const {
    return static_cast<std::uint8_t>(num_rows_ + static_cast<std::size_t>(cell) % num_columns_);
  }

  // Towards the forest's best point; false if a cell had to leave on the way.
  bool move() {
    double step = 1.0;
    std::size_t blocking = forest_.size();
    for (std::size_t e = 0; e < forest_.size(); ++e) {
      const double target = solution_.weight(e);
      if (target >= 0.0) continue;
      const double here = forest_[e].weight / (forest_[e].weight - target);
      if (here < step) step = here, blocking = e;
    }
    if (blocking == forest_.size()) {
      for (std::size_t e = 0; e < forest_.size(); ++e) forest_[e].weight = std::max(0.0, solution_.weight(e));
      return true;
    }
    for (std::size_t e = 0; e < forest_.size(); ++e) {
      double& weight = forest_[e].weight;
      weight = std::max(0.0, weight + step * (solution_.weight(e) - weight));
    }
    // A cell that leaves as soon as it came was better only by rounding.
    stalled_ = step <= 0.0 && forest_[blocking].cell == entered_;
    forest_.erase(forest_.begin() + static_cast<std::ptrdiff_t>(blocking));
    return false;
  }

  // Brings in the cell with the highest gain; false if there is none.
  bool improve() {
    const double bar = solution_.tau() + tolerance_;
    double highest = bar;
    const double* scores = parts_.data();
    std::size_t best_row = num_rows_;
    for (std::size_t i = 0; i < num_rows_; ++i, scores += num_columns_) {
      double most = scores[0] + solution_.price(num_rows_);
      for (std::size_t j = 1; j < num_columns_; ++j) {
        most = std::max(most, scores[j] + solution_.price(num_rows_ + j));
      }
      most += solution_.price(i);
      if (most > highest) highest = most, best_row = i;
    }
    if (best_row == num_rows_) return false;
    num_close_ = highest - solution_.tau() < close_ ? num_close_ + 1 : 0;
    if (num_close_ > kTriesWhenClose) return false;
    scores = parts_.data() + best_row * num_columns_;
    std::size_t best = 0;
    for (std::size_t j = 1; j < num_columns_; ++j) {
      if (scores[j] + solution_.price(num_rows_ + j) > scores[best] + solution_.price(num_rows_ + best)) best = j;
    }
    entered_ = static_cast<std::int32_t>(best_row * num_columns_ + best);
    if (std::ranges::any_of(forest_, [&](const ForestEdge& e) { return e.cell == entered_; })) return false;
    enter(row(entered_), column(entered_));
    return true;
  }

  void enter(std::uint8_t i, std::uint8_t j) {
    if (solution_.tree_of(i) == kNone || solution_.tree_of(i) != solution_.tree_of(j)) {
      attach(i, j, 0.0);
      return;
    }
    const double weight = break_cycle(i, j);
    solution_.solve(forest_, 1.0);  // its trees have changed
    attach(i, j, weight);
  }

  /// Adds the new cell between two trees, or nodes outside any.
  void attach(std::uint8_t i, std::uint8_t j, double weight) {
    if (solution_.tree_of(i) == kNone && solution_.tree_of(j) != kNone) std::swap(i, j);
    const ForestEdge edge = {i, j, entered_, weight};
    if (solution_.tree_of(j) == kNone) {
      forest_.push_back(edge);
      return;
    }
    // j's tree gets j as its root: its edges come last, those on the way from j to the old root first and turned.
    std::size_t order[kNodes];
    std::size_t kept = 0;
    for (std::size_t e = 0; e < forest_.size(); ++e) {
      if (solution_.tree_of(forest_[e].child) != solution_.tree_of(j)) order[kept++] = e;
    }
    std::size_t count = kept;
    bool turned[kNodes] = {};
    for (std::int16_t e = solution_.up(j); e != kNone; e = solution_.up(forest_[static_cast<std::size_t>(e)].parent)) {
      turned[e] = true;
      order[count++] = static_cast<std::size_t>(e);
    }
    for (std::size_t e = 0; e < forest_.size(); ++e) {
      if (solution_.tree_of(forest_[e].child) == solution_.tree_of(j) && !turned[e]) order[count++] = e;
    }
    ForestEdge next[kNodes];
    for (std::size_t e = 0; e < count; ++e) {
      ForestEdge& out = next[e + (e >= kept ? 1 : 0)] = forest_[order[e]];
      if (turned[order[e]]) std::swap(out.parent, out.child);
    }
    next[kept] = edge;
    forest_.assign(next, next + count + 1);
  }

  /// The cell's row and column hang together: mass flows to the cell around the cycle, without moving z, until an
  /// edge is used up and leaves. Returns that mass.
  double break_cycle(std::size_t i, std::size_t j) {
    std::int16_t paths[2][kNodes];
    std::size_t lengths[2];
    for (std::size_t side = 0; side < 2; ++side) {
      lengths[side] = 0;
      for (std::int16_t e = solution_.up(side == 0 ? i : j); e != kNone;
           e = solution_.up(forest_[static_cast<std::size_t>(e)].parent)) {
        paths[side][lengths[side]++] = e;
      }
    }
    while (lengths[0] > 0 && lengths[1] > 0 && paths[0][lengths[0] - 1] == paths[1][lengths[1] - 1]) {
      --lengths[0];
      --lengths[1];
    }
    double mass = std::numeric_limits<double>::infinity();
    std::size_t blocking = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t e = 0; e < lengths[side]; e += 2) {
        const auto edge = static_cast<std::size_t>(paths[side][e]);
        if (forest_[edge].weight < mass) mass = forest_[edge].weight, blocking = edge;
      }
    }
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t e = 0; e < lengths[side]; ++e) {
        forest_[static_cast<std::size_t>(paths[side][e])].weight += e % 2 == 0 ? -mass : mass;
      }
    }
    forest_.erase(forest_.begin() + static_cast<std::ptrdiff_t>(blocking));
    return mass;
  }

  Scores a_, parts_;
  std::size_t num_rows_, num_columns_;
  Forest& forest_;
  ForestSolution solution_;
  double tolerance_ = 0.0;
  double close_ = 0.0;
  std::int32_t entered_ = -1;
  int num_close_ = 0;
  bool stalled_ = false;
};

}  // namespace

double project_two_way(Scores a, Scores parts, std::size_t num_rows, Forest& forest, Point z, Point nu) {
  const double scale = std::max(largest_magnitude(a), largest_magnitude(parts));
  if (!(scale <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::quiet_NaN();
  Projector(a, parts, num_rows, forest).run(scale);
  std::ranges::fill(z, 0.0);
  std::ranges::fill(nu, 0.0);
  double value = 0.0;
  for (const ForestEdge& edge : forest) {
    z[edge.parent] += edge.weight;
    z[edge.child] += edge.weight;
    nu[static_cast<std::size_t>(edge.cell)] = edge.weight;
    value += edge.weight * parts[static_cast<std::size_t>(edge.cell)];
  }
  for (std::size_t x = 0; x < z.size(); ++x) value += z[x] * (a[x] - 0.5 * z[x]);
  return value;
}

// The solution on a forest is affine in the scores; its linear part puts no mass on the forest in total.
void two_way_vjp(Scores grad_z, Scores grad_nu, std::size_t num_rows, const Forest& forest, Point grad_a,
                 Point grad_parts) {
  ForestSolution solution(grad_z, grad_nu, num_rows);
  solution.solve(forest, 0.0);
  std::ranges::fill(grad_a, 0.0);
  std::ranges::fill(grad_parts, 0.0);
  for (std::size_t e = 0; e < forest.size(); ++e) {
    grad_a[forest[e].parent] += solution.weight(e);
    grad_a[forest[e].child] += solution.weight(e);
    grad_parts[static_cast<std::size_t>(forest[e].cell)] = solution.weight(e);
  }
}

}  // namespace ramify::factors
