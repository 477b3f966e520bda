#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "ramify/graph/factor_graph.hpp"

using namespace nanobind::literals;

namespace ramify::bindings {
namespace {

using graph::FactorGraph;

void construct(FactorGraph* self, const In<std::int32_t>& num_states,
               const std::vector<const factors::FactorGroup*>& groups, const std::vector<In<std::int64_t>>& variables) {
  std::vector<std::span<const std::int64_t>> views;
  for (const auto& array : variables) views.push_back(view(array));
  new (self) FactorGraph(copy(num_states), groups, views);
}

double score_assignment(const FactorGraph& self, const In<double>& unary, const In<double>& parts,
                        const In<std::int32_t>& y) {
  const nb::gil_scoped_release release;
  return graph::score(self, view(unary), view(parts), view(y));
}

}  // namespace

void register_graph(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("graph", "Variables and groups of factors.");
  nb::class_<FactorGraph>(m, "FactorGraph")
      // The graph points into the groups: the list that holds them lives as long as it does.
      .def("__init__", &construct, "num_states"_a, "groups"_a, "variables"_a, nb::keep_alive<1, 3>())
      .def_prop_ro("num_coords", &FactorGraph::num_coords)
      .def_prop_ro("num_slots", &FactorGraph::num_slots)
      .def_prop_ro("num_edges", &FactorGraph::num_edges)
      .def_prop_ro("num_factors", &FactorGraph::num_factors)
      .def_prop_ro("num_parts", &FactorGraph::num_parts)
      .def("score", &score_assignment, "unary"_a, "parts"_a, "y"_a);
}

}  // namespace ramify::bindings
