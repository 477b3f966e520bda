// What Python may read of an engine's record or enumeration, listed by names and members.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <tuple>
#include <utility>

#include "arrays.hpp"

namespace ramify::bindings {

/// Calls `add` with each name and the member after it.
template <class Add, class... Given>
void in_pairs(const Add& add, const std::tuple<Given...>& given) {
  [&]<std::size_t... kAt>(std::index_sequence<kAt...>) {
    (add(std::get<2 * kAt>(given), std::get<(2 * kAt) + 1>(given)), ...);
  }(std::make_index_sequence<sizeof...(Given) / 2>());
}

/// `given` has names and values in turn.
template <class Enum, class... Given>
void add_enum(nb::handle scope, const char* name, Given... given) {
  nb::enum_<Enum> python(scope, name);
  in_pairs([&python](const char* word, Enum value) { python.value(word, value); }, std::tuple(given...));
}

/// Names and members in turn. Members become attributes; if they are copied, vectors become methods that give arrays.
template <bool kCopied, class... Given>
class Members : public nb::def_visitor<Members<kCopied, Given...>> {
 public:
  explicit constexpr Members(Given... given) : given_(given...) {}

  template <class Record, class... Extra>
  void execute(nb::class_<Record>& python, const Extra&... /*extra*/) {
    const auto add = [&python](const char* name, auto member) {
      if constexpr (kCopied) {
        python.def(name, [member](const Record& self) { return hand_over(self.*member); });
      } else {
        python.def_ro(name, member);
      }
    };
    in_pairs(add, given_);
  }

 private:
  std::tuple<Given...> given_;
};

template <class... Given>
Members<false, Given...> fields(Given... given) {
  return Members<false, Given...>(given...);
}

template <class... Given>
Members<true, Given...> arrays(Given... given) {
  return Members<true, Given...>(given...);
}

}  // namespace ramify::bindings
