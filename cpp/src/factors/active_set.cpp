// Martins, Almeida & Smith (2013), Proposition 2: the solution is a convex combination of few vertices, found by
// adding the oracle's best vertex and dropping those whose weight reaches zero (the active-set scheme of Nocedal &
// Wright, section 16.4, for the weights of the combination).
#include "ramify/factors/active_set.hpp"

#include <algorithm>
#include <cmath>

namespace ramify::factors {

namespace {

constexpr double kDependent = 1e-9;   // squared distance to the affine hull below which a vertex lies in it
constexpr double kTolerance = 1e-12;  // optimality gap, times the size of the scores
constexpr double kClose = 1e-9;       // a gap at which only so many more vertices are tried
constexpr double kDrift = 1e-8;       // violation of the optimality conditions that calls for a fresh inverse

double overlap(const Vertex& a, const Vertex& b) {
  int common = 0;
  for (std::size_t i = 0, j = 0; i < a.coords.size() && j < b.coords.size();) {
    if (a.coords[i] == b.coords[j]) {
      ++common, ++i, ++j;
    } else if (a.coords[i] < b.coords[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return common;
}

double linear_score(const Vertex& vertex, Scores coord_scores, Scores part_scores) {
  double total = 0.0;
  for (const std::int32_t i : vertex.coords) {
    if (coord_scores[i] != kForced) total += coord_scores[i];
  }
  for (const std::int32_t r : vertex.parts) total += part_scores[r];
  return total;
}

bool has_forced(const Vertex& vertex, Scores a, std::size_t num_forced) {
  const auto on = std::ranges::count_if(vertex.coords, [&](std::int32_t i) { return a[i] == kForced; });
  return static_cast<std::size_t>(on) == num_forced;
}

// The inverse of [0 1'; 1 M] under appending and deleting vertices.
class KktInverse {
 public:
  explicit KktInverse(ActiveSet& set) : set_(set) {}

  std::size_t order() const { return set_.vertices.size() + 1; }

  /// Where a vertex lies: coefficients in the affine hull of the others (the first is the multiplier's), and its
  /// squared distance from it.
  struct Relation {
    std::vector<double> coefficients;
    double distance = 0.0;
  };

  void relate(const Vertex& vertex, Relation& out) {
    const std::size_t n = order();
    column_.assign(n, 1.0);
    for (std::size_t i = 1; i < n; ++i) column_[i] = overlap(set_.vertices[i - 1], vertex);
    out.coefficients.resize(n);
    out.distance = static_cast<double>(vertex.coords.size());
    for (std::size_t i = 0; i < n; ++i) {
      out.coefficients[i] = dot(row(i), column_.data(), n);
      out.distance -= column_[i] * out.coefficients[i];
    }
  }

  void start(const Vertex& vertex) {
    set_.clear();
    set_.stride = 16;
    set_.inverse.assign(set_.stride * set_.stride, 0.0);
    row(0)[0] = -static_cast<double>(vertex.coords.size());
    row(0)[1] = row(1)[0] = 1.0;
    set_.vertices.push_back(vertex);
    set_.weights.push_back(1.0);
  }

  void append(const Vertex& vertex, double weight, const Relation& relation) {
    const std::size_t n = order();
    if (n + 1 > set_.stride) grow();
    const double* t = relation.coefficients.data();
    for (std::size_t i = 0; i < n; ++i) {
      const double ratio = t[i] / relation.distance;
      double* r = row(i);
      for (std::size_t j = 0; j < n; ++j) r[j] += ratio * t[j];
      r[n] = row(n)[i] = -ratio;
    }
    row(n)[n] = 1.0 / relation.distance;
    set_.vertices.push_back(vertex);
    set_.weights.push_back(weight);
  }

  /// The last vertex takes the place of the one that goes.
  void remove(std::size_t index) {
    const std::size_t last = order() - 1;
    const std::size_t gone = index + 1;
    if (gone != last) {
      std::swap(set_.vertices[index], set_.vertices.back());
      std::swap(set_.weights[index], set_.weights.back());
      std::swap_ranges(row(gone), row(gone) + last + 1, row(last));
      for (std::size_t i = 0; i <= last; ++i) std::swap(row(i)[gone], row(i)[last]);
    }
    set_.vertices.pop_back();
    set_.weights.pop_back();
    const double pivot = row(last)[last];
    for (std::size_t i = 0; i < last; ++i) {
      const double ratio = row(i)[last] / pivot;
      double* r = row(i);
      const double* l = row(last);
      for (std::size_t j = 0; j < last; ++j) r[j] -= ratio * l[j];
    }
  }

  /// Computes the inverse anew, dropping what has become dependent.
  void refresh() {
    std::vector<Vertex> vertices;
    std::vector<double> weights;
    std::swap(vertices, set_.vertices);
    std::swap(weights, set_.weights);
    set_.clear();
    Relation relation;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      if (set_.vertices.empty()) {
        start(vertices[i]);
        set_.weights[0] = weights[i];
        continue;
      }
      relate(vertices[i], relation);
      if (relation.distance >= kDependent) append(vertices[i], weights[i], relation);
    }
    double total = 0.0;
    for (const double w : set_.weights) total += w;
    for (double& w : set_.weights) w = total > 0.0 ? w / total : 1.0 / static_cast<double>(set_.weights.size());
  }

  /// Multiplier (first) and weights of the best point of the affine hull for linear terms c.
  void solve(const std::vector<double>& c, std::vector<double>& solution, double total = 1.0) const {
    const std::size_t n = order();
    solution.resize(n);
    for (std::size_t i = 0; i < n; ++i) solution[i] = total * row(i)[0] + dot(row(i) + 1, c.data(), n - 1);
  }

 private:
  double* row(std::size_t i) { return set_.inverse.data() + i * set_.stride; }
  const double* row(std::size_t i) const { return set_.inverse.data() + i * set_.stride; }

  // Four sums side by side: one alone would wait for each addition.
  static double dot(const double* a, const double* b, std::size_t n) {
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
      s0 += a[i] * b[i];
      s1 += a[i + 1] * b[i + 1];
      s2 += a[i + 2] * b[i + 2];
      s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; ++i) s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
  }

  void grow() {
    const std::size_t old = set_.stride;
    std::vector<double> larger(4 * old * old);
    for (std::size_t i = 0; i < old; ++i) std::copy_n(row(i), old, larger.data() + i * 2 * old);
    set_.inverse = std::move(larger);
    set_.stride = 2 * old;
  }

  ActiveSet& set_;
  std::vector<double> column_;
};

class Solver {
 public:
  Solver(VertexOracle& oracle, Scores a, Scores part_scores, ActiveSet& set, Point z, Point nu)
      : oracle_(oracle), a_(a), part_scores_(part_scores), set_(set), z_(z), nu_(nu), kkt_(set) {
    for (const double x : a) {
      if (std::isfinite(x)) scale_ = std::max(scale_, std::abs(x));
      num_forced_ += x == kForced;
    }
    for (const double x : part_scores) {
      if (std::isfinite(x)) scale_ = std::max(scale_, std::abs(x));
    }
  }

  double run() {
    set_.iterations = 0;
    keep_legal();
    if (set_.vertices.empty() && !start()) return infeasible();
    const std::size_t limit = 200 + 20 * (a_.size() + part_scores_.size());
    for (std::size_t step = 0; step < limit && !stalled_; ++step) {
      if (!move_to_best()) continue;
      combine();
      polish();
      if (spread_ > kDrift * (1.0 + 1e-3 * scale_) && num_refreshed_++ < 3) {
        kkt_.refresh();
        continue;
      }
      if (!improve()) break;
    }
    combine();
    return value();
  }

 private:
  double infeasible() {
    set_.clear();
    std::ranges::fill(z_, 0.0);
    std::ranges::fill(nu_, 0.0);
    return kForbidden;
  }

  // Vertices of an earlier call may use what is now forbidden.
  void keep_legal() {
    bool dropped = false;
    for (std::size_t i = set_.vertices.size(); i-- > 0;) {
      const Vertex& vertex = set_.vertices[i];
      if (linear_score(vertex, a_, part_scores_) != kForbidden && has_forced(vertex, a_, num_forced_)) continue;
      set_.vertices.erase(set_.vertices.begin() + static_cast<std::ptrdiff_t>(i));
      set_.weights.erase(set_.weights.begin() + static_cast<std::ptrdiff_t>(i));
      dropped = true;
    }
    if (dropped) kkt_.refresh();
  }

  bool start() {
    ++set_.iterations;
    if (!oracle_.argmax(a_, part_scores_, candidate_)) return false;
    kkt_.start(candidate_);
    return true;
  }

  // One step to the optimum on the affine hull; false if a vertex had to leave on the way.
  bool move_to_best() {
    linear_.clear();
    for (const Vertex& vertex : set_.vertices) linear_.push_back(linear_score(vertex, a_, part_scores_));
    // The weights sum to one, so a common shift of the linear terms changes the multiplier only; without it large
    // scores would drown the differences.
    shift_ = *std::ranges::max_element(linear_);
    for (double& c : linear_) c -= shift_;
    kkt_.solve(linear_, solution_);
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
    kkt_.remove(blocking - 1);
    return false;
  }

  // At the optimum all active vertices have the same gain. The inverse drifts under its updates, and an error in the
  // multiplier would let vertices come and go for ever, so the weights get a step of iterative refinement.
  void polish() {
    for (int round = 0;; ++round) {
      residual_.resize(set_.vertices.size());
      spread_ = 0.0;
      double missing = 1.0;
      for (std::size_t v = 0; v < set_.vertices.size(); ++v) {
        double gain = linear_[v] + (shift_ - multiplier_);
        for (const std::int32_t i : set_.vertices[v].coords) gain -= z_[i];
        residual_[v] = gain;
        missing -= set_.weights[v];
        spread_ = std::max(spread_, std::abs(gain));
      }
      if (round == 2 || (spread_ <= 1e-14 * (1.0 + scale_) && std::abs(missing) <= 1e-14)) return;
      kkt_.solve(residual_, solution_, missing);
      multiplier_ += solution_[0];
      for (std::size_t v = 0; v < set_.weights.size(); ++v) {
        set_.weights[v] = std::max(0.0, set_.weights[v] + solution_[v + 1]);
      }
      combine();
    }
  }

  void combine() {
    std::ranges::fill(z_, 0.0);
    std::ranges::fill(nu_, 0.0);
    for (std::size_t v = 0; v < set_.vertices.size(); ++v) {
      for (const std::int32_t i : set_.vertices[v].coords) z_[i] += set_.weights[v];
      for (const std::int32_t r : set_.vertices[v].parts) nu_[r] += set_.weights[v];
    }
  }

  // Asks the oracle at the gradient; false if the present point is optimal.
  bool improve() {
    gradient_.assign(a_.begin(), a_.end());
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      if (std::isfinite(gradient_[i])) gradient_[i] -= z_[i];
    }
    ++set_.iterations;
    if (!oracle_.argmax(gradient_, part_scores_, candidate_)) return false;
    // What is forced on is on in every vertex: it counts neither here nor in the multiplier's linear terms, but
    // the multiplier also holds -|z|^2 of those coordinates.
    const double forced = static_cast<double>(num_forced_);
    const double gap = linear_score(candidate_, gradient_, part_scores_) - forced - multiplier_;
    if (gap <= kTolerance * (1.0 + scale_) + 2.0 * spread_) return false;
    // Close to the optimum rounding may make vertices come and go.
    num_close_ = gap < kClose * (1.0 + scale_) ? num_close_ + 1 : 0;
    if (num_close_ > 25) return false;
    if (std::ranges::find(set_.vertices, candidate_) != set_.vertices.end()) return false;
    enter();
    return true;
  }

  void enter() {
    kkt_.relate(candidate_, relation_);
    if (relation_.distance >= kDependent) {
      kkt_.append(candidate_, 0.0, relation_);
      return;
    }
    // The vertex lies in the affine hull: weight can flow to it without moving z, which raises the part scores'
    // share until a vertex is used up.
    double step = kForced;
    std::size_t blocking = 0;
    for (std::size_t i = 0; i < set_.weights.size(); ++i) {
      const double t = relation_.coefficients[i + 1];
      if (t > 1e-12 && set_.weights[i] / t < step) {
        step = set_.weights[i] / t;
        blocking = i;
      }
    }
    for (std::size_t i = 0; i < set_.weights.size(); ++i) {
      set_.weights[i] = std::max(0.0, set_.weights[i] - step * relation_.coefficients[i + 1]);
    }
    if (set_.vertices.size() == 1) {
      kkt_.start(candidate_);
      return;
    }
    kkt_.remove(blocking);
    kkt_.relate(candidate_, relation_);
    kkt_.append(candidate_, step, relation_);
  }

  double value() const {
    double total = 0.0;
    for (std::size_t i = 0; i < z_.size(); ++i) {
      total -= 0.5 * z_[i] * z_[i];
      if (std::isfinite(a_[i])) total += a_[i] * z_[i];
    }
    for (std::size_t r = 0; r < nu_.size(); ++r) {
      if (nu_[r] > 0.0) total += part_scores_[r] * nu_[r];
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
  std::size_t num_forced_ = 0;
  double multiplier_ = 0.0;
  double shift_ = 0.0;
  double spread_ = 0.0;
  int num_refreshed_ = 0;
  int num_close_ = 0;
  bool stalled_ = false;
  Vertex candidate_;
  std::vector<double> linear_;
  std::vector<double> solution_;
  std::vector<double> residual_;
  std::vector<double> gradient_;
  KktInverse::Relation relation_;
};

}  // namespace

void ActiveSet::clear() {
  vertices.clear();
  weights.clear();
  inverse.clear();
  stride = 0;
}

double solve_active_set(VertexOracle& oracle, Scores a, Scores part_scores, ActiveSet& set, Point z, Point nu) {
  return Solver(oracle, a, part_scores, set, z, nu).run();
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
