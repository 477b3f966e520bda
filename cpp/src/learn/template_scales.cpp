#include "ramify/learn/template_scales.hpp"

#include <algorithm>

namespace ramify::learn {

void TemplateScales::shrink(std::size_t m, double factor, double time) {
  const double before = scales_[m];
  scales_[m] *= factor;
  offsets_[m] += (before - scales_[m]) * time;
  if (scales_[m] == 0.0) has_dead_ = true;
  if (tiny(m)) has_tiny_ = true;
}

void TemplateScales::multiply_in(std::size_t m, const WeightCell& cell, double time) const {
  const auto before = static_cast<double>(*cell.weight);
  *cell.weight = static_cast<float>(before * scales_[m]);
  if (cell.total == nullptr) return;
  *cell.total += static_cast<float>((static_cast<double>(*cell.weight) - before) * sum(m, time));
}

void TemplateScales::rescaled(double time) {
  for (std::size_t m = 0; m < scales_.size(); ++m) {
    if (!tiny(m)) continue;
    squares_[m] = squares(m);
    offsets_[m] = sum(m, time) - time;
    scales_[m] = 1.0;
  }
  has_tiny_ = false;
}

void TemplateScales::forgotten(std::size_t m, float theta) {
  --counts_[m];
  squares_[m] -= static_cast<double>(theta) * static_cast<double>(theta);
}

void TemplateScales::all_forgotten() {
  for (std::size_t m = 0; m < scales_.size(); ++m) {
    if (counts_[m] == 0 || squares_[m] < 0.0) squares_[m] = 0.0;
    if (!dead(m)) continue;
    scales_[m] = 1.0;
    offsets_[m] = 0.0;
  }
  has_dead_ = false;
}

void TemplateScales::save(State& state) const {
  state.put("scales", scales_);
  state.put("scale-offsets", offsets_);
  state.put("scale-squares", squares_);
  state.put("scale-counts", counts_);
  state.put("scale-most", most_);
}

void TemplateScales::restore(const State& state) {
  const auto& scales = state.get<double>("scales", kMostTemplates);
  if (!std::ranges::all_of(scales, [](double scale) { return scale > 0.0; })) {
    throw std::invalid_argument("The state to go on from expects scales above 0.");
  }
  offsets_ = state.get<double>("scale-offsets", kMostTemplates);
  squares_ = state.get<double>("scale-squares", kMostTemplates);
  counts_ = state.get<std::uint64_t>("scale-counts", kMostTemplates);
  most_ = state.get<std::uint64_t>("scale-most", kMostTemplates);
  scales_ = scales;
  has_dead_ = false;
  has_tiny_ = std::ranges::any_of(scales_, [](double scale) { return scale < kTiny; });
}

}  // namespace ramify::learn
