#include "ramify/trees/projective.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <vector>

#include "bindings.hpp"
#include "checks.hpp"
#include "members.hpp"
#include "ramify/numeric/semiring.hpp"
#include "ramify/trees/projectivity.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ramify::bindings {
namespace {

using trees::ProjectiveBatch;
using trees::ProjectiveOrder;

// Tables arrive flat, (sentences, parts): how many axes they have is the Python side's business.
using Parts = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Lengths = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, T>;

template <class T>
struct Output {
  T* data;
  Array<T> array;
};

template <class T>
Output<T> make_array(std::initializer_list<std::size_t> shape, T fill) {
  std::size_t size = 1;
  for (const std::size_t s : shape) {
    constexpr std::size_t kMost = std::size_t{1} << 40;
    if (s != 0 && size > kMost / s) throw std::bad_alloc();
    size *= s;
  }
  T* data = new T[std::max<std::size_t>(size, 1)];
  std::fill(data, data + size, fill);
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return {data, Array<T>(data, shape, owner)};
}

/// The arguments that every function takes, in this order.
struct Request {
  std::vector<std::int32_t> own_lengths;  // a copy, as other threads may change the array
  std::vector<double> own_parts;          // a copy where something is forbidden that the caller has no number for
  ProjectiveBatch batch;
  std::size_t count, num_parts, stride;

  Request(ProjectiveOrder order, const Parts& parts, const Lengths& lengths, int stride_, bool single_root,
          int num_threads)
      : own_lengths(lengths.data(), lengths.data() + lengths.shape(0)),
        batch{order, single_root, stride_, own_lengths, parts.data(), num_threads},
        count(parts.shape(0)),
        num_parts(parts.shape(1)),
        stride(static_cast<std::size_t>(stride_)) {
    expect_within("stride", stride_, 1, 1 << 15);
    expect_threads(num_threads);
    expect_size("lengths", own_lengths.size(), count);
    expect_size("parts of a sentence", num_parts, trees::num_projective_parts(order, stride));
    expect_within("lengths", batch.lengths, 0, stride_ - 1);
    forbid_what_is_no_score(parts);
  }
  Request(const Request&) = delete;  // the batch looks at the lengths here
  Request& operator=(const Request&) = delete;

