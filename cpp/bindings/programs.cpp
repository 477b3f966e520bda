#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "ramify/inference/enumeration.hpp"
#include "ramify/inference/linear_program.hpp"
#include "ramify/inference/tree_cuts.hpp"

using namespace nanobind::literals;

namespace ramify::bindings {
namespace {

using graph::FactorGraph;
using inference::ProgramRows;
using Sums = std::pair<Out<double>, Out<double>>;

Out<std::uint8_t> cuts(const In<std::int32_t>& heads, const In<std::int32_t>& modifiers, std::int32_t num_words,
                       const In<double>& x, double tolerance) {
  std::vector<std::uint8_t> flat;
  {
    const nb::gil_scoped_release release;
    for (const auto& set : inference::violated_cuts(view(heads), view(modifiers), num_words, view(x), tolerance)) {
      flat.insert(flat.end(), set.begin(), set.end());
    }
  }
  return hand_over(std::move(flat));
}

template <class Function>
Out<double> over_assignments(Function function, const FactorGraph& graph, const In<double>& a, const In<double>& b) {
  std::vector<double> out;
  {
    const nb::gil_scoped_release release;
    out = function(graph, view(a), view(b));
  }
  return hand_over(std::move(out));
}

Sums sums(const FactorGraph& graph, const In<double>& weights) {
  std::vector<double> coords(static_cast<std::size_t>(graph.num_coords()));
  std::vector<double> parts(static_cast<std::size_t>(graph.num_parts()));
  {
    const nb::gil_scoped_release release;
    inference::weighted_sums(graph, view(weights), coords, parts);
  }
  return {hand_over(std::move(coords)), hand_over(std::move(parts))};
}

}  // namespace

void register_programs(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("programs", "Rows for linear programs, cuts, and sums over all assignments.");
  nb::class_<ProgramRows>(m, "ProgramRows")
      .def("starts", [](const ProgramRows& r) { return hand_over(r.starts); })
      .def("columns", [](const ProgramRows& r) { return hand_over(r.columns); })
      .def("values", [](const ProgramRows& r) { return hand_over(r.values); })
      .def("lower", [](const ProgramRows& r) { return hand_over(r.lower); })
      .def("upper", [](const ProgramRows& r) { return hand_over(r.upper); })
      .def("auxiliary_upper", [](const ProgramRows& r) { return hand_over(r.auxiliary_upper); })
      .def("factor_rows", [](const ProgramRows& r) { return hand_over(r.factor_rows); });
  m.def("program_rows", &inference::program_rows, "graph"_a, "replacements"_a,
        nb::call_guard<nb::gil_scoped_release>());
  m.def("violated_cuts", &cuts, "heads"_a, "modifiers"_a, "num_words"_a, "x"_a, "tolerance"_a);
  m.def("count_assignments", &inference::count_assignments, "graph"_a, "limit"_a);
  m.def(
      "log_weights",
      [](const FactorGraph& g, const In<double>& unary, const In<double>& parts) {
        return over_assignments(inference::log_weights, g, unary, parts);
      },
      "graph"_a, "unary"_a, "parts"_a);
  m.def(
      "dot_products",
      [](const FactorGraph& g, const In<double>& coords, const In<double>& parts) {
        return over_assignments(inference::dot_products, g, coords, parts);
      },
      "graph"_a, "coords"_a, "parts"_a);
  m.def("weighted_sums", &sums, "graph"_a, "weights"_a);
}

}  // namespace ramify::bindings
