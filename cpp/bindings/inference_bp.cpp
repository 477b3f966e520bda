#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <memory>

#include "arrays.hpp"
#include "bindings.hpp"
#include "graph_checks.hpp"
#include "members.hpp"
#include "ramify/inference/belief_propagation.hpp"
#include "ramify/inference/relax.hpp"
#include "turns.hpp"

using namespace nanobind::literals;

namespace ramify::bindings {
namespace {

using graph::FactorGraph;
using namespace inference;

/// One problem and its messages; owns what the engine reads, so that it can be asked later for gradients.
struct Session {
  std::vector<double> unary, parts, counting;
  std::vector<std::uint8_t> active;
  Buffer messages;
  BpTape tape;
  BpProgress progress;
  std::unique_ptr<BeliefPropagation> engine;
  const FactorGraph* graph = nullptr;
  bool has_run = false;
  Turn turn = {};  // several threads may ask the result of one solve for gradients
};

void expect_factors(const FactorGraph& graph, const In<std::uint8_t>& active) {
  expect_size_or_none("active", active, graph.num_factors());
}

void construct(Session* self, const FactorGraph& graph, const In<double>& unary, const In<double>& parts,
               const In<double>& counting, const In<std::uint8_t>& active, const In<double>& messages, bool maximise,
               Order order, double damping, double tolerance, Index max_iterations, bool fixed, Index checkpoint,
               bool record) {
  expect_scores(graph, unary, parts);
  expect_factors(graph, active);
  expect_size_or_none("counting", counting, graph.num_factors());
  expect(std::ranges::all_of(view(counting), [](double k) { return k > 0.0; }), "counting expects positive numbers.");
  if (messages.size() > 0) expect_numbers("messages", messages, graph.num_edges());
  expect(damping >= 0.0 && damping < 1.0, "damping expects a number in [0, 1).");
  expect(tolerance >= 0.0, "tolerance expects a number of at least 0.");
  expect(max_iterations >= 0 && checkpoint >= 0, "max_iterations and checkpoint expect numbers of at least 0.");
  new (self) Session{
      copy(unary), copy(parts), copy(counting), copy(active), Buffer(static_cast<std::size_t>(graph.num_edges())),
      {},          {},          nullptr,        &graph};
  std::ranges::copy(view(messages), self->messages.begin());  // none: all zero
  const BpOptions options{maximise ? factors::Product::kMax : factors::Product::kSum,
                          order,
                          damping,
                          tolerance,
                          max_iterations,
                          fixed,
                          checkpoint,
                          record};
  const nb::gil_scoped_release release;
  self->engine =
      std::make_unique<BeliefPropagation>(graph, self->unary, self->parts, self->counting, self->active, options);
}

void run(Session& self, bool keep_tape) {
  const Working working(self.turn);
  self.tape = {};
  self.has_run = keep_tape;
  self.progress = self.engine->run(self.messages, keep_tape ? &self.tape : nullptr);
}

Out<double> hand_over_buffer(Buffer values) {
  auto* owned = new Buffer(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Buffer*>(p); });
  return Out<double>(owned->data(), {owned->size()}, owner);
}

auto run_relaxed(Session& self, double epsilon, Index max_rounds) {
  expect(epsilon >= 0.0 && max_rounds >= 0, "relax expects epsilon and max_rounds of at least 0.");
  expect_size("active", self.active.size(), static_cast<std::size_t>(self.graph->num_factors()));
  RelaxProgress out;
  {
    const Working working(self.turn);
    self.has_run = false;
    out = relax(*self.graph, *self.engine, self.parts, epsilon, max_rounds, self.active, self.messages);
  }
  self.progress = out.inner;
  return std::make_tuple(out.rounds, out.bound, out.complete, hand_over(self.active));
}

auto separate_factors(const FactorGraph& graph, const In<double>& beliefs, const In<double>& parts, double epsilon,
                      const In<std::uint8_t>& active) {
  expect_numbers("beliefs", beliefs, graph.num_coords());
  expect_numbers("part_scores", parts, graph.num_parts());
  expect_size("active", active, graph.num_factors());
  expect(epsilon >= 0.0, "separate expects epsilon of at least 0.");
  std::vector<std::uint8_t> mask = copy(active);
  Separation found;
  {
    const nb::gil_scoped_release release;
    found = separate(graph, view(beliefs), view(parts), epsilon, mask);
  }
  return std::make_tuple(found.added, found.bound, hand_over(std::move(mask)));
}

auto answer(Session& self) {
  BpAnswer out;
  {
    const Working working(self.turn);
    out = self.engine->answer(self.messages);
  }
  return std::make_tuple(out.feasible, out.log_partition, hand_over(std::move(out.marginals)),
                         hand_over(std::move(out.part_marginals)), hand_over_buffer(std::move(out.factor_marginals)),
                         hand_over_buffer(std::move(out.factor_log_z)));
}

auto decode(Session& self) {
  std::vector<std::int32_t> y;
  bool found = false;
  {
    const Working working(self.turn);
    found = self.engine->decode(self.messages, y);
  }
  return std::make_tuple(found, hand_over(std::move(y)));
}

auto backward(Session& self, const In<double>& grad_marginals, const In<double>& grad_part_marginals,
              double grad_log_partition) {
  expect_gradients(*self.graph, grad_marginals, grad_part_marginals);
  BeliefPropagation::Gradients out;
  {
    const Working working(self.turn);
    expect(self.has_run, "backward expects a result with a tape; got one without.");
    out = self.engine->backward(self.tape, self.messages, self.progress, view(grad_marginals),
                                view(grad_part_marginals), grad_log_partition);
  }
  return std::make_tuple(hand_over(std::move(out.unary)), hand_over(std::move(out.parts)));
}

bool acyclic(const FactorGraph& graph, const In<std::uint8_t>& active, const In<double>& unary) {
  expect_factors(graph, active);
  expect_size("scores", unary, graph.num_coords());
  const nb::gil_scoped_release release;
  return is_acyclic(graph, view(active), view(unary));
}

Out<double> concave(const FactorGraph& graph, const In<std::uint8_t>& active) {
  expect_factors(graph, active);
  std::vector<double> out;
  {
    const nb::gil_scoped_release release;
    out = concave_counting(graph, view(active));
  }
  return hand_over(std::move(out));
}

}  // namespace

