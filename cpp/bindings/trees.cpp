#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "checks.hpp"
#include "ramify/trees/arborescence.hpp"
#include "ramify/trees/batch.hpp"
#include "ramify/trees/k_best.hpp"
#include "ramify/trees/sampling.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace ramify::bindings {
namespace {

template <class T, class... Config>
using Array = nb::ndarray<T, nb::numpy, nb::c_contig, nb::device::cpu, Config...>;
using Matrices = Array<const double, nb::ndim<3>>;
using MatricesOut = Array<double, nb::ndim<3>>;
using Lengths = std::optional<Array<const std::int32_t, nb::ndim<1>>>;
using Numbers = Array<double, nb::ndim<1>>;

constexpr std::int64_t kMostDenseWords = 46339;  // the cells of a matrix are counted in 32 bits
using HeadsOut = Array<std::int32_t, nb::ndim<2>>;

trees::Batch batch_of(const Matrices& scores, const Lengths& lengths, bool single_root, int num_threads) {
  expect(scores.shape(1) == scores.shape(2), "scores expect square matrices.");
  const auto num_words = static_cast<std::int64_t>(scores.shape(1)) - 1;
  expect_within("num_words", num_words, 1, kMostDenseWords);
  expect_threads(num_threads);
  if (lengths) {
    expect_size("lengths", *lengths, static_cast<std::int64_t>(scores.shape(0)));
    expect_within("lengths", std::span<const std::int32_t>(lengths->data(), lengths->size()), 1, num_words);
  }
  return {scores.data(),
          lengths ? lengths->data() : nullptr,
          static_cast<std::int64_t>(scores.shape(0)),
          static_cast<int>(scores.shape(1)) - 1,
          single_root,
          num_threads};
}

/// Room for a matrix an item, a row of heads, or a number.
void expect_room(const trees::Batch& batch, const MatricesOut& matrices) {
  const std::int64_t size = batch.num_words + 1;
  expect_size("matrices", matrices, batch.num_items * size * size);
}
void expect_room(const trees::Batch& batch, const HeadsOut& heads) {
  expect_size("heads", heads, batch.num_items * (batch.num_words + 1));
}
void expect_room(const trees::Batch& batch, const Numbers& numbers) { expect_size("values", numbers, batch.num_items); }
template <class T>
void expect_room(const trees::Batch& batch, const std::optional<T>& array) {
  if (array) expect_room(batch, *array);
}

template <class Array>
auto* pointer(const Array& array) {
  return array.data();
}
double* pointer(const std::optional<MatricesOut>& array) { return array ? array->data() : nullptr; }

/// The function as Python calls it: with scores, which become a batch, and with arrays that have room for the results.
template <class... Outputs, class Result, class... Pointers>
auto on_batch(Result (*function)(const trees::Batch&, Pointers...)) {
  return [function](const Matrices& scores, const Lengths& lengths, bool single_root, int num_threads,
                    const Outputs&... outputs) {
    const auto batch = batch_of(scores, lengths, single_root, num_threads);
    (expect_room(batch, outputs), ...);
    const nb::gil_scoped_release release;
    return function(batch, pointer(outputs)...);
  };
}

void register_batch(nb::module_& m) {
  m.def("trees_max_arborescence", on_batch<HeadsOut, Numbers>(trees::batch_max_arborescence), "scores"_a,
        "lengths"_a.none(), "single_root"_a, "num_threads"_a, "heads"_a, "values"_a);
  m.def("trees_log_partition", on_batch<Numbers>(trees::batch_log_partition), "scores"_a, "lengths"_a.none(),
        "single_root"_a, "num_threads"_a, "log_z"_a);
  m.def("trees_marginals", on_batch<MatricesOut, std::optional<MatricesOut>, Numbers>(trees::batch_marginals),
        "scores"_a, "lengths"_a.none(), "single_root"_a, "num_threads"_a, "marginals"_a, "complements"_a.none(),
        "log_z"_a);
  m.def("trees_messages", on_batch<MatricesOut, Numbers>(trees::batch_messages), "scores"_a, "lengths"_a.none(),
        "single_root"_a, "num_threads"_a, "messages"_a, "log_z"_a);
  m.def(
      "trees_marginals_vjp",
      [](const Matrices& scores, const Matrices& directions, const Lengths& lengths, bool single_root, int num_threads,
         const MatricesOut& products) {
        const auto batch = batch_of(scores, lengths, single_root, num_threads);
        expect_room(batch, products);
        expect_size("directions", directions, static_cast<std::int64_t>(scores.size()));
        expect_numbers("directions", std::span(directions.data(), directions.size()));
        nb::gil_scoped_release release;
        return trees::batch_marginals_vjp(batch, directions.data(), products.data());
      },
      "scores"_a, "directions"_a, "lengths"_a.none(), "single_root"_a, "num_threads"_a, "products"_a);
  m.def("trees_max_marginals", on_batch<MatricesOut, std::optional<MatricesOut>, HeadsOut>(trees::batch_max_marginals),
        "scores"_a, "lengths"_a.none(), "single_root"_a, "num_threads"_a, "with_arc"_a, "without_arc"_a.none(),
        "heads"_a);
}

using Matrix = Array<const double, nb::ndim<2>>;
using Indices = Array<const std::int32_t, nb::ndim<1>>;
using Scores = Array<const double, nb::ndim<1>>;

/// Of a square matrix of numbers.
int words_of(const Matrix& scores) {
  expect(scores.shape(0) == scores.shape(1), "scores expect a square matrix.");
  expect_within("num_words", static_cast<std::int64_t>(scores.shape(0)) - 1, 1, kMostDenseWords);
  const std::size_t size = scores.shape(0);
  for (std::size_t h = 0; h < size; ++h) {
    for (std::size_t m = 1; m < size; ++m) {  // what stands in column 0 and on the diagonal is not read
      if (h != m) expect(!std::isnan(scores.data()[h * size + m]), "scores expect numbers; got NaN.");
    }
  }
  return static_cast<int>(size) - 1;
}

void register_single(nb::module_& m) {
  m.def(
      "trees_max_arborescence_of_arcs",
      [](const Indices& heads, const Indices& modifiers, const Scores& scores, int num_words, bool single_root,
         const Array<std::int32_t, nb::ndim<1>>& tree) {
        // Another thread may change the arrays during the call: what is checked is what is read.
        const std::vector<std::int32_t> from(heads.data(), heads.data() + heads.size());
        const std::vector<std::int32_t> to(modifiers.data(), modifiers.data() + modifiers.size());
        const std::vector<double> values(scores.data(), scores.data() + scores.size());
        expect_within("num_words", num_words, 1, std::numeric_limits<std::int32_t>::max() - 1);
        expect_size("modifiers", to.size(), from.size());
        expect_size("scores", values.size(), from.size());
        expect_numbers("scores", values);
        expect_within("heads", std::span(from), 0, num_words);
        expect_within("modifiers", std::span(to), 1, num_words);
        expect_size("tree", tree, std::int64_t{num_words} + 1);
        const trees::ArcListView arcs{from.data(), to.data(), values.data(), static_cast<std::int64_t>(values.size()),
                                      num_words};
        nb::gil_scoped_release release;
        trees::ArborescenceWorkspace workspace;
        return trees::max_arborescence(arcs, single_root, tree.data(), workspace);
      },
      "heads"_a, "modifiers"_a, "scores"_a, "num_words"_a, "single_root"_a, "tree"_a);
  m.def(
      "trees_k_best",
      [](const Matrix& scores, std::int64_t k, bool single_root) {
        const int num_words = words_of(scores);
        expect(k >= 1, "k expects at least 1.");
        std::vector<trees::RankedTree> ranked;
        {
          nb::gil_scoped_release release;
          trees::ArborescenceWorkspace workspace;
          ranked = trees::k_best(scores.data(), num_words, k, single_root, workspace);
        }
        const auto size = static_cast<std::size_t>(num_words + 1);
        auto* heads = new std::vector<std::int32_t>();
        const nb::capsule heads_owner(heads,
                                      [](void* p) noexcept { delete static_cast<std::vector<std::int32_t>*>(p); });
        auto* values = new std::vector<double>();
        const nb::capsule values_owner(values, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
        for (const auto& tree : ranked) {
          heads->insert(heads->end(), tree.heads.begin(), tree.heads.end());
          values->push_back(tree.value);
        }
        return std::pair(
            nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>(heads->data(), {ranked.size(), size}, heads_owner),
            nb::ndarray<nb::numpy, double, nb::ndim<1>>(values->data(), {ranked.size()}, values_owner));
      },
      "scores"_a, "k"_a, "single_root"_a);
  m.def(
      "trees_sample",
      [](const Matrix& scores, bool single_root, std::uint64_t seed, int num_threads, const HeadsOut& heads) {
        const int num_words = words_of(scores);
        expect_threads(num_threads);
        expect(heads.shape(1) == scores.shape(0), "heads expect a number a word and one for the root.");
        nb::gil_scoped_release release;
        return trees::sample(scores.data(), num_words, single_root, static_cast<std::int64_t>(heads.shape(0)), seed,
                             num_threads, heads.data());
      },
      "scores"_a, "single_root"_a, "seed"_a, "num_threads"_a, "heads"_a);
}

}  // namespace

void register_trees(nb::module_& m) {
  register_batch(m);
  register_single(m);
}

}  // namespace ramify::bindings