 private:
  /// Python refuses NaN and +inf where they count. Comparisons with NaN would have no best item to go back to.
  void forbid_what_is_no_score(const Parts& parts) {
    const auto is_no_score = [](double score) { return !(score < std::numeric_limits<double>::infinity()); };
    const std::span<const double> all(parts.data(), parts.size());
    if (std::ranges::none_of(all, is_no_score)) return;
    own_parts.assign(all.begin(), all.end());
    std::ranges::replace_if(own_parts, is_no_score, numeric::kForbidden);
    batch.parts = own_parts.data();
  }
};

/// One number for every sentence, written by `compute`.
template <class Compute>
Array<double> numbers_of(const Request& r, Compute compute) {
  auto result = make_array<double>({r.count}, 0.0);
  {
    const nb::gil_scoped_release release;
    compute(result.data);
  }
  return result.array;
}

Array<double> log_partition(ProjectiveOrder order, Parts parts, Lengths lengths, int stride, bool single_root,
                            int num_threads) {
  const Request r(order, parts, lengths, stride, single_root, num_threads);
  return numbers_of(r, [&](double* out) { trees::log_partition(r.batch, out); });
}

std::pair<Array<std::int32_t>, Array<double>> best_trees(ProjectiveOrder order, Parts parts, Lengths lengths,
                                                         int stride, bool single_root, int num_threads) {
  const Request r(order, parts, lengths, stride, single_root, num_threads);
  auto heads = make_array<std::int32_t>({r.count, r.stride}, -1);
  auto values = make_array<double>({r.count}, 0.0);
  {
    const nb::gil_scoped_release release;
    trees::best_trees(r.batch, heads.data, values.data);
  }
  return {heads.array, values.array};
}

std::pair<Array<double>, Array<double>> marginals(ProjectiveOrder order, Parts parts, Lengths lengths, int stride,
                                                  bool single_root, int num_threads) {
  const Request r(order, parts, lengths, stride, single_root, num_threads);
  auto mu = make_array<double>({r.count, r.num_parts}, 0.0);
  auto log_z = make_array<double>({r.count}, 0.0);
  {
    const nb::gil_scoped_release release;
    trees::marginals(r.batch, mu.data, log_z.data);
  }
  return {mu.array, log_z.array};
}

Array<double> marginals_vjp(ProjectiveOrder order, Parts parts, Lengths lengths, int stride, bool single_root,
                            int num_threads, Parts direction) {
  const Request r(order, parts, lengths, stride, single_root, num_threads);
  expect(direction.shape(0) == r.count && direction.shape(1) == r.num_parts, "direction expects the shape of parts.");
  auto grad = make_array<double>({r.count, r.num_parts}, 0.0);
  {
    const nb::gil_scoped_release release;
    trees::marginals_vjp(r.batch, direction.data(), grad.data);
  }
  return grad.array;
}

std::pair<Array<double>, Array<double>> max_marginals(ProjectiveOrder order, Parts parts, Lengths lengths, int stride,
                                                      bool single_root, int num_threads) {
  const Request r(order, parts, lengths, stride, single_root, num_threads);
  auto best_with = make_array<double>({r.count, r.num_parts}, numeric::kForbidden);
  auto best = make_array<double>({r.count}, 0.0);
  {
    const nb::gil_scoped_release release;
    trees::max_marginals(r.batch, best_with.data, best.data);
  }
  return {best_with.array, best.array};
}

Array<double> entropy(ProjectiveOrder order, Parts parts, Lengths lengths, int stride, bool single_root,
                      int num_threads) {
  const Request r(order, parts, lengths, stride, single_root, num_threads);
  return numbers_of(r, [&](double* out) { trees::entropies(r.batch, out); });
}

Array<double> kl_divergence(ProjectiveOrder order, Parts parts, Lengths lengths, int stride, bool single_root,
                            int num_threads, Parts other) {
  const Request r(order, parts, lengths, stride, single_root, num_threads);
  expect(other.shape(0) == r.count && other.shape(1) == r.num_parts, "other expects the shape of parts.");
  return numbers_of(r, [&](double* out) { trees::kl_divergences(r.batch, other.data(), out); });
}

std::pair<Array<std::int32_t>, Array<double>> sample(ProjectiveOrder order, Parts parts, Lengths lengths, int stride,
                                                     bool single_root, int num_threads, std::uint64_t seed,
                                                     std::size_t num_samples) {
  const Request r(order, parts, lengths, stride, single_root, num_threads);
  auto heads = make_array<std::int32_t>({r.count, num_samples, r.stride}, -1);
  auto log_z = make_array<double>({r.count}, 0.0);
  {
    const nb::gil_scoped_release release;
    trees::sample(r.batch, seed, num_samples, heads.data, log_z.data);
  }
  return {heads.array, log_z.array};
}

std::pair<Array<std::int32_t>, Array<double>> k_best(ProjectiveOrder order, Parts parts, Lengths lengths, int stride,
                                                     bool single_root, int num_threads, std::size_t k) {
  const Request r(order, parts, lengths, stride, single_root, num_threads);
  expect(k >= 1, "k expects at least 1.");
  auto heads = make_array<std::int32_t>({r.count, k, r.stride}, -1);
  auto values = make_array<double>({r.count, k}, 0.0);
  {
    const nb::gil_scoped_release release;
    trees::k_best(r.batch, k, heads.data, values.data);
  }
  return {heads.array, values.array};
}

trees::Heads view(const Lengths& heads) { return {heads.data(), heads.shape(0)}; }

/// Heads that are a tree: what walks up from a word must arrive at the root.
trees::Heads tree_of(const Lengths& heads) {
  expect(trees::is_tree(view(heads), false), "heads expect a tree, every word reaching the root 0.");
  return view(heads);
}

template <void (*mark)(trees::Heads, std::uint8_t*)>
Array<std::uint8_t> mark_arcs(Lengths heads) {
  const trees::Heads tree = tree_of(heads);
  auto mask = make_array<std::uint8_t>({heads.shape(0)}, 0);
  mark(tree, mask.data);
  return mask.array;
}

std::pair<Array<std::int32_t>, int> projectivize(Lengths heads) {
  tree_of(heads);
  auto lifted = make_array<std::int32_t>({heads.shape(0)}, 0);
  std::copy_n(heads.data(), heads.shape(0), lifted.data);
  const int lifts = trees::projectivize({lifted.data, heads.shape(0)});
  return {lifted.array, lifts};
}

void register_projectivity(nb::module_& m) {
  m.def(
      "is_tree", [](Lengths heads, bool single_root) { return trees::is_tree(view(heads), single_root); }, "heads"_a,
      "single_root"_a);
  m.def("nonprojective_arcs", &mark_arcs<trees::nonprojective_arcs>, "heads"_a);
  m.def("crossing_arcs", &mark_arcs<trees::crossing_arcs>, "heads"_a);
  m.def("gap_degree", [](Lengths heads) { return trees::gap_degree(tree_of(heads)); }, "heads"_a);
  m.def("projectivize", &projectivize, "heads"_a);
}

}  // namespace

void register_projective(nb::module_& m) {
  add_enum<ProjectiveOrder>(m, "ProjectiveOrder", "ARC", ProjectiveOrder::kArc, "SIBLING", ProjectiveOrder::kSibling,
                            "GRAND", ProjectiveOrder::kGrand, "GRAND_SIBLING", ProjectiveOrder::kGrandSibling,
                            "TRI_SIBLING", ProjectiveOrder::kTriSibling);

  const auto def = [&m](const char* name, auto function, auto... more) {
    m.def(name, function, "order"_a, "parts"_a, "lengths"_a, "stride"_a, "single_root"_a, "num_threads"_a, more...);
  };
  def("projective_log_partition", &log_partition);
  def("projective_best_trees", &best_trees);
  def("projective_marginals", &marginals);
  def("projective_marginals_vjp", &marginals_vjp, "direction"_a);
  def("projective_max_marginals", &max_marginals);
  def("projective_entropy", &entropy);
  def("projective_kl_divergence", &kl_divergence, "other"_a);
  def("projective_sample", &sample, "seed"_a, "num_samples"_a);
  def("projective_k_best", &k_best, "k"_a);
  register_projectivity(m);
}

}  // namespace ramify::bindings