void register_inference_bp(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("inference", "Inference over factor graphs.");
  add_enum<Order>(m, "Order", "PARALLEL", Order::kParallel, "SEQUENTIAL", Order::kSequential, "RESIDUAL",
                  Order::kResidual);
  nb::class_<Session>(m, "BeliefPropagation")
      // The engine points into the graph.
      .def("__init__", &construct, "graph"_a, "unary"_a, "parts"_a, "counting"_a, "active"_a, "messages"_a,
           "maximise"_a, "order"_a, "damping"_a, "tolerance"_a, "max_iterations"_a, "fixed"_a, "checkpoint"_a,
           "record"_a, nb::keep_alive<1, 2>())
      .def("run", &run, "keep_tape"_a)
      .def_prop_ro("iterations", [](const Session& s) { return s.progress.iterations; })
      .def_prop_ro("residual", [](const Session& s) { return s.progress.residual; })
      .def_prop_ro("converged", [](const Session& s) { return s.progress.converged; })
      .def_prop_ro("diverged", [](const Session& s) { return s.progress.diverged; })
      .def_prop_ro("feasible", [](const Session& s) { return s.progress.feasible; })
      .def_prop_ro("tape_size",
                   [](const Session& s) {
                     std::size_t total = s.tape.inputs.size();
                     for (const auto& state : s.tape.checkpoints) total += state.size();
                     return total;
                   })
      // The session keeps its messages alive as long as the array is in use.
      .def(
          "messages",
          [](Session& s) {
            // Read-only: what a caller wrote would be the engine's.
            return nb::ndarray<nb::numpy, const double, nb::ndim<1>>(s.messages.data(), {s.messages.size()},
                                                                     nb::find(s));
          },
          nb::sig("def messages(self) -> NDArray[numpy.float64]"))
      .def("relax", &run_relaxed, "epsilon"_a, "max_rounds"_a)
      .def("answer", &answer)
      .def("decode", &decode)
      .def("backward", &backward, "grad_marginals"_a, "grad_part_marginals"_a, "grad_log_partition"_a);
  m.def("separate", &separate_factors, "graph"_a, "beliefs"_a, "parts"_a, "epsilon"_a, "active"_a);
  m.def("is_acyclic", &acyclic, "graph"_a, "active"_a, "unary"_a);
  m.def("concave_counting", &concave, "graph"_a, "active"_a);
}

}  // namespace ramify::bindings
