#include "ramify/factors/pair.hpp"

#include "ramify/factors/kernel_group.hpp"
#include "ramify/numeric/dispatch.hpp"

namespace ramify::factors {

namespace {

double clip(double x) { return std::clamp(x, 0.0, 1.0); }

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

struct Cells {
  double x00, x01, x10, x11;
  double high() const { return std::max(std::max(x00, x01), std::max(x10, x11)); }
};

Cells cells(Scores w, double score) { return {w[0] + w[2], w[0] + w[3], w[1] + w[2], w[1] + w[3] + score}; }

/// Closest point for finite a and score; which of the three pieces it lies on says how it moves.
struct PairPoint {
  double z1, z2;
  enum class Piece { kApart, kTied } piece;
  bool free1, free2;  // z follows a (apart); both equal when tied
};

bool inside(double x) { return x > 0.0 && x < 1.0; }

// score >= 0: both want to be on together, min(z1, z2) is scored.
PairPoint attract(double a1, double a2, double score) {
  using Piece = PairPoint::Piece;
  if (a1 > a2 + score) return {clip(a1), clip(a2 + score), Piece::kApart, inside(a1), inside(a2 + score)};
  if (a2 > a1 + score) return {clip(a1 + score), clip(a2), Piece::kApart, inside(a1 + score), inside(a2)};
  const double shared = 0.5 * (a1 + a2 + score);
  return {clip(shared), clip(shared), Piece::kTied, inside(shared), inside(shared)};
}

// x - x is 0, or NaN for infinities. Several sums, because the compiler may not reorder one.
RAMIFY_DISPATCH bool all_finite(const double* values, std::size_t n) {
  double sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (std::size_t j = 0; j < 8; ++j) sums[j] += values[i + j] - values[i + j];
  }
  for (; i < n; ++i) sums[0] += values[i] - values[i];
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total == 0.0;
}

/// attract() for both signs of the score without a branch: with m = (b1 + b2 + c) / 2 and e what the difference
/// b1 - b2 exceeds the band [-c, c] by, the point is (m + e / 2, m - e / 2), clipped. All numbers finite.
RAMIFY_DISPATCH void project_finite(const double* a, const double* parts, double* z, double* nu, double* value,
                                    Index begin, Index end) {
  for (Index f = begin; f < end; ++f) {
    const double c = parts[f];
    const double a1 = a[2 * f];
    const double a2 = a[2 * f + 1];
    const bool repel = c < 0.0;
    const double b1 = repel ? a1 + c : a1;
    const double b2 = repel ? 1.0 - a2 : a2;
    const double band = repel ? -c : c;
    const double gap = b1 - b2;
    const double low = gap < -band ? -band : gap;
    const double excess = 0.5 * (gap - (low > band ? band : low));
    const double middle = 0.5 * (b1 + b2 + band);
    double z1 = middle + excess;
    double z2 = middle - excess;
    z1 = z1 < 0.0 ? 0.0 : z1;
    z1 = z1 > 1.0 ? 1.0 : z1;
    z2 = z2 < 0.0 ? 0.0 : z2;
    z2 = z2 > 1.0 ? 1.0 : z2;
    z2 = repel ? 1.0 - z2 : z2;
    const double over = z1 + z2 - 1.0;
    const double both = repel ? (over > 0.0 ? over : 0.0) : (z1 < z2 ? z1 : z2);
    z[2 * f] = z1;
    z[2 * f + 1] = z2;
    nu[f] = both;
    value[f] = both * c + z1 * (a1 - 0.5 * z1) + z2 * (a2 - 0.5 * z2);
  }
}

class PairGroup final : public KernelGroup<PairGroup> {
 public:
  explicit PairGroup(Index num_factors)
      : KernelGroup<PairGroup>("Pair", Layout(num_factors, Offsets(2), Offsets(1)), kAllCapabilities, kSoftTable) {}

  double score_one(Index, Assignment y, Scores parts) const { return y[0] == 1 && y[1] == 1 ? parts[0] : 0.0; }

