#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "members.hpp"
#include "ramify/summarization/dual.hpp"

using namespace nanobind::literals;

namespace ramify::bindings {
namespace {

using namespace ramify::summarization;

/// Arrays of Python, kept alive, and the problem that they are.
struct BoundProblem {
  In<std::int64_t> begin, heads, lengths;
  In<double> cuts, stays;
  In<std::int64_t> first, second, concepts;
  In<double> weights;
  In<std::int64_t> needed, least;
  Problem problem;
};

void expect_trees(const Problem& p) {
  const std::int64_t n = p.num_units();
  expect_within("begin", p.begin, 0, n);
  for (std::size_t s = 0; s + 1 < p.begin.size(); ++s) {
    const Index begin = p.begin[s], end = p.begin[s + 1];
    expect(begin < end && p.heads[static_cast<std::size_t>(begin)] == -1,
           "SummaryProblem expects sentences with at least one unit, and -1 as the head of the first.");
    for (Index u = begin + 1; u < end; ++u) expect_within("heads", p.heads[static_cast<std::size_t>(u)], begin, u - 1);
  }
}

void expect_tokens(const Problem& p) {
  const std::int64_t n = p.num_units();
  expect_within("first", p.first, 0, n - 1);
  expect_within("second", p.second, 0, n - 1);
  expect_within("concept", p.concepts, 0, static_cast<std::int64_t>(p.weights.size()) - 1);
  expect_within("requires", p.requires_, -1, p.num_sentences() - 1);
}

void make_problem(BoundProblem* self, const In<std::int64_t>& begin, const In<std::int64_t>& heads,
                  const In<std::int64_t>& lengths, const In<double>& cuts, const In<double>& stays,
                  const In<std::int64_t>& first, const In<std::int64_t>& second, const In<std::int64_t>& concepts,
                  const In<double>& weights, const In<std::int64_t>& needed, const In<std::int64_t>& least,
                  std::int64_t budget, std::int64_t sentences) {
  const auto n = static_cast<std::int64_t>(heads.size());
  expect(begin.size() >= 1 && begin.data()[0] == 0 && begin.data()[begin.size() - 1] == n,
         "SummaryProblem expects begin from 0 to the number of units.");
  expect_size("lengths", lengths, n);
  expect_numbers("cuts", cuts, n);
  expect_numbers("stays", stays, n);
  expect_size("second", second, static_cast<std::int64_t>(first.size()));
  expect_size("concept", concepts, static_cast<std::int64_t>(first.size()));
  expect_numbers("weights", view(weights));
  expect_size("requires", needed, static_cast<std::int64_t>(begin.size()) - 1);
  expect_size("least", least, static_cast<std::int64_t>(begin.size()) - 1);
  expect_within("lengths", view(lengths), 0, std::int64_t{1} << 40);
  expect(budget >= 0 && sentences >= 0, "SummaryProblem expects a budget and a number of sentences of at least 0.");
  const Problem problem{view(begin), view(heads),  view(lengths),  view(cuts),    view(stays),
                        view(first), view(second), view(concepts), view(weights), view(needed),
                        view(least), budget,       sentences};
  expect_trees(problem);
  expect_tokens(problem);
  new (self) BoundProblem{begin, heads, lengths, cuts, stays, first, second, concepts, weights, needed, least, problem};
}

Answer solve_problem(const BoundProblem& self, std::int64_t iterations, double gap, std::int64_t work,
                     const In<std::uint8_t>& start) {
  expect_size_or_none("start", start, self.problem.num_units());
  const Options options{iterations, gap, work};
  const Mask kept = copy(start);
  const nb::gil_scoped_release unlocked;
  return solve(self.problem, options, kept);
}

/// Scores of units; tokens of concepts as two arrays; where each concept's tokens begin; weights of concepts.
std::tuple<Out<double>, Out<std::int64_t>, Out<std::int64_t>, Out<std::int64_t>, Out<double>> parts_of(
    const BoundProblem& self) {
  Parts parts(self.problem);
  std::vector<std::int64_t> first, second, begin{0};
  std::vector<double> weights;
  for (const Token& token : parts.tokens) {
    first.push_back(token.first);
    second.push_back(token.second);
  }
  for (const Concept& c : parts.concepts) {
    begin.push_back(c.end);
    weights.push_back(c.weight);
  }
  return std::make_tuple(hand_over(std::move(parts.stays)), hand_over(std::move(first)), hand_over(std::move(second)),
                         hand_over(std::move(begin)), hand_over(std::move(weights)));
}

}  // namespace

void register_summarization(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("summarization", "Summaries within a budget.");
  nb::class_<Answer>(m, "Answer")
      .def(fields("value", &Answer::value, "bound", &Answer::bound))
      .def(arrays("kept", &Answer::kept, "stays", &Answer::stays, "goes", &Answer::goes));
  nb::class_<BoundProblem>(m, "Problem")
      .def("__init__", make_problem, "begin"_a, "heads"_a, "lengths"_a, "cuts"_a, "stays"_a, "first"_a, "second"_a,
           "concepts"_a, "weights"_a, "needed"_a, "least"_a, "budget"_a, "sentences"_a)
      .def("solve", solve_problem, "iterations"_a, "gap"_a, "work"_a, "start"_a)
      .def("parts", parts_of);
}

}  // namespace ramify::bindings
