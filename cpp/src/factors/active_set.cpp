// Martins, Almeida & Smith (2013), Proposition 2: the solution is a convex combination of few vertices, found by
// adding the oracle's best vertex and dropping those whose weight reaches zero.
#include "ramify/factors/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ramify/numeric/dispatch.hpp"

namespace ramify::factors {

namespace {

constexpr double kDependent = 1e-9;             // squared distance to the affine hull below which a vertex lies in it
constexpr double kTolerance = 1e-12;            // optimality gap, times the size of the scores
constexpr std::size_t kUpdatesPerInverse = 64;  // or, for large sets, four times their size
constexpr std::size_t kLargeSet = 12;           // from which the inverse drifts enough to need refinement
constexpr double kExact = 1e-14;                // violation of the optimality conditions not worth refining
constexpr double kClose = 1e-9;                 // a gap at which only so many more vertices are tried
constexpr int kTriesWhenClose = 25;

/// out = M x for a symmetric matrix, as a sum of rows: no sum has to be reordered to use wide registers.
RAMIFY_DISPATCH void multiply(const double* matrix, std::size_t stride, const double* x, double* out, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) out[j] = 0.0;
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) {
    const double* first = matrix + i * stride;
    const double* second = first + stride;
    for (std::size_t j = 0; j < n; ++j) out[j] += x[i] * first[j] + x[i + 1] * second[j];
  }
  if (i < n) {
    for (std::size_t j = 0; j < n; ++j) out[j] += x[i] * matrix[i * stride + j];
  }
}

/// M += x x' / scale.
RAMIFY_DISPATCH void add_outer(double* matrix, std::size_t stride, const double* x, double scale, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double* row = matrix + i * stride;
    const double factor = x[i] / scale;
    for (std::size_t j = 0; j < n; ++j) row[j] += factor * x[j];
  }
}

double finite_score(const Vertex& vertex, Scores coord_scores, Scores part_scores) {
  double total = 0.0;
  for (const std::int32_t i : vertex.coords) total += coord_scores[i];
  for (const std::int32_t r : vertex.parts) total += part_scores[r];
  return total;
}

/// The same where coordinates may be forced.
double linear_score(const Vertex& vertex, Scores coord_scores, Scores part_scores) {
  double total = 0.0;
  for (const std::int32_t i : vertex.coords) {
    if (coord_scores[i] != kForced) total += coord_scores[i];
  }
  for (const std::int32_t r : vertex.parts) total += part_scores[r];
  return total;
}

/// Several maxima, because one would have to wait for each number.
double largest_magnitude(Scores values) {
  double most[4] = {0.0, 0.0, 0.0, 0.0};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t j = 0; j < 4; ++j) most[j] = std::max(most[j], std::abs(values[i + j]));
  }
  for (; i < values.size(); ++i) most[0] = std::max(most[0], std::abs(values[i]));
  return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

bool has_forced(const Vertex& vertex, Scores a, std::size_t num_forced) {
  const auto on = std::ranges::count_if(vertex.coords, [&](std::int32_t i) { return a[i] == kForced; });
  return static_cast<std::size_t>(on) == num_forced;
}

// The inverse of [0 1'; 1 M] under appending and deleting vertices.
class KktInverse {
 public:
  KktInverse(ActiveSet& set, std::vector<double>& column, std::vector<double>& marks)
      : set_(set), column_(column), marks_(marks) {}

  std::size_t order() const { return set_.vertices.size() + 1; }

