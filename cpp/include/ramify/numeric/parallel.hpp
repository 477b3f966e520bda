// Independent items spread over threads; what each computes does not depend on how many there are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace ramify::numeric {

/// Calls body(worker, item) once for every item in [0, num_items); worker in [0, num_threads) owns its
/// scratch. The body must not throw.
template <class Body>
void parallel_for(std::int64_t num_items, int num_threads, const Body& body) {
  const int workers = static_cast<int>(std::min<std::int64_t>(num_threads, num_items));
  if (workers <= 1) {
    for (std::int64_t item = 0; item < num_items; ++item) body(0, item);
    return;
  }
  std::atomic<std::int64_t> next{0};
  const auto work = [&](int worker) {
    for (std::int64_t item = next++; item < num_items; item = next++) body(worker, item);
  };
  std::vector<std::thread> threads;
  for (int worker = 1; worker < workers; ++worker) threads.emplace_back(work, worker);
  work(0);
  for (auto& thread : threads) thread.join();
}

}  // namespace ramify::numeric
