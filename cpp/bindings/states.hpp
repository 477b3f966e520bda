// States of what learns, as dictionaries of numpy arrays.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <variant>

#include "arrays.hpp"
#include "checks.hpp"
#include "ramify/learn/state.hpp"

namespace ramify::bindings {

/// As stubs show it.
class StateDict : public nb::dict {
  NB_OBJECT_DEFAULT(StateDict, nb::dict, "dict[str, numpy.typing.NDArray[typing.Any]]", PyDict_Check)
};

inline StateDict to_dict(const learn::State& state) {
  StateDict out;
  for (const auto& [name, array] : state.arrays()) {
    out[name.c_str()] = std::visit([](const auto& values) -> nb::object { return nb::cast(hand_over(values)); }, array);
  }
  return out;
}

/// What `self.save()` gives, which other threads of Python need not wait for.
template <class T>
StateDict save_state(const T& self) {
  learn::State state;
  {
    const nb::gil_scoped_release release;
    state = self.save();
  }
  return to_dict(state);
}

inline learn::State to_state(const StateDict& arrays) {
  learn::State state;
  for (const auto& [key, value] : arrays) {
    expect(nb::isinstance<nb::str>(key), "The state to go on from expects arrays with names.");
    const auto name = nb::cast<std::string>(key);
    const auto take = [&]<class T>(T) {
      In<T> array;
      if (!nb::try_cast<In<T>>(value, array, false)) return false;
      state.put(name, copy(array));
      return true;
    };
    const bool taken = take(std::uint64_t{}) || take(std::uint32_t{}) || take(float{}) || take(double{});
    if (!taken)
      throw InvalidInput("The state to go on from expects one-dimensional arrays as they were saved; '" + name +
                         "' is another.");
  }
  return state;
}

}  // namespace ramify::bindings
