// One register function per layer; module.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

namespace ramify::bindings {

using Register = void(nanobind::module_&);

Register register_data, register_trees, register_projective, register_factors, register_graph, register_programs,
    register_inference_ad3, register_inference_bp, register_learn, register_parsing, register_segmentation,
    register_tagging, register_neural, register_summarization;

}  // namespace ramify::bindings
