#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "graph_checks.hpp"
#include "ramify/graph/factor_graph.hpp"

using namespace nanobind::literals;

namespace ramify::bindings {
namespace {

using graph::FactorGraph;

void construct(FactorGraph* self, const In<std::int32_t>& num_states,
               const nb::typed<nb::tuple, factors::FactorGroup, nb::ellipsis>& groups,
               const std::vector<In<std::int64_t>>& variables) {
  expect_within("num_states", view(num_states), 2, std::numeric_limits<std::int32_t>::max());
  expect_size("variables", variables.size(), groups.size());
  std::vector<const factors::FactorGroup*> pointers;
  std::vector<std::span<const std::int64_t>> views;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const factors::FactorGroup& group = nb::cast<const factors::FactorGroup&>(groups[g]);
    expect_size("variables of a group", variables[g], group.layout().slots()[group.layout().num_factors()]);
    pointers.push_back(&group);
    views.push_back(view(variables[g]));
  }
  new (self) FactorGraph(copy(num_states), pointers, views);
}

double score_assignment(const FactorGraph& self, const In<double>& unary, const In<double>& parts,
                        const In<std::int32_t>& y) {
  const CheckedScores scores(self, unary, parts);
  const std::vector<std::int32_t> states = copy(y);
  expect_size("assignment", states.size(), static_cast<std::size_t>(self.num_variables()));
  for (factors::Index v = 0; v < self.num_variables(); ++v) {
    expect_within("assignment", states[static_cast<std::size_t>(v)], 0, self.num_states(v) - 1);
  }
  const nb::gil_scoped_release release;
  return graph::score(self, scores.unary, scores.parts, states);
}

}  // namespace

void register_graph(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("graph", "Variables and groups of factors.");
  nb::class_<FactorGraph>(m, "FactorGraph")
      // The graph points into the groups: what holds them, and cannot be changed, lives as long as it does.
      .def("__init__", &construct, "num_states"_a, "groups"_a, "variables"_a, nb::keep_alive<1, 3>())
      .def_prop_ro("num_coords", &FactorGraph::num_coords)
      .def_prop_ro("num_slots", &FactorGraph::num_slots)
      .def_prop_ro("num_edges", &FactorGraph::num_edges)
      .def_prop_ro("num_factors", &FactorGraph::num_factors)
      .def_prop_ro("num_parts", &FactorGraph::num_parts)
      .def("score", &score_assignment, "unary"_a, "parts"_a, "y"_a);
}

}  // namespace ramify::bindings