  double sum_one(Index, Scores w, Scores parts, Point masses, Point nu, Workspace&) const {
    const Cells x = cells(w, parts[0]);
    const double high = x.high();
    if (high == kForbidden) return kForbidden;
    const Cells e = {std::exp(x.x00 - high), std::exp(x.x01 - high), std::exp(x.x10 - high), std::exp(x.x11 - high)};
    const double total = e.x00 + e.x01 + e.x10 + e.x11;
    masses[0] = (e.x00 + e.x01) / total;
    masses[1] = (e.x10 + e.x11) / total;
    masses[2] = (e.x00 + e.x10) / total;
    masses[3] = (e.x01 + e.x11) / total;
    nu[0] = e.x11 / total;
    return high + std::log(total);
  }

  template <class Semiring>
  double sweep_one(Index, Scores w, Scores parts, Point out, Workspace&) const {
    const Cells x = cells(w, parts[0]);
    out[0] = Semiring::plus(x.x00, x.x01);
    out[1] = Semiring::plus(x.x10, x.x11);
    out[2] = Semiring::plus(x.x00, x.x10);
    out[3] = Semiring::plus(x.x01, x.x11);
    return Semiring::plus(out[0], out[1]);
  }

  void vjp_one(Index f, Scores w, Scores parts, Scores dw, Scores dparts, Point dmasses, Point dnu,
               Workspace& ws) const {
    const Point m = ws.take<double>(4, 0.0);
    double both = 0.0;
    if (sum_one(f, w, parts, m, Point(&both, 1), ws) == kForbidden) return;
    const double mean = m[1] * dw[1] + m[3] * dw[3] + both * dparts[0];
    dmasses[1] = m[1] * (dw[1] - mean) + both * (dw[3] + dparts[0]);
    dmasses[3] = m[3] * (dw[3] - mean) + both * (dw[1] + dparts[0]);
    dnu[0] = both * (dw[1] + dw[3] + dparts[0] - mean);
  }

  double argmax_one(Index, Scores w, Scores parts, AssignmentOut y, Point nu, Workspace&) const {
    const Cells x = cells(w, parts[0]);
    const double high = x.high();
    if (high == kForbidden) return kForbidden;
    const int best = x.x00 == high ? 0 : x.x01 == high ? 1 : x.x10 == high ? 2 : 3;
    y[0] = best >> 1;
    y[1] = best & 1;
    nu[0] = best == 3 ? 1.0 : 0.0;
    return high;
  }

  // softplus(q + score) - softplus(q) does not see the receiver's own q: nothing cancels, nothing underflows.
  void messages(Range range, Product product, Scores q, Scores parts, Point out, Point value,
                Workspace&) const override {
    for (Index f = range.begin; f < range.end; ++f) {
      const double q1 = q[2 * f];
      const double q2 = q[2 * f + 1];
      out[2 * f] = std::isfinite(q1) ? message(product, q2, parts[f]) : 0.0;
      out[2 * f + 1] = std::isfinite(q2) ? message(product, q1, parts[f]) : 0.0;
      value[f] = total(product, q1, q2, parts[f]);
      if (value[f] == kForbidden) out[2 * f] = out[2 * f + 1] = 0.0;
    }
  }

  void project(Range range, Scores a, Scores parts, ProjectionState& state, Point z, Point nu, Point value,
               Workspace& ws) const override {
    const auto count = static_cast<std::size_t>(range.end - range.begin);
    const auto begin = static_cast<std::size_t>(range.begin);
    if (all_finite(a.data() + 2 * begin, 2 * count) && all_finite(parts.data() + begin, count)) {
      project_finite(a.data(), parts.data(), z.data(), nu.data(), value.data(), range.begin, range.end);
    } else {
      KernelGroup<PairGroup>::project(range, a, parts, state, z, nu, value, ws);
    }
  }

  /// Martins et al. (2011), section 4: the pairwise subproblem in constant time.
  double project_one(Index, Scores a, Scores parts, Point z, Point nu, Workspace&) const {
    const double c = parts[0];
    if (a[0] == kForced && a[1] == kForced && c == kForbidden) {
      z[0] = z[1] = nu[0] = 0.0;
      return kForbidden;
    }
    const PairPoint p = solve(a[0], a[1], c);
    z[0] = p.z1;
    z[1] = p.z2;
    nu[0] = c >= 0.0 ? std::min(p.z1, p.z2) : std::max(0.0, p.z1 + p.z2 - 1.0);
    double result = nu[0] > 0.0 ? nu[0] * c : 0.0;
    for (int i = 0; i < 2; ++i) result += (std::isfinite(a[i]) ? a[i] * z[i] : 0.0) - 0.5 * z[i] * z[i];
    return result;
  }

