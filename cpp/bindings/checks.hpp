// What a caller of Python may get wrong is checked here, where it crosses into C++: the engine trusts what it is given.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ramify::bindings {

/// Becomes ramify.errors.InvalidInputError.
class InvalidInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Makes Python see the exceptions of the engine as those of ramify.errors.
void register_errors();

inline void expect(bool holds, const char* message) {
  if (!holds) throw InvalidInput(message);
}

/// Message: "NAME expects N numbers; got M."
inline void expect_size(const char* name, std::size_t got, std::size_t expected) {
  if (got == expected) return;
  throw InvalidInput(std::string(name) + " expects " + std::to_string(expected) + " numbers; got " +
                     std::to_string(got) + ".");
}

template <class T, class... Config>
void expect_size(const char* name, const nanobind::ndarray<T, Config...>& array, std::int64_t expected) {
  expect_size(name, array.size(), static_cast<std::size_t>(expected));
}

/// Where none may be given, or one for each.
template <class T, class... Config>
void expect_size_or_none(const char* name, const nanobind::ndarray<T, Config...>& array, std::int64_t expected) {
  if (array.size() > 0) expect_size(name, array, expected);
}

/// All of them from low to high, both allowed.
template <std::integral T>
void expect_within(const char* name, std::span<const T> values, std::int64_t low, std::int64_t high) {
  for (const T value : values) {
    if (std::cmp_greater_equal(value, low) && std::cmp_less_equal(value, high)) continue;
    throw InvalidInput(std::string(name) + " expects numbers from " + std::to_string(low) + " to " +
                       std::to_string(high) + "; got " + std::to_string(value) + ".");
  }
}

inline void expect_within(const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
  expect_within<std::int64_t>(name, std::span(&value, 1), low, high);
}

/// NaN breaks every comparison, and with it whatever sorts.
inline void expect_numbers(const char* name, std::span<const double> values) {
  for (const double value : values) {
    if (std::isnan(value)) throw InvalidInput(std::string(name) + " expects numbers; got NaN.");
  }
}

/// Numbers of the size that is expected, none of them NaN.
template <class... Config>
void expect_numbers(const char* name, const nanobind::ndarray<const double, Config...>& array, std::int64_t expected) {
  expect_size(name, array, expected);
  expect_numbers(name, std::span(array.data(), array.size()));
}

/// Weights of a model.
inline void expect_finite(const char* name, std::span<const float> values) {
  for (const float value : values) {
    if (!std::isfinite(value)) throw InvalidInput(std::string(name) + " expects finite numbers; got another.");
  }
}

/// A list of objects comes with null where Python has None.
template <class T>
void expect_objects(const char* name, const std::vector<T*>& objects) {
  for (const T* object : objects) {
    if (object == nullptr) throw InvalidInput(std::string(name) + " expects objects; got None among them.");
  }
}

/// Most words of a sentence whose arcs stand in a matrix: two gigabytes of scores.
inline constexpr std::int32_t kMostWords = 16383;

/// Arcs from heads 0 … num_words to other words.
void expect_arcs(std::span<const std::int32_t> heads, std::span<const std::int32_t> modifiers, std::int32_t num_words);

/// Threads that a call may start; more than there are items are never started.
inline void expect_threads(int num_threads) { expect_within("num_threads", num_threads, 1, 4096); }

}  // namespace ramify::bindings
