#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "ramify/neural/instructions.hpp"
#include "ramify/neural/network.hpp"

using namespace nanobind::literals;

namespace ramify::bindings {
namespace {

using namespace ramify::neural;

template <class T>
using Any = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
using Arrays = nb::typed<nb::dict, nb::str, nb::object>;
using Matrix = nb::ndarray<nb::numpy, const float, nb::ndim<2>>;

/// The array and its shape; `name` is what errors say.
template <class T>
std::span<const T> cells(const std::string& name, nb::handle array, std::vector<std::size_t>& shape) {
  Any<T> numbers;
  if (!nb::try_cast(array, numbers)) throw InvalidInput(name + " expects a contiguous array of floats or bytes.");
  shape.assign(numbers.shape_ptr(), numbers.shape_ptr() + numbers.ndim());
  return {numbers.data(), numbers.size()};
}

bool take_ending(std::string& name, std::string_view ending) {
  if (!name.ends_with(ending)) return false;
  name.resize(name.size() - ending.size());
  return true;
}

/// A matrix X is an array X, or two: X.q with bytes, and X.scale with the scales.
Tensors tensors_of(const Arrays& arrays) {
  Tensors tensors;
  std::map<std::string, std::vector<std::size_t>> shapes;  // of scales
  for (const auto& [key, array] : arrays) {
    const auto full = nb::cast<std::string>(key);
    std::string name = full;
    std::vector<std::size_t> shape;
    if (take_ending(name, ".q")) {
      tensors[name].codes = cells<std::int8_t>(full, array, shape);
      tensors[name].shape = shape;
    } else if (take_ending(name, ".scale")) {
      tensors[name].scales = cells<float>(full, array, shape);
      expect_finite(full.c_str(), tensors[name].scales);
      shapes[name] = shape;
    } else {
      tensors[name].values = cells<float>(full, array, shape);
      expect_finite(full.c_str(), tensors[name].values);
      tensors[name].shape = shape;
    }
  }
  for (auto& [name, tensor] : tensors) {
    if (tensor.codes.empty() && tensor.scales.empty()) continue;
    const std::vector<std::size_t>& shape = tensor.shape;
    auto by_row = shape, by_column = shape;
    if (shape.size() > 1) by_row.back() = by_column.front() = 1;
    tensor.scaled_by_first_axis = shapes[name] != by_row;
    if (shape.size() < 2 || (shapes[name] != by_row && shapes[name] != by_column)) {
      throw InvalidInput(name + " expects bytes, and a scale for each row or for each column.");
    }
  }
  return tensors;
}

/// A view of an output's numbers, which keeps the output alive.
nb::object view_of(nb::handle self, const std::vector<float>& values, std::size_t width) {
  if (width == 0) return nb::none();
  return nb::cast(Matrix(values.data(), {values.size() / width, width}, self));
}

template <auto kMember>
nb::object vectors(nb::handle self) {
  const Vectors& found = nb::cast<const Output&>(self).*kMember;
  return view_of(self, found.values, found.width);
}

Batch batch_of(const In<std::int32_t>& lengths, const In<std::int32_t>& words,
               const nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& tags,
               const In<std::int32_t>& forms, const In<std::int32_t>& characters,
               const In<std::int32_t>& spelling_lengths) {
  expect_size("axis 0 of tags", tags.shape(0), 3);
  const std::size_t columns = tags.shape(1);
  Batch batch{view(lengths), view(words), {}, view(forms), view(characters), view(spelling_lengths)};
  for (std::size_t k = 0; k < 3; ++k) batch.tags[k] = {tags.data() + k * columns, columns};
  return batch;
}

}  // namespace

void register_neural(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("neural", "Networks that score parts.");
  m.def("available_instructions", &available_instructions);
  m.def("use_instructions", [](const std::string& name) { use_instructions(name); }, "name"_a);
  nb::class_<Output>(m, "Output")
      .def_ro("num_tokens", &Output::num_tokens)
      .def_prop_ro("arcs",
                   [](nb::handle self) {
                     const auto& output = nb::cast<const Output&>(self);
                     return view_of(self, output.arcs, output.num_tokens);
                   })
      .def_prop_ro("label_heads", vectors<&Output::label_heads>)
      .def_prop_ro("label_modifiers", vectors<&Output::label_modifiers>)
      .def_prop_ro("siblings",
                   [](nb::handle self) -> nb::object {
                     if (nb::cast<const Output&>(self).head.width == 0) return nb::none();
                     return nb::make_tuple(vectors<&Output::head>(self), vectors<&Output::modifier>(self),
                                           vectors<&Output::modifier>(self));
                   })
      .def_prop_ro("grandparents",
                   [](nb::handle self) -> nb::object {
                     if (nb::cast<const Output&>(self).head.width == 0) return nb::none();
                     return nb::make_tuple(vectors<&Output::grandparent>(self), vectors<&Output::middle>(self),
                                           vectors<&Output::low>(self));
                   })
      .def_prop_ro("tags", [](nb::handle self) -> nb::object {
        const auto& tags = nb::cast<const Output&>(self).tags;
        if (tags[0].width == 0) return nb::none();
        return nb::make_tuple(view_of(self, tags[0].values, tags[0].width),
                              view_of(self, tags[1].values, tags[1].width),
                              view_of(self, tags[2].values, tags[2].width));
      });
  nb::class_<Network>(m, "Network")
      .def(
          "__init__", [](Network* self, const Arrays& arrays) { new (self) Network(tensors_of(arrays)); }, "arrays"_a)
      .def(
          "run",
          [](const Network& self, const In<std::int32_t>& lengths, const In<std::int32_t>& words,
             const nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& tags,
             const In<std::int32_t>& forms, const In<std::int32_t>& characters,
             const In<std::int32_t>& spelling_lengths, int num_threads) {
            expect_threads(num_threads);
            const Batch batch = batch_of(lengths, words, tags, forms, characters, spelling_lengths);
            const nb::gil_scoped_release release;
            return self.run(batch, num_threads);
          },
          "lengths"_a, "words"_a, "tags"_a, "forms"_a, "characters"_a, "spelling_lengths"_a, "num_threads"_a)
      .def(
          "label_scores",
          [](const Network& self, const Output& output, const In<std::int32_t>& heads,
             const In<std::int32_t>& modifiers) {
            std::vector<float> scores(heads.size() * self.num_labels());
            {
              const nb::gil_scoped_release release;
              self.label_scores(output, view(heads), view(modifiers), scores);
            }
            auto* owned = new std::vector<float>(std::move(scores));
            nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<float>*>(p); });
            return nb::ndarray<nb::numpy, float, nb::ndim<2>>(owned->data(), {heads.size(), self.num_labels()}, owner);
          },
          "output"_a, "heads"_a, "modifiers"_a)
      .def_prop_ro("num_labels", &Network::num_labels)
      .def_prop_ro("num_words", &Network::num_words)
      .def_prop_ro("num_characters", &Network::num_characters)
      .def_prop_ro("num_tags", &Network::num_tags)
      .def_prop_ro("reads_tags", &Network::reads_tags)
      .def_prop_ro("predicts_tags", &Network::predicts_tags)
      .def_prop_ro("rank", &Network::rank)
      .def_prop_ro("quantised", &Network::quantised);
}

}  // namespace ramify::bindings