  /// Coefficients t of the vertex in the affine hull (t[0] is the multiplier's); returns its squared distance.
  double relate(const Vertex& vertex, std::vector<double>& t) {
    const std::size_t n = order();
    column_.resize(n);
    column_[0] = 1.0;
    for (const std::int32_t c : vertex.coords) marks_[static_cast<std::size_t>(c)] = 1.0;
    for (std::size_t i = 1; i < n; ++i) {
      double common = 0.0;
      for (const std::int32_t c : set_.vertices[i - 1].coords) common += marks_[static_cast<std::size_t>(c)];
      column_[i] = common;
    }
    for (const std::int32_t c : vertex.coords) marks_[static_cast<std::size_t>(c)] = 0.0;
    t.resize(n);
    multiply(set_.inverse.data(), set_.stride, column_.data(), t.data(), n);
    double distance = static_cast<double>(vertex.coords.size());
    for (std::size_t i = 0; i < n; ++i) distance -= column_[i] * t[i];
    return distance;
  }

  /// t and distance as relate() gave them for this vertex; unused for the first one.
  void append(const Vertex& vertex, double weight, const std::vector<double>& t, double distance) {
    const std::size_t n = order();
    make_room(n + 1);
    double* matrix = set_.inverse.data();
    const std::size_t stride = set_.stride;
    if (set_.vertices.empty()) {
      matrix[0] = -static_cast<double>(vertex.coords.size());
      matrix[1] = matrix[stride] = 1.0;
      matrix[stride + 1] = 0.0;
    } else {
      add_outer(matrix, stride, t.data(), distance, n);
      for (std::size_t i = 0; i < n; ++i) matrix[i * stride + n] = matrix[n * stride + i] = -t[i] / distance;
      matrix[n * stride + n] = 1.0 / distance;
    }
    set_.vertices.push_back(vertex);
    set_.weights.push_back(weight);
    ++set_.updates;
  }

  /// The last vertex takes the place of the one removed.
  void remove(std::size_t index) {
    const std::size_t n = order();
    const std::size_t r = index + 1;
    set_.vertices[index] = std::move(set_.vertices.back());
    set_.vertices.pop_back();
    set_.weights[index] = set_.weights.back();
    set_.weights.pop_back();
    if (set_.vertices.empty()) {
      set_.clear();
      return;
    }
    const std::size_t stride = set_.stride;
    double* matrix = set_.inverse.data();
    column_.assign(matrix + r * stride, matrix + r * stride + n);
    add_outer(matrix, stride, column_.data(), -column_[r], n);
    for (std::size_t i = 0; i < n; ++i) matrix[r * stride + i] = matrix[(n - 1) * stride + i];
    for (std::size_t i = 0; i < n; ++i) matrix[i * stride + r] = matrix[i * stride + n - 1];
    ++set_.updates;
  }

  /// Against drift: computes the inverse anew, dropping what has become dependent.
  void refresh() {
    std::vector<Vertex> vertices;
    std::vector<double> weights;
    std::swap(vertices, set_.vertices);
    std::swap(weights, set_.weights);
    set_.clear();
    std::vector<double> t;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const double distance = set_.vertices.empty() ? 1.0 : relate(vertices[i], t);
      if (distance >= kDependent) append(vertices[i], weights[i], t, distance);
    }
    set_.updates = 0;
    double total = 0.0;
    for (const double w : set_.weights) total += w;
    for (double& w : set_.weights) w = total > 0.0 ? w / total : 1.0 / static_cast<double>(set_.weights.size());
  }

  /// Multiplier (first) and weights of the best point of the affine hull; c holds a 1 and the linear terms.
  void solve(const std::vector<double>& c, std::vector<double>& solution) const {
    solution.resize(order());
    multiply(set_.inverse.data(), set_.stride, c.data(), solution.data(), order());
  }

 private:
  // Rows have room to spare, so that the matrix can grow in place.
  void make_room(std::size_t n) {
    if (n <= set_.stride) return;
    const std::size_t stride = std::max<std::size_t>(8, 2 * set_.stride);
    std::vector<double> wider(stride * stride);
    for (std::size_t i = 0; i < order() && set_.stride > 0; ++i) {
      const auto row = set_.inverse.begin() + static_cast<std::ptrdiff_t>(i * set_.stride);
      std::copy(row, row + static_cast<std::ptrdiff_t>(set_.stride),
                wider.begin() + static_cast<std::ptrdiff_t>(i * stride));
    }
    set_.inverse = std::move(wider);
    set_.stride = stride;
  }

  ActiveSet& set_;
  std::vector<double>& column_;
  std::vector<double>& marks_;
};

