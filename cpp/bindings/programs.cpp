#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "graph_checks.hpp"
#include "members.hpp"
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
  expect_arcs(view(heads), view(modifiers), num_words);
  expect_numbers("x", x, static_cast<std::int64_t>(heads.size()));
  expect(!std::isnan(tolerance), "tolerance expects a number; got NaN.");
  std::vector<std::uint8_t> flat;
  {
    const nb::gil_scoped_release release;
    for (const auto& set : inference::violated_cuts(view(heads), view(modifiers), num_words, view(x), tolerance)) {
      flat.insert(flat.end(), set.begin(), set.end());
    }
  }
  return hand_over(std::move(flat));
}

/// How many assignments there are, refused where they are too many to go through.
std::int64_t assignments_of(const FactorGraph& graph) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  const std::int64_t count = inference::count_assignments(graph, kMost);
  expect(count >= 0, "Sums over all assignments expect at most 2^30 of them; this graph has more.");
  return count;
}

template <class Function>
Out<double> over_assignments(Function function, const FactorGraph& graph, const In<double>& a, const In<double>& b) {
  assignments_of(graph);
  const CheckedScores scores(graph, a, b);
  std::vector<double> out;
  {
    const nb::gil_scoped_release release;
    out = function(graph, scores.unary, scores.parts);
  }
  return hand_over(std::move(out));
}

Sums sums(const FactorGraph& graph, const In<double>& weights) {
  expect_size("weights", weights, assignments_of(graph));
  std::vector<double> coords(static_cast<std::size_t>(graph.num_coords()));
  std::vector<double> parts(static_cast<std::size_t>(graph.num_parts()));
  {
    const nb::gil_scoped_release release;
    inference::weighted_sums(graph, view(weights), coords, parts);
  }
  return {hand_over(std::move(coords)), hand_over(std::move(parts))};
}

/// replacements: per group, rows instead of those of its factors, or none.
ProgramRows rows_of(const FactorGraph& graph,
                    const std::vector<std::vector<const factors::Constraints*>>& replacements) {
  expect_size("replacements", replacements.size(), graph.groups().size());
  for (std::size_t g = 0; g < replacements.size(); ++g) {
    expect_objects("replacements", replacements[g]);
    const factors::Layout& layout = graph.groups()[g].group->layout();
    if (replacements[g].empty()) continue;
    expect_size("replacements of a group", replacements[g].size(), static_cast<std::size_t>(layout.num_factors()));
    for (factors::Index f = 0; f < layout.num_factors(); ++f) {
      const factors::Constraints& rows = *replacements[g][static_cast<std::size_t>(f)];
      const bool is_left_out = rows.num_rows() == 0 && rows.num_coords == 0 && rows.num_parts == 0;
      expect(is_left_out || (rows.num_coords == layout.coords().size(f) && rows.num_parts == layout.parts().size(f)),
             "replacements expect rows of factors of the same size.");
    }
  }
  const nb::gil_scoped_release release;
  return inference::program_rows(graph, replacements);
}

}  // namespace

void register_programs(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("programs", "Rows for linear programs, cuts, and sums over all assignments.");
  nb::class_<ProgramRows>(m, "ProgramRows")
      .def(arrays("starts", &ProgramRows::starts, "columns", &ProgramRows::columns, "values", &ProgramRows::values,
                  "lower", &ProgramRows::lower, "upper", &ProgramRows::upper, "auxiliary_upper",
                  &ProgramRows::auxiliary_upper, "factor_rows", &ProgramRows::factor_rows));
  m.def("program_rows", &rows_of, "graph"_a, "replacements"_a);
  m.def("violated_cuts", &cuts, "heads"_a, "modifiers"_a, "num_words"_a, "x"_a, "tolerance"_a);
  m.def(
      "count_assignments",
      [](const FactorGraph& graph, std::int64_t limit) {
        return inference::count_assignments(graph, std::max<std::int64_t>(limit, 0));
      },
      "graph"_a, "limit"_a);
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
