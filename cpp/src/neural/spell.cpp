// From characters to a vector for each spelling.
#include <algorithm>
#include <functional>
#include <numeric>

#include "layers.hpp"
#include "ramify/numeric/parallel.hpp"

namespace ramify::neural {

namespace {

constexpr std::size_t kSpellings = 256;  // maximum number that run together

/// The states at which each direction ends: forward at the last character, backward at the first one.
void copy_ends(const Activations& states, const Sequence& sequence, std::size_t half, std::size_t to,
               Activations& out) {
  const auto first = static_cast<std::size_t>(sequence.begin);
  const std::size_t last = first + static_cast<std::size_t>(sequence.length) - 1;
  if (out.quantised()) {
    std::copy_n(states.bytes(last), half, out.bytes(to));
    std::copy_n(states.bytes(first) + half, half, out.bytes(to) + half);
  } else {
    std::copy_n(states.values(last), half, out.values(to));
    std::copy_n(states.values(first) + half, half, out.values(to) + half);
  }
}

}  // namespace

Activations Network::Layers::spell(const Batch& batch, int num_threads) const {
  if (!spelling) return {};
  const auto lengths = batch.spelling_lengths;
  std::vector<std::int32_t> begins(lengths.size() + 1);
  std::partial_sum(lengths.begin(), lengths.end(), begins.begin() + 1);
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t i) { return lengths[i]; });
  const std::size_t half = spelling->backward_column();
  Activations out(quantised, lengths.size(), 2 * half);
  if (quantised) out.set_unit_scale();
  const auto num_parts = static_cast<std::int64_t>((order.size() + kSpellings - 1) / kSpellings);
  numeric::parallel_for(num_parts, num_threads, [&](int, std::int64_t part) {
    const std::size_t first = static_cast<std::size_t>(part) * kSpellings;
    const auto some = std::span(order).subspan(first, std::min(kSpellings, order.size() - first));
    std::vector<Sequence> sequences;
    std::vector<std::int32_t> numbers;
    for (const std::size_t i : some) {
      sequences.push_back({static_cast<std::int32_t>(numbers.size()), lengths[i]});
      const auto characters = batch.characters.begin() + begins[i];
      numbers.insert(numbers.end(), characters, characters + lengths[i]);
    }
    const Activations states =
        spelling->run(std::span<const std::int32_t>(numbers), quantised, numbers.size(), sequences);
    for (std::size_t i = 0; i < some.size(); ++i) copy_ends(states, sequences[i], half, some[i], out);
  });
  return out;
}

}  // namespace ramify::neural