class Solver {
 public:
  Solver(VertexOracle& oracle, Scores a, Scores part_scores, ActiveSet& set, Point z, Point nu,
         ActiveSetScratch& scratch)
      : oracle_(oracle),
        a_(a),
        part_scores_(part_scores),
        set_(set),
        z_(z),
        nu_(nu),
        kkt_(set, scratch.column, scratch.marks),
        candidate_(scratch.candidate),
        linear_(scratch.linear),
        shifted_(scratch.shifted),
        solution_(scratch.solution),
        residual_(scratch.residual),
        relation_(scratch.relation) {
    if (scratch.marks.size() < a.size()) scratch.marks.resize(a.size(), 0.0);  // whoever sets marks removes them
    scale_ = std::max(largest_magnitude(a), largest_magnitude(part_scores));
    finite_ = scale_ <= std::numeric_limits<double>::max();
    if (finite_) return;
    scale_ = 0.0;
    for (const Scores scores : {a, part_scores}) {
      for (const double x : scores) scale_ = std::isfinite(x) ? std::max(scale_, std::abs(x)) : scale_;
    }
    num_forced_ = static_cast<std::size_t>(std::ranges::count(a, kForced));
  }

  double run() {
    set_.iterations = 0;
    set_.solved = true;
    candidate_.coords.assign(1, -1);  // equal to no vertex
    score_legal();
    if (set_.vertices.empty() && !start()) return infeasible();
    const std::size_t limit = 200 + 20 * (a_.size() + part_scores_.size());
    bool combined = false;
    for (std::size_t step = 0; step < limit && !stalled_ && !combined; ++step) {
      const std::size_t updates = std::max(kUpdatesPerInverse, 4 * set_.vertices.size());
      if (static_cast<std::size_t>(set_.updates) > updates) {
        kkt_.refresh();
        score_vertices();
      }
      if (!move_to_best()) continue;
      combine_coords();
      polish();
      set_.solved = set_.max_iterations == 0 || set_.iterations < set_.max_iterations;
      combined = !set_.solved || !improve();
    }
    if (!combined) combine_coords();
    combine_parts();
    return value();
  }

 private:
  double infeasible() {
    set_.clear();
    std::ranges::fill(z_, 0.0);
    std::ranges::fill(nu_, 0.0);
    return kForbidden;
  }

  // Linear terms of the vertices: a does not change within a solve, so each is computed once. Vertices of an earlier
  // call may use what is now forbidden: these go.
  void score_legal() {
    score_vertices();
    if (finite_) return;
    bool dropped = false;
    for (std::size_t i = set_.vertices.size(); i-- > 0;) {
      if (linear_[i] != kForbidden && (num_forced_ == 0 || has_forced(set_.vertices[i], a_, num_forced_))) continue;
      set_.vertices.erase(set_.vertices.begin() + static_cast<std::ptrdiff_t>(i));
      set_.weights.erase(set_.weights.begin() + static_cast<std::ptrdiff_t>(i));
      dropped = true;
    }
    if (!dropped) return;
    kkt_.refresh();
    score_vertices();
  }

  void score_vertices() {
    linear_.clear();
    for (const Vertex& vertex : set_.vertices) linear_.push_back(score(vertex, a_));
  }

  double score(const Vertex& vertex, Scores coord_scores) const {
    return finite_ ? finite_score(vertex, coord_scores, part_scores_)
                   : linear_score(vertex, coord_scores, part_scores_);
  }

  void take(double weight, double distance) {
    kkt_.append(candidate_, weight, relation_, distance);
    linear_.push_back(score(candidate_, a_));
  }

  void drop(std::size_t index) {
    kkt_.remove(index);
    linear_[index] = linear_.back();
    linear_.pop_back();
  }

