#include "local_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ramify/numeric/index.hpp"

namespace ramify::inference {

namespace {

using factors::kForbidden;

constexpr double kGain = 1e-10;  // less is rounding, and could go round in circles
constexpr std::size_t kMostSteps = 5000;

}  // namespace

LocalSearch::LocalSearch(const TableModel& model)
    : model_(model), uses_(at(model.num_variables())), neighbours_(at(model.num_variables())) {
  for (std::size_t t = 0; t < model.tables.size(); ++t) {
    const ModelTable& table = model.tables[t];
    std::vector<std::int32_t> strides(table.variables.size(), 1);
    for (std::size_t a = strides.size(); a-- > 1;) strides[a - 1] = strides[a] * table.num_classes[a];
    strides_.push_back(std::move(strides));
    for (std::size_t a = 0; a < table.variables.size(); ++a) {
      const auto v = at(table.variables[a]);
      uses_[v].push_back({static_cast<std::int32_t>(t), static_cast<std::int32_t>(a)});
      for (const std::int32_t other : table.variables) {
        if (at(other) != v) neighbours_[v].push_back(other);
      }
    }
  }
}

double LocalSearch::value_of(const std::vector<std::int32_t>& states) const {
  double total = 0.0;
  for (std::size_t v = 0; v < states.size(); ++v) total += model_.unary[v][at(states[v])];
  for (std::size_t t = 0; t < model_.tables.size(); ++t) {
    const ModelTable& table = model_.tables[t];
    std::int32_t cell = 0;
    for (std::size_t a = 0; a < table.variables.size(); ++a) {
      cell += strides_[t][a] * table.classes[a][at(states[at(table.variables[a])])];
    }
    total += table.values[at(cell)];
  }
  return total == kForbidden || !model_.allows(states) ? kForbidden : total;
}

/// The value's terms that have the variable, for each of its states.
void LocalSearch::score_states(const std::vector<std::int32_t>& states, Index v, std::vector<double>& out) const {
  out = model_.unary[at(v)];
  for (const Use use : uses_[at(v)]) {
    const ModelTable& table = model_.tables[at(use.table)];
    const std::vector<std::int32_t>& strides = strides_[at(use.table)];
    std::int32_t cell = 0;
    for (std::size_t a = 0; a < strides.size(); ++a) {
      if (static_cast<std::int32_t>(a) != use.axis) {
        cell += strides[a] * table.classes[a][at(states[at(table.variables[a])])];
      }
    }
    const std::int32_t stride = strides[at(use.axis)];
    const std::vector<std::int32_t>& classes = table.classes[at(use.axis)];
    for (std::size_t x = 0; x < out.size(); ++x) out[x] += table.values[at(cell + stride * classes[x])];
  }
}

double LocalSearch::climb(std::vector<std::int32_t>& states) const {
  std::vector<std::int32_t> queue(states.size());
  std::iota(queue.begin(), queue.end(), 0);
  return climb_from(states, std::move(queue));
}

double LocalSearch::climb_from(std::vector<std::int32_t>& states, std::vector<std::int32_t> queue) const {
  std::vector<std::uint8_t> waits(states.size(), 0);
  for (const std::int32_t v : queue) waits[at(v)] = 1;
  std::vector<double> scores;
  double gained = 0.0;
  const std::size_t most = queue.size() + kMostSteps;
  for (std::size_t i = 0; i < queue.size() && i < most; ++i) {
    const auto v = at(queue[i]);
    waits[v] = 0;
    score_states(states, queue[i], scores);
    const std::int32_t old = states[v];
    const double now = scores[at(old)];
    while (true) {  // the best state that the side conditions allow
      const auto best = std::ranges::max_element(scores) - scores.begin();
      const double gain = scores[at(best)] - now;
      if (!(gain > kGain)) break;
      states[v] = static_cast<std::int32_t>(best);
      if (!model_.has_sides || model_.allows(states)) {
        gained += gain;
        break;
      }
      states[v] = old;
      scores[at(best)] = kForbidden;
    }
    if (states[v] == old) continue;
    for (const std::int32_t other : neighbours_[v]) {
      if (waits[at(other)] != 0) continue;
      waits[at(other)] = 1;
      queue.push_back(other);
    }
  }
  return gained;
}

/// New states for a few variables; block gets them. Returns the change of the value.
double LocalSearch::disturb(std::vector<std::int32_t>& states, std::vector<std::int32_t>& block,
                            numeric::Random& random) const {
  constexpr std::uint64_t kLargestBlock = 6;
  block.assign(1, static_cast<std::int32_t>(random.next() % states.size()));
  const std::uint64_t size = 2 + random.next() % kLargestBlock;
  while (block.size() < size) {
    const auto& around = neighbours_[at(block[random.next() % block.size()])];
    if (around.empty()) break;
    block.push_back(around[random.next() % around.size()]);
  }
  double change = 0.0;
  std::vector<double> scores;
  for (const std::int32_t v : block) {
    score_states(states, v, scores);
    const std::int32_t old = states[at(v)];
    const auto drawn = static_cast<std::int32_t>(random.next() % scores.size());
    if (scores[at(drawn)] == kForbidden) continue;
    states[at(v)] = drawn;
    if (model_.has_sides && !model_.allows(states)) {
      states[at(v)] = old;
      continue;
    }
    change += scores[at(drawn)] - scores[at(old)];
  }
  return change;
}

double LocalSearch::improve(std::vector<std::int32_t>& states, double value, Index rounds,
                            numeric::Random& random) const {
  if (states.empty()) return value;
  std::vector<std::int32_t> trial, block;
  for (Index r = 0; r < rounds; ++r) {
    trial = states;
    double change = disturb(trial, block, random);
    const std::size_t changed = block.size();
    for (std::size_t i = 0; i < changed; ++i) {
      const auto& around = neighbours_[at(block[i])];
      block.insert(block.end(), around.begin(), around.end());
    }
    change += climb_from(trial, block);
    if (change <= kGain) continue;
    states = trial;
    value += change;
  }
  return value_of(states);
}

}  // namespace ramify::inference
