// Independent items spread over threads; what each computes does not depend on how many there are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace ramify::numeric {

/// Calls body(worker, item) once for every item in [0, num_items); worker in [0, num_threads) owns its
/// scratch. If a body throws, no new items are started, and the caller gets the first exception.
template <class Body>
void parallel_for(std::int64_t num_items, int num_threads, const Body& body) {
  const int workers = static_cast<int>(std::min<std::int64_t>(num_threads, num_items));
  if (workers <= 1) {
    for (std::int64_t item = 0; item < num_items; ++item) body(0, item);
    return;
  }
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::once_flag failed;
  const auto work = [&](int worker) noexcept {
    try {
      for (std::int64_t item = next++; item < num_items; item = next++) body(worker, item);
    } catch (...) {
      std::call_once(failed, [&] { failure = std::current_exception(); });
      next = num_items;
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(workers));
  try {
    for (int worker = 1; worker < workers; ++worker) threads.emplace_back(work, worker);
  } catch (const std::system_error&) {
    // The system gives no more threads, so the existing ones do all the work.
  }
  work(0);
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ramify::numeric