  bool start() {
    ++set_.iterations;
    if (!oracle_.argmax(a_, part_scores_, candidate_)) return false;
    take(1.0, 1.0);
    return true;
  }

  // One step to the optimum on the affine hull; false if a vertex had to leave on the way.
  bool move_to_best() {
    // The weights sum to one, so a common shift of the linear terms changes the multiplier only; without it large
    // scores would drown the differences.
    shift_ = *std::ranges::max_element(linear_);
    shifted_.resize(linear_.size() + 1);
    shifted_[0] = 1.0;
    for (std::size_t i = 0; i < linear_.size(); ++i) shifted_[i + 1] = linear_[i] - shift_;
    kkt_.solve(shifted_, solution_);
    double step = 1.0;
    std::size_t blocking = 0;
    for (std::size_t i = 0; i < set_.weights.size(); ++i) {
      const double target = solution_[i + 1];
      if (target >= 0.0) continue;
      const double here = set_.weights[i] / (set_.weights[i] - target);
      if (here < step) {
        step = here;
        blocking = i + 1;
      }
    }
    for (std::size_t i = 0; i < set_.weights.size(); ++i) {
      set_.weights[i] = std::max(0.0, set_.weights[i] + step * (solution_[i + 1] - set_.weights[i]));
    }
    multiplier_ = solution_[0] + shift_;
    if (blocking == 0) return true;
    // A vertex that leaves as soon as it came was better only by rounding.
    stalled_ = step <= 0.0 && set_.vertices[blocking - 1] == candidate_ && set_.vertices.size() > 1;
    drop(blocking - 1);
    return false;
  }

  // At the optimum all active vertices have the same gain. The inverse of a large set drifts under its updates, and an
  // error in the multiplier would let vertices come and go for ever: so the weights get steps of iterative refinement.
  void polish() {
    spread_ = 0.0;
    if (set_.vertices.size() < kLargeSet) return;
    for (int round = 0;; ++round) {
      spread_ = 0.0;
      double missing = 1.0;
      for (std::size_t v = 0; v < set_.vertices.size(); ++v) {
        double gain = (linear_[v] - shift_) - (multiplier_ - shift_);
        for (const std::int32_t i : set_.vertices[v].coords) gain -= z_[i];
        shifted_[v + 1] = gain;
        missing -= set_.weights[v];
        spread_ = std::max(spread_, std::abs(gain));
      }
      if (round == 2 || (spread_ <= kExact * (1.0 + scale_) && std::abs(missing) <= kExact)) return;
      shifted_[0] = missing;
      kkt_.solve(shifted_, solution_);
      multiplier_ += solution_[0];
      for (std::size_t v = 0; v < set_.weights.size(); ++v) {
        set_.weights[v] = std::max(0.0, set_.weights[v] + solution_[v + 1]);
      }
      combine_coords();
    }
  }

  void combine_coords() {
    std::ranges::fill(z_, 0.0);
    for (std::size_t v = 0; v < set_.vertices.size(); ++v) {
      for (const std::int32_t i : set_.vertices[v].coords) z_[i] += set_.weights[v];
    }
  }

  void combine_parts() {
    std::ranges::fill(nu_, 0.0);
    for (std::size_t v = 0; v < set_.vertices.size(); ++v) {
      for (const std::int32_t r : set_.vertices[v].parts) nu_[r] += set_.weights[v];
    }
  }

