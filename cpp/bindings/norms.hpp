// What a table knows of its templates, as arrays.
#pragma once

#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "ramify/learn/template_scales.hpp"

namespace ramify::bindings {

/// Numbers of weights other than 0, and sums of their squares, by template.
inline std::tuple<Out<std::uint64_t>, Out<double>> norm_arrays(const std::vector<learn::TemplateNorm>& norms) {
  std::vector<std::uint64_t> counts;
  std::vector<double> squares;
  for (const learn::TemplateNorm& norm : norms) {
    counts.push_back(norm.count);
    squares.push_back(norm.squares);
  }
  return {hand_over(std::move(counts)), hand_over(std::move(squares))};
}

}  // namespace ramify::bindings
