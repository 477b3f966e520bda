#include "ramify/parsing/network_scores.hpp"

#include <algorithm>
#include <cmath>

#include "ramify/numeric/index.hpp"

namespace ramify::parsing {

double NetworkScores::arc(std::int32_t head, std::int32_t modifier) const {
  return static_cast<double>(output_.arc(at(head), at(modifier)));
}

double NetworkScores::score(PartKind kind, const Roles& roles) const {
  switch (kind) {
    case PartKind::kArc:
      return arc(roles[0], roles[1]);
    case PartKind::kAnySibling:
      return static_cast<double>(output_.sibling(at(roles[0]), at(roles[1]), at(roles[2])));
    case PartKind::kGrand:
      return static_cast<double>(output_.grandparent_score(at(roles[0]), at(roles[1]), at(roles[2])));
    default:
      return 0.0;
  }
}

std::vector<float> NetworkScores::labels(std::span<const std::int32_t> heads,
                                         std::span<const std::int32_t> modifiers) const {
  const std::size_t num_labels = network_.num_labels();
  std::vector<float> scores(heads.size() * num_labels);
  network_.label_scores(output_, heads, modifiers, scores);
  for (std::size_t a = 0; a < heads.size(); ++a) {
    const std::span<float> row(scores.data() + a * num_labels, num_labels);
    const float best = std::ranges::max(row);
    float total = 0.0F;
    for (const float s : row) total += std::exp(s - best);
    const float log_total = best + std::log(total);
    for (float& s : row) s -= log_total;
  }
  return scores;
}

double NetworkScores::label(const Part& part) const {
  return static_cast<double>(labels({part.roles.data(), 1}, {part.roles.data() + 1, 1})[at(part.label)]);
}

}  // namespace ramify::parsing