  // Asks the oracle at the gradient; false if the present point is optimal.
  bool improve() {
    residual_.resize(a_.size());
    for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] = a_[i] - z_[i];  // z is finite
    ++set_.iterations;
    if (!oracle_.argmax(residual_, part_scores_, candidate_)) return false;
    // What is forced on is on in every vertex: it counts neither here nor in the multiplier's linear terms, but
    // the multiplier also holds -|z|^2 of those coordinates.
    const double forced = static_cast<double>(num_forced_);
    const double gap = score(candidate_, residual_) - forced - multiplier_;
    if (gap <= kTolerance * (1.0 + scale_) + 2.0 * spread_) return false;
    // Close to the optimum rounding may make vertices come and go.
    num_close_ = gap < kClose * (1.0 + scale_) ? num_close_ + 1 : 0;
    if (num_close_ > kTriesWhenClose) return false;
    if (std::ranges::find(set_.vertices, candidate_) != set_.vertices.end()) return false;
    enter();
    return true;
  }

  void enter() {
    const double distance = kkt_.relate(candidate_, relation_);
    if (distance >= kDependent) {
      take(0.0, distance);
      return;
    }
    // The vertex lies in the affine hull: weight can flow to it without moving z, which raises the part scores'
    // share until a vertex is used up.
    double step = kForced;
    std::size_t blocking = 0;
    for (std::size_t i = 0; i < set_.weights.size(); ++i) {
      const double t = relation_[i + 1];
      if (t > 1e-12 && set_.weights[i] / t < step) {
        step = set_.weights[i] / t;
        blocking = i;
      }
    }
    for (std::size_t i = 0; i < set_.weights.size(); ++i) {
      set_.weights[i] = std::max(0.0, set_.weights[i] - step * relation_[i + 1]);
    }
    drop(blocking);
    const double away = set_.vertices.empty() ? 1.0 : kkt_.relate(candidate_, relation_);
    take(step, away);
  }

  double value() const {
    double total = 0.0;
    for (std::size_t i = 0; i < z_.size(); ++i) {
      total += (finite_ || std::isfinite(a_[i]) ? a_[i] * z_[i] : 0.0) - 0.5 * z_[i] * z_[i];
    }
    for (std::size_t v = 0; v < set_.vertices.size(); ++v) {
      double own = 0.0;
      for (const std::int32_t r : set_.vertices[v].parts) own += part_scores_[r];
      total += set_.weights[v] * own;
    }
    return total;
  }

  VertexOracle& oracle_;
  Scores a_;
  Scores part_scores_;
  ActiveSet& set_;
  Point z_;
  Point nu_;
  KktInverse kkt_;
  double scale_ = 0.0;
  bool finite_ = true;  // no score is infinite
  std::size_t num_forced_ = 0;
  double multiplier_ = 0.0;
  double shift_ = 0.0;
  double spread_ = 0.0;  // by how much the gains of active vertices differ
  int num_close_ = 0;
  bool stalled_ = false;
  Vertex& candidate_;
  std::vector<double>& linear_;
  std::vector<double>& shifted_;
  std::vector<double>& solution_;
  std::vector<double>& residual_;
  std::vector<double>& relation_;
};

}  // namespace

void ActiveSet::clear() {
  vertices.clear();
  weights.clear();
  inverse.clear();
  stride = 0;
  forest.clear();
  updates = 0;
}

double solve_active_set(VertexOracle& oracle, Scores a, Scores part_scores, ActiveSet& set, Point z, Point nu,
                        ActiveSetScratch& scratch) {
  return Solver(oracle, a, part_scores, set, z, nu, scratch).run();
}

void active_set_vjp(const ActiveSet& set, Scores grad_z, Scores grad_nu, Point grad_a, Point grad_part_scores) {
  std::ranges::fill(grad_a, 0.0);
  std::ranges::fill(grad_part_scores, 0.0);
  const std::size_t n = set.vertices.size();
  std::vector<double> grad_weights;
  for (const Vertex& vertex : set.vertices) grad_weights.push_back(linear_score(vertex, grad_z, grad_nu));
  for (std::size_t i = 0; i < n; ++i) {
    double grad = 0.0;
    for (std::size_t j = 0; j < n; ++j) grad += set.inverse[(i + 1) * set.stride + j + 1] * grad_weights[j];
    for (const std::int32_t c : set.vertices[i].coords) grad_a[c] += grad;
    for (const std::int32_t r : set.vertices[i].parts) grad_part_scores[r] += grad;
  }
}

}  // namespace ramify::factors