  void project_vjp_one(Index, Scores a, Scores parts, Scores grad_z, Scores grad_nu, Point grad_a, Point grad_parts,
                       Workspace&) const {
    const double c = parts[0];
    const PairPoint p = solve(a[0], a[1], c);
    // nu is z1, z2 (score >= 0) or z1 + z2 - 1, so its gradient joins theirs; which one follows from the piece.
    double g1 = grad_z[0];
    double g2 = grad_z[1];
    const bool positive = c >= 0.0;
    const bool first_smaller = p.z1 <= p.z2;
    const bool overlap = p.z1 + p.z2 > 1.0;
    if (positive) (first_smaller ? g1 : g2) += grad_nu[0];
    if (!positive && overlap && p.piece == PairPoint::Piece::kApart) g1 += grad_nu[0], g2 += grad_nu[0];
    grad_a[0] = grad_a[1] = grad_parts[0] = 0.0;
    if (p.piece == PairPoint::Piece::kTied) {
      if (!p.free1) return;
      const double along = positive ? 0.5 * (g1 + g2) : 0.5 * (g1 - g2);
      grad_a[0] = along;
      grad_a[1] = positive ? along : -along;
      grad_parts[0] = positive ? along : 0.0;
      return;
    }
    grad_a[0] = p.free1 ? g1 : 0.0;
    grad_a[1] = p.free2 ? g2 : 0.0;
    if (positive) {
      grad_parts[0] = first_smaller ? grad_a[0] : grad_a[1];
    } else if (overlap) {
      grad_parts[0] = grad_a[0] + grad_a[1];
    }
  }

  Constraints constraints(Index f) const override {
    Constraints out = bare_constraints(f);
    for (Index i = 0; i < 2; ++i) {  // both <= each
      const Index row = out.add_row(-kForced, 0.0);
      out.add(row, 2, 1.0);
      out.add(row, i, -1.0);
    }
    const Index row = out.add_row(-kForced, 1.0);  // each + each - both <= 1
    out.add(row, 0, 1.0);
    out.add(row, 1, 1.0);
    out.add(row, 2, -1.0);
    return out;
  }

 private:
  static double message(Product product, double other, double score) {
    if (other == kForced) return score;
    if (product == Product::kMax) return std::max(0.0, other + score) - std::max(0.0, other);
    return softplus(other + score) - softplus(other);
  }

  static double total(Product product, double q1, double q2, double score) {
    const double w[4] = {q1 == kForced ? kForbidden : 0.0, q1 == kForced ? 0.0 : q1, q2 == kForced ? kForbidden : 0.0,
                         q2 == kForced ? 0.0 : q2};
    const Cells x = cells(w, score);
    const double four[4] = {x.x00, x.x01, x.x10, x.x11};
    return product == Product::kMax ? x.high() : log_sum_exp(four);
  }

  static PairPoint solve(double a1, double a2, double c) {
    using Piece = PairPoint::Piece;
    if (!std::isfinite(a1)) {
      const double other = a1 == kForced ? a2 + (a2 == kForced ? 0.0 : c) : a2;
      return {a1 == kForced ? 1.0 : 0.0, clip(other), Piece::kApart, false, inside(other)};
    }
    if (!std::isfinite(a2)) {
      const double other = a2 == kForced ? a1 + c : a1;
      return {clip(other), a2 == kForced ? 1.0 : 0.0, Piece::kApart, inside(other), false};
    }
    if (c >= 0.0) return attract(a1, a2, c);
    // The second variable read negated makes the coupling attractive. A hard "not both" has no finite coupling,
    // but any that keeps the pair tied wherever it binds gives the same point.
    const double coupling = std::max(c, -(2.0 + 2.0 * std::abs(a1) + 2.0 * std::abs(a2)));
    PairPoint p = attract(a1 + coupling, 1.0 - a2, -coupling);
    p.z2 = 1.0 - p.z2;
    return p;
  }
};

}  // namespace

std::unique_ptr<FactorGroup> make_pair_group(Index num_factors) { return std::make_unique<PairGroup>(num_factors); }

}  // namespace ramify::factors
