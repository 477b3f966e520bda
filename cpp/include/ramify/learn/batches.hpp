// The loop that all training is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "ramify/numeric/index.hpp"
#include "ramify/numeric/parallel.hpp"

namespace ramify::learn {

/// The examples of a batch are looked at in parallel, under the same weights: look(worker, example, update) fills what
/// the example teaches, which may hold that of an earlier one. Then learn(example, update) is called for each of them
/// in order, and end_batch() once, so that the number of threads changes nothing.
template <class Update, class Look, class Learn, class EndBatch>
void run_batches(std::span<const std::int64_t> order, std::int64_t batch, int num_threads, const Look& look,
                 const Learn& learn, const EndBatch& end_batch) {
  std::vector<Update> updates(std::min(at(batch), order.size()));
  for (std::size_t begin = 0; begin < order.size(); begin += at(batch)) {
    const auto examples = order.subspan(begin, std::min(at(batch), order.size() - begin));
    numeric::parallel_for(static_cast<std::int64_t>(examples.size()), num_threads,
                          [&](int worker, auto i) { look(worker, examples[at(i)], updates[at(i)]); });
    for (std::size_t i = 0; i < examples.size(); ++i) learn(examples[i], updates[i]);
    end_batch();
  }
}

}  // namespace ramify::learn
