#include "checks.hpp"

#include <exception>

#include "ramify/factors/types.hpp"

namespace nb = nanobind;

namespace ramify::bindings {

namespace {

void raise(const char* type, const char* message) {
  const nb::object error = nb::module_::import_("ramify.errors").attr(type);
  PyErr_SetString(error.ptr(), message);
}

}  // namespace

void expect_arcs(std::span<const std::int32_t> heads, std::span<const std::int32_t> modifiers, std::int32_t num_words) {
  expect_within("num_words", num_words, 0, kMostWords);
  expect_size("modifiers", modifiers.size(), heads.size());
  expect_within("heads", heads, 0, num_words);
  expect_within("modifiers", modifiers, 1, num_words);
  for (std::size_t a = 0; a < heads.size(); ++a)
    expect(heads[a] != modifiers[a], "An arc expects two different words.");
}

void register_errors() {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const InvalidInput& error) {
      raise("InvalidInputError", error.what());
    } catch (const factors::UnsupportedCapability& error) {
      raise("UnsupportedError", error.what());
    } catch (const std::invalid_argument& error) {
      raise("InvalidInputError", error.what());
    } catch (const std::length_error& error) {
      raise("InvalidInputError", error.what());
    } catch (const std::out_of_range& error) {
      raise("InvalidInputError", error.what());
    }
  });
}

}  // namespace ramify::bindings
