// One register function per layer; module.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

namespace ramify::bindings {

void register_data(nanobind::module_& m);
void register_trees(nanobind::module_& m);
void register_projective(nanobind::module_& m);
void register_factors(nanobind::module_& m);
void register_graph(nanobind::module_& m);
void register_programs(nanobind::module_& m);
void register_inference_ad3(nanobind::module_& parent);
void register_inference_bp(nanobind::module_& m);
void register_learn(nanobind::module_& parent);
void register_parsing(nanobind::module_& parent);
void register_segmentation(nanobind::module_& parent);
void register_tagging(nanobind::module_& parent);

}  // namespace ramify::bindings
