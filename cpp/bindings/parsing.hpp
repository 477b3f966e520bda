// What the files that bind the parser have of each other.
#pragma once

#include <nanobind/nanobind.h>

#include "ramify/parsing/model.hpp"

namespace ramify::bindings {

namespace nb = nanobind;

/// What the network of a model says of a sentence, if it has one.
void expect_output(const parsing::ParserModel& model, const data::Sentence& sentence, const neural::Output* output);
void register_part_kinds(nb::module_& m);
/// Methods of a model about the parts of given trees.
void define_parts(nb::class_<parsing::ParserModel>& model);
void register_results(nb::module_& m);

}  // namespace ramify::bindings
