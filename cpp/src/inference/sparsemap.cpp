#include "ramify/inference/sparsemap.hpp"

#include <algorithm>
#include <cmath>

#include "ramify/factors/projections.hpp"
#include "ramify/numeric/index.hpp"

namespace ramify::inference {

namespace {

constexpr double kSmall = 1e-24;  // squared residual, relative to the first, at which conjugate gradients stop

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double total = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}

class Backward {
 public:
  Backward(const ScoredGraph& problem, const Ad3State& state)
      : problem_(problem), graph_(problem.graph), state_(state) {
    const std::size_t edges = at(graph_.num_edges());
    a_.resize(edges);
    for (std::size_t e = 0; e < edges; ++e) {
      const Index c = graph_.edge_coord()[e];
      const double s = problem.unary[at(c)] / static_cast<double>(graph_.edges_of(c).size());
      a_[e] = (s + state.duals[e]) / state.penalty + state.u[at(c)];
    }
    parts_.resize(problem.parts.size());
    for (std::size_t r = 0; r < parts_.size(); ++r) parts_[r] = problem.parts[r] / state.penalty;
    edge_in_.resize(edges);
    edge_out_.resize(edges);
    part_out_.resize(parts_.size());
    no_parts_.assign(parts_.size(), 0.0);
  }

  Gradients run(double gamma, Scores grad_u, Scores grad_nu) {
    std::vector<double> h(grad_u.begin(), grad_u.end());
    // A part's marginal is linear in u on the face: its gradient joins that of u.
    std::ranges::fill(edge_in_, 0.0);
    through_factors(grad_nu);
    for (std::size_t e = 0; e < edge_out_.size(); ++e) h[at(graph_.edge_coord()[e])] += edge_out_[e];
    std::vector<double> x = common_tangent(h);
    free_variables(x, h, gamma);
    spread_to_edges(x);
    through_factors(no_parts_);
    for (double& g : part_out_) g /= gamma;
    for (double& g : x) g /= gamma;
    return {std::move(x), std::move(part_out_)};
  }

 private:
  void spread_to_edges(const std::vector<double>& x) {
    for (std::size_t e = 0; e < edge_in_.size(); ++e) edge_in_[e] = x[at(graph_.edge_coord()[e])];
  }

  void through_factors(Scores grad_nu) {
    for (std::size_t g = 0; g < graph_.groups().size(); ++g) {
      const graph::PlacedGroup& placed = graph_.groups()[g];
      const std::size_t edge = at(placed.edge_begin);
      const std::size_t part = at(placed.part_begin);
      placed.group->project_vjp(placed.group->all(), Scores(a_).subspan(edge), Scores(parts_).subspan(part),
                                state_.projections[g], Scores(edge_in_).subspan(edge), grad_nu.subspan(part),
                                Point(edge_out_).subspan(edge), Point(part_out_).subspan(part), ws_);
    }
  }

  /// Sum over factors of the component of x normal to the factor's face.
  std::vector<double> normal(const std::vector<double>& x) {
    spread_to_edges(x);
    through_factors(no_parts_);
    std::vector<double> out(x.size(), 0.0);
    for (std::size_t e = 0; e < edge_in_.size(); ++e) {
      out[at(graph_.edge_coord()[e])] += edge_in_[e] - edge_out_[e];
    }
    return out;
  }

  /// h without its component in the range of normal(): conjugate gradients from zero find that component.
  std::vector<double> common_tangent(const std::vector<double>& h) {
    std::vector<double> residual = normal(h);
    std::vector<double> direction = residual;
    std::vector<double> x = h;
    double size = dot(residual, residual);
    const double enough = kSmall * std::max(size, dot(h, h));
    for (std::size_t step = 0; step < 2 * h.size() + 10 && size > enough; ++step) {
      const std::vector<double> image = normal(direction);
      const double curvature = dot(direction, image);
      if (!(curvature > 0.0)) break;
      const double length = size / curvature;
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] -= length * direction[i];
        residual[i] -= length * image[i];
      }
      const double next = dot(residual, residual);
      for (std::size_t i = 0; i < x.size(); ++i) direction[i] = residual[i] + next / size * direction[i];
      size = next;
    }
    return x;
  }

  // Variables that no factor has: an interval or a simplex each.
  void free_variables(std::vector<double>& x, const std::vector<double>& h, double gamma) const {
    for (Index v = 0; v < graph_.num_variables(); ++v) {
      const Index begin = graph_.coord_of(v);
      if (!graph_.edges_of(begin).empty()) continue;
      if (graph_.num_states(v) == 2) {
        const double s = problem_.unary[at(begin)] / gamma;
        x[at(begin)] = s > 0.0 && s < 1.0 ? h[at(begin)] : 0.0;
        continue;
      }
      double mean = 0.0;
      double support = 0.0;
      for (Index c = begin; c < graph_.coord_of(v + 1); ++c) {
        if (state_.u[at(c)] > 0.0) mean += h[at(c)], support += 1.0;
      }
      for (Index c = begin; c < graph_.coord_of(v + 1); ++c) {
        x[at(c)] = state_.u[at(c)] > 0.0 ? h[at(c)] - mean / support : 0.0;
      }
    }
  }

  const ScoredGraph& problem_;
  const FactorGraph& graph_;
  const Ad3State& state_;
  factors::Workspace ws_;
  std::vector<double> a_, parts_, edge_in_, edge_out_, part_out_, no_parts_;
};

}  // namespace

Gradients sparsemap_vjp(const ScoredGraph& problem, double gamma, const Ad3State& state, Scores grad_u,
                        Scores grad_nu) {
  return Backward(problem, state).run(gamma, grad_u, grad_nu);
}

}  // namespace ramify::inference
