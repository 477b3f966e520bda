// One call at a time on an object that calls change, whatever threads they come from.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "checks.hpp"

namespace ramify::bindings {

/// Whose turn it is; part of the object.
class Turn {
  friend class Working;
  std::mutex mutex_;
  std::atomic<std::thread::id> worker_;
};

/// Lasts as long as the call works on the object. Python's lock is released first: who waits for the object must not
/// keep it from who works, and may need it for a factor that is written in Python.
class Working {
 public:
  explicit Working(Turn& turn) : turn_(turn) {
    if (turn.worker_ == std::this_thread::get_id()) {
      throw InvalidInput("This object is at work; a factor written in Python cannot use it meanwhile.");
    }
    turn_.mutex_.lock();
    turn_.worker_ = std::this_thread::get_id();
  }
  ~Working() {
    turn_.worker_ = std::thread::id();
    turn_.mutex_.unlock();
  }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  nanobind::gil_scoped_release release_;
  Turn& turn_;
};

}  // namespace ramify::bindings
