#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "graph_checks.hpp"
#include "members.hpp"
#include "ramify/inference/ad3.hpp"
#include "ramify/inference/branch_and_bound.hpp"
#include "ramify/inference/sparsemap.hpp"
#include "ramify/inference/subgradient.hpp"

using namespace nanobind::literals;

namespace ramify::bindings {
namespace {

using namespace ramify::inference;

/// A state, and the graph whose edges it is about.
struct WarmStart : Ad3State {
  std::uint64_t graph = 0;
};

/// Whether a solve of this graph has filled the state; one that failed early may have left it empty.
bool is_filled(const FactorGraph& graph, const WarmStart& state) {
  const auto size = [](Index n) { return static_cast<std::size_t>(n); };
  return state.graph == graph.serial() && state.duals.size() == size(graph.num_edges()) &&
         state.u.size() == size(graph.num_coords()) && state.z.size() == size(graph.num_edges()) &&
         state.projections.size() == graph.groups().size();
}

/// The state to begin with: an empty one, or that of the same graph.
WarmStart begin_from(const FactorGraph& graph, const WarmStart& start) {
  expect(start.empty() || is_filled(graph, start),
         "A warm start expects the result of the same method on the same graph; got one of another graph.");
  WarmStart state = start;
  state.graph = graph.serial();
  return state;
}

std::pair<Ad3Result, WarmStart> run_ad3(const FactorGraph& graph, const In<double>& unary, const In<double>& parts,
                                        const Ad3Options& options, const WarmStart& start) {
  const CheckedScores scores(graph, unary, parts);
  std::pair<Ad3Result, WarmStart> out{{}, begin_from(graph, start)};
  const nb::gil_scoped_release release;
  const ScoredGraph problem{graph, scores.unary, scores.parts};
  out.first = solve_ad3(problem, options, out.second);
  return out;
}

std::tuple<Ad3Result, Index, WarmStart> run_exact(const FactorGraph& graph, const In<double>& unary,
                                                  const In<double>& parts, const Ad3Options& options,
                                                  Index node_iterations, Index max_nodes, const WarmStart& start) {
  const CheckedScores scores(graph, unary, parts);
  WarmStart state = begin_from(graph, start);
  const nb::gil_scoped_release release;
  const ScoredGraph problem{graph, scores.unary, scores.parts};
  ExactResult result = solve_exact(problem, {options, node_iterations, max_nodes, true}, state);
  return {std::move(result.relaxation), result.nodes, std::move(state)};
}

auto run_subgradient(const FactorGraph& graph, const In<double>& unary, const In<double>& parts, Index max_iterations,
                     double step, Index check_every, double time_limit, const In<double>& start) {
  const CheckedScores scores(graph, unary, parts);
  expect_numbers("start", start, graph.num_edges());
  expect(check_every >= 1, "check_every expects at least 1.");
  std::vector<double> duals = copy(start);
  Ad3Result result;
  {
    const nb::gil_scoped_release release;
    const ScoredGraph problem{graph, scores.unary, scores.parts};
    result = solve_subgradient(problem, {max_iterations, step, check_every, time_limit}, duals);
  }
  return std::make_pair(std::move(result), hand_over(std::move(duals)));
}

auto run_sparsemap_vjp(const FactorGraph& graph, const In<double>& unary, const In<double>& parts, double gamma,
                       const WarmStart& state, const In<double>& grad_marginals,
                       const In<double>& grad_part_marginals) {
  const CheckedScores scores(graph, unary, parts);
  expect_gradients(graph, grad_marginals, grad_part_marginals);
  expect(is_filled(graph, state),
         "SparseMAP.backward expects the result of SparseMAP for the same graph; got one of another graph.");
  Gradients out;
  {
    const nb::gil_scoped_release release;
    const ScoredGraph problem{graph, scores.unary, scores.parts};
    out = sparsemap_vjp(problem, gamma, state, view(grad_marginals), view(grad_part_marginals));
  }
  return std::make_pair(hand_over(std::move(out.unary)), hand_over(std::move(out.parts)));
}

void register_results(nb::module_& m) {
  add_enum<Ad3Status>(m, "Ad3Status", "CERTIFIED", Ad3Status::kCertified, "CONVERGED", Ad3Status::kConverged,
                      "ITERATION_LIMIT", Ad3Status::kIterationLimit, "TIME_LIMIT", Ad3Status::kTimeLimit, "INFEASIBLE",
                      Ad3Status::kInfeasible, "CUT_OFF", Ad3Status::kCutOff);
  nb::class_<WarmStart>(m, "Ad3State")
      .def(nb::init<>())
      .def("duals", [](const WarmStart& s) { return hand_over(s.duals); })
      .def("is_of", [](const WarmStart& s, const FactorGraph& graph) { return s.graph == graph.serial(); }, "graph"_a);
  nb::class_<Ad3Result>(m, "Ad3Result")
      .def_ro("status", &Ad3Result::status)
      .def(arrays("marginals", &Ad3Result::u, "part_marginals", &Ad3Result::nu, "assignment", &Ad3Result::y))
      .def(fields("value", &Ad3Result::value, "bound", &Ad3Result::bound, "relaxed_value", &Ad3Result::relaxed_value,
                  "primal_residual", &Ad3Result::primal_residual, "dual_residual", &Ad3Result::dual_residual,
                  "iterations", &Ad3Result::iterations, "projections", &Ad3Result::projections))
      .def(arrays("active_factors", &Ad3Result::active_factors, "active_slots", &Ad3Result::active_slots))
      .def_prop_ro("conflict_group", [](const Ad3Result& r) { return r.conflict.group; })
      .def_prop_ro("conflict_factor", [](const Ad3Result& r) { return r.conflict.factor; })
      .def_prop_ro("conflict_variable", [](const Ad3Result& r) { return r.conflict.variable; });
}

void register_options(nb::module_& m) {
  nb::class_<Ad3Options>(m, "Ad3Options")
      .def(
          "__init__",
          [](Ad3Options* self, Index max_iterations, double tolerance, double penalty, bool adapt_penalty,
             double relaxation, Index acceleration, double quadratic, Index check_every, double time_limit,
             double cutoff, double idle) {
            expect(max_iterations >= 1 && check_every >= 1, "Ad3Options expects at least one iteration and check.");
            expect_within("acceleration", acceleration, 0, 1000);
            expect(penalty > 0.0 && quadratic >= 0.0 && tolerance >= 0.0 && idle >= 0.0,
                   "Ad3Options expects a positive penalty and no negative number or NaN.");
            new (self) Ad3Options{max_iterations, tolerance,   penalty,    adapt_penalty, relaxation, acceleration,
                                  quadratic,      check_every, time_limit, cutoff,        idle};
          },
          nb::kw_only(), "max_iterations"_a, "tolerance"_a, "penalty"_a, "adapt_penalty"_a, "relaxation"_a,
          "acceleration"_a, "quadratic"_a, "check_every"_a, "time_limit"_a, "cutoff"_a, "idle"_a);
}

}  // namespace

void register_inference_ad3(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("inference", "Inference methods over factor graphs.");
  register_results(m);
  register_options(m);
  m.def("solve_ad3", &run_ad3, "graph"_a, "unary"_a, "parts"_a, "options"_a, "start"_a);
  m.def("solve_exact", &run_exact, "graph"_a, "unary"_a, "parts"_a, "options"_a, "node_iterations"_a, "max_nodes"_a,
        "start"_a);
  m.def("solve_subgradient", &run_subgradient, "graph"_a, "unary"_a, "parts"_a, nb::kw_only(), "max_iterations"_a,
        "step"_a, "check_every"_a, "time_limit"_a, "start"_a);
  m.def("sparsemap_vjp", &run_sparsemap_vjp, "graph"_a, "unary"_a, "parts"_a, "gamma"_a, "state"_a, "grad_marginals"_a,
        "grad_part_marginals"_a);
}

}  // namespace ramify::bindings
