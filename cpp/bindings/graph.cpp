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

Out<std::int32_t> states_of(const FactorGraph& self) {
  std::vector<std::int32_t> out;
  for (factors::Index v = 0; v < self.num_variables(); ++v) out.push_back(self.num_states(v));
  return hand_over(std::move(out));
}

/// The variable of every slot of a group.
Out<std::int64_t> variables_of(const FactorGraph& self, std::size_t group) {
  expect_within("group", static_cast<std::int64_t>(group), 0, static_cast<std::int64_t>(self.groups().size()) - 1);
  const graph::PlacedGroup& placed = self.groups()[group];
  const factors::Layout& layout = placed.group->layout();
  const auto own = self.slot_variable().subspan(static_cast<std::size_t>(placed.slot_begin),
                                                static_cast<std::size_t>(layout.slots()[layout.num_factors()]));
  return hand_over(std::vector<std::int64_t>(own.begin(), own.end()));
}

double score_assignment(const FactorGraph& self, const In<double>& unary, const In<double>& parts,
                        const In<std::int32_t>& y) {
  expect_scores(self, unary, parts);
  expect_size("assignment", y, self.num_variables());
  for (factors::Index v = 0; v < self.num_variables(); ++v) {
    expect_within("assignment", y.data()[v], 0, self.num_states(v) - 1);
  }
  const nb::gil_scoped_release release;
  return graph::score(self, view(unary), view(parts), view(y));
}

}  // namespace

void register_graph(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("graph", "Variables and groups of factors.");
  nb::class_<FactorGraph>(m, "FactorGraph")
      // The graph points into the groups: what holds them, and cannot be changed, lives as long as it does.
      .def("__init__", &construct, "num_states"_a, "groups"_a, "variables"_a, nb::keep_alive<1, 3>())
      .def("num_states", &states_of)
      .def_prop_ro("num_groups", [](const FactorGraph& self) { return self.groups().size(); })
      // What owns the groups lives as long as the graph, and so longer than anyone who asks for them.
      .def(
          "group",
          [](const FactorGraph& self, std::size_t group) {
            expect_within("group", static_cast<std::int64_t>(group), 0,
                          static_cast<std::int64_t>(self.groups().size()) - 1);
            return self.groups()[group].group;
          },
          "group"_a, nb::rv_policy::reference_internal)
      .def("variables", &variables_of, "group"_a)
      .def_prop_ro("num_coords", &FactorGraph::num_coords)
      .def_prop_ro("num_slots", &FactorGraph::num_slots)
      .def_prop_ro("num_edges", &FactorGraph::num_edges)
      .def_prop_ro("num_factors", &FactorGraph::num_factors)
      .def_prop_ro("num_parts", &FactorGraph::num_parts)
      .def("score", &score_assignment, "unary"_a, "parts"_a, "y"_a);
}

}  // namespace ramify::bindings
