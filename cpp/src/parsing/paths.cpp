#include "ramify/parsing/paths.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "ramify/numeric/index.hpp"
#include "ramify/parsing/problem_builder.hpp"

namespace ramify::parsing {

namespace {

/// Which words are above which, in square rows: [h][k] where h is an ancestor of k. Heads may be no tree, since
/// roundings need not be one: words that do not reach the root have no ancestors.
std::vector<std::uint8_t> ancestors(std::span<const std::int32_t> heads) {
  const std::size_t width = heads.size();
  std::vector<std::uint8_t> above(width * width, 0);
  std::vector<std::int32_t> chain;
  for (std::size_t k = 1; k < width; ++k) {
    chain.clear();
    for (std::int32_t h = heads[k]; h >= 0 && chain.size() < width; h = heads[at(h)]) chain.push_back(h);
    if (chain.empty() || chain.back() != 0) continue;
    for (const std::int32_t h : chain) above[at(h) * width + k] = 1;
  }
  return above;
}

}  // namespace

PathFactors::PathFactors(const Candidates& candidates, const std::vector<std::vector<std::int32_t>>& arcs_by_head,
                         PathRules rules, ParseProblem& problem)
    : candidates_(candidates),
      leaving_(arcs_by_head),
      problem_(problem),
      width_(at(candidates.num_words) + 1),
      path_(width_ * width_, kNone) {
  for (std::int32_t k = 1; k <= candidates_.num_words; ++k) {
    rules == PathRules::kFlows ? add_flow(k) : add_definitions(k);
  }
}

void PathFactors::Rules::add(std::span<const std::int64_t> inputs, std::int64_t output, bool negate_inputs,
                             bool negate_output) {
  variables.insert(variables.end(), inputs.begin(), inputs.end());
  variables.push_back(output);
  negated.insert(negated.end(), inputs.size(), negate_inputs ? 1 : 0);
  negated.push_back(negate_output ? 1 : 0);
  slots.push_back(static_cast<factors::Index>(variables.size()));
}

std::int64_t PathFactors::add_variable(Consequence consequence) {
  problem_.consequences.push_back(consequence);
  problem_.extra_scores.push_back(0.0);
  return static_cast<std::int64_t>(candidates_.size()) + static_cast<std::int64_t>(problem_.consequences.size()) - 1;
}

/// Words that may be above k: those that the root reaches without k, and that reach k.
std::vector<std::uint8_t> PathFactors::possible(std::int32_t k) const {
  std::vector<std::uint8_t> from_root(width_, 0);
  std::vector<std::uint8_t> to_word(width_, 0);
  std::vector<std::int32_t> open = {0};
  from_root[0] = 1;
  while (!open.empty()) {
    const std::int32_t h = open.back();
    open.pop_back();
    for (const std::int32_t a : leaving_[at(h)]) {
      const std::int32_t m = candidates_.modifiers[at(a)];
      if (m != k && from_root[at(m)] == 0) from_root[at(m)] = 1, open.push_back(m);
    }
  }
  open.assign(1, k);
  while (!open.empty()) {
    const std::int32_t m = open.back();
    open.pop_back();
    for (const std::int32_t h : candidates_.heads_of(m)) {
      if (h != 0 && h != k && to_word[at(h)] == 0) to_word[at(h)] = 1, open.push_back(h);
    }
  }
  for (std::size_t h = 0; h < width_; ++h) to_word[h] = to_word[h] != 0 && from_root[h] != 0 ? 1 : 0;
  return to_word;
}

/// The flow that goes to word k. On arcs into k it is the arc itself, on arcs out of k there is none.
void PathFactors::add_flow(std::int32_t k) {
  const std::vector<std::uint8_t> above = possible(k);
  flow_.assign(at(candidates_.size()), kNone);
  for (std::int32_t a = candidates_.begin[at(k) - 1]; a < candidates_.begin[at(k)]; ++a) {
    flow_[at(a)] = a;
    const std::int32_t h = candidates_.heads[at(a)];
    if (h != 0 && above[at(h)] == 0) never_on_.push_back(a);
  }
  for (std::int32_t m = 1; m <= candidates_.num_words; ++m) {
    if (above[at(m)] != 0) path_[at(m) * width_ + at(k)] = add_entering(m, k, above);
  }
  for (std::int32_t h = 1; h <= candidates_.num_words; ++h) {
    if (above[at(h)] == 0) continue;
    inputs_.clear();
    for (const std::int32_t a : leaving_[at(h)]) {
      if (flow_[at(a)] != kNone) inputs_.push_back(flow_[at(a)]);
    }
    one_in_.add(inputs_, path_[at(h) * width_ + at(k)], false, true);
  }
}

/// Word m is above k if one of its arcs carries flow; where there is but one such arc, they are one variable.
std::int64_t PathFactors::add_entering(std::int32_t m, std::int32_t k, const std::vector<std::uint8_t>& above) {
  const std::int64_t path = add_variable({Consequence::Kind::kPath, m, k});
  inputs_.clear();
  for (std::int32_t a = candidates_.begin[at(m) - 1]; a < candidates_.begin[at(m)]; ++a) {
    const std::int32_t h = candidates_.heads[at(a)];
    if (h != k && (h == 0 || above[at(h)] != 0)) inputs_.push_back(a);
  }
  const bool single = inputs_.size() == 1;
  for (std::int64_t& input : inputs_) {
    const auto a = static_cast<std::int32_t>(input);
    input = single ? path : add_variable({Consequence::Kind::kFlow, a, k});
    flow_[at(a)] = input;
    if (candidates_.heads_of(m).size() > 1) arcs_only_.add({&input, 1}, a, true, false);
  }
  if (!single) one_in_.add(inputs_, path, false, true);
  return path;
}

/// A word is above k if one of its arcs leads to k, or to a word that is above k.
void PathFactors::add_definitions(std::int32_t k) {
  const std::vector<std::uint8_t> above = possible(k);
  std::vector<std::int32_t> ways;
  for (std::int32_t h = 1; h <= candidates_.num_words; ++h) {
    if (above[at(h)] != 0) path_[at(h) * width_ + at(k)] = add_variable({Consequence::Kind::kPath, h, k});
  }
  for (std::int32_t h = 1; h <= candidates_.num_words; ++h) {
    if (above[at(h)] == 0) continue;
    ways.clear();
    for (const std::int32_t a : leaving_[at(h)]) {
      const std::int32_t m = candidates_.modifiers[at(a)];
      if (m == k || above[at(m)] != 0) ways.push_back(a);
    }
    const std::int64_t path = path_[at(h) * width_ + at(k)];
    inputs_.clear();
    for (const std::int32_t a : ways) {
      const std::int32_t m = candidates_.modifiers[at(a)];
      if (m == k) {
        inputs_.push_back(a);
        continue;
      }
      const std::int64_t flow = ways.size() == 1 ? path : add_variable({Consequence::Kind::kFlow, a, k});
      const std::array<std::int64_t, 2> needed = {a, path_[at(m) * width_ + at(k)]};
      all_.add(needed, flow, true, true);
      inputs_.push_back(flow);
    }
    if (inputs_.front() != path) any_.add(inputs_, path, false, false);
  }
}

std::int64_t PathFactors::add_projective_arc(std::int32_t a) {
  const std::int32_t h = candidates_.heads[at(a)];
  const std::int32_t m = candidates_.modifiers[at(a)];
  inputs_.assign(1, a);
  for (std::int32_t k = std::min(h, m) + 1; k < std::max(h, m); ++k) {
    inputs_.push_back(path_[at(h) * width_ + at(k)]);
  }
  if (std::ranges::find(inputs_, kNone) != inputs_.end()) return kNone;
  const std::int64_t variable = add_variable({Consequence::Kind::kProjective, a, 0});
  all_.add(inputs_, variable, true, true);
  return variable;
}

void PathFactors::forbid_detours(std::span<double> arc_scores) const {
  for (const std::int32_t a : never_on_) arc_scores[at(a)] = factors::kForbidden;
}

void PathFactors::close(ProblemBuilder& builder) {
  for (Rules* rules : {&one_in_, &arcs_only_, &all_, &any_}) {
    if (rules->slots.size() == 1) continue;
    ProblemBuilder::Family family;
    family.variables = std::move(rules->variables);
    family.slots = std::move(rules->slots);
    builder.add(factors::make_logic(rules->family, rules->rule, family.size(), factors::Offsets(family.slots),
                                    std::move(rules->negated)),
                family);
  }
}

std::vector<std::int32_t> with_consequences(const Candidates& candidates, const ParseProblem& problem,
                                            std::span<const std::int32_t> arcs) {
  std::vector<std::int32_t> out(arcs.begin(), arcs.begin() + candidates.size());
  if (problem.consequences.empty()) return out;
  std::vector<std::int32_t> heads(at(candidates.num_words) + 1, -1);
  for (std::size_t a = 0; a < out.size(); ++a) {
    if (out[a] != 0) heads[at(candidates.modifiers[a])] = candidates.heads[a];
  }
  const std::vector<std::uint8_t> above = ancestors(heads);
  const auto is_above = [&](std::int32_t h, std::int32_t k) { return above[at(h) * heads.size() + at(k)] != 0; };
  const auto is_projective = [&](std::int32_t h, std::int32_t m) {
    for (std::int32_t k = std::min(h, m) + 1; k < std::max(h, m); ++k) {
      if (!is_above(h, k)) return false;
    }
    return true;
  };
  out.reserve(out.size() + problem.consequences.size());
  for (const auto& [kind, first, second] : problem.consequences) {
    bool on = false;
    if (kind == Consequence::Kind::kPath) {
      on = is_above(first, second);
    } else if (kind == Consequence::Kind::kFlow) {
      on = arcs[at(first)] != 0 && is_above(candidates.modifiers[at(first)], second);
    } else {
      on = arcs[at(first)] != 0 && is_projective(candidates.heads[at(first)], candidates.modifiers[at(first)]);
    }
    out.push_back(on ? 1 : 0);
  }
  return out;
}

}  // namespace ramify::parsing
