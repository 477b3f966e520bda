#include "ramify/parsing/paths.hpp"
#include "ramify/numeric/index.hpp"

#include <algorithm>
#include <array>

namespace ramify::parsing {

namespace {

using factors::Index;
using factors::LogicRule;
using Kind = Consequence::Kind;

class PathBuilder {
 public:
  PathBuilder(const Candidates& candidates, const PartChoice& choice)
      : candidates_(candidates),
        choice_(choice),
        width_(at(candidates.num_words) + 1),
        leaving_(width_),
        path_(width_ * width_, kNone) {
    for (std::int32_t a = 0; a < candidates_.size(); ++a) leaving_[at(candidates_.heads[at(a)])].push_back(a);
  }

  PathFactors build(PathRules rules) {
    for (std::int32_t k = 1; k <= candidates_.num_words; ++k) {
      if (rules == PathRules::kFlows) {
        add_flow(k);
      } else {
        add_definitions(k);
      }
    }
    if (choice_.nonproj) add_projective_arcs();
    out_.rules = {std::move(one_in_), std::move(arcs_only_), std::move(all_), std::move(any_)};
    return std::move(out_);
  }

 private:
  static constexpr std::int64_t kNone = -1;

  std::int64_t add_variable(Consequence consequence) {
    out_.consequences.push_back(consequence);
    return static_cast<std::int64_t>(candidates_.size()) + static_cast<std::int64_t>(out_.consequences.size()) - 1;
  }

  /// The output is the last variable.
  static void add_rule(PathFactors::Rules& rules, std::span<const std::int64_t> inputs, std::int64_t output,
                       bool negate_inputs, bool negate_output) {
    rules.variables.insert(rules.variables.end(), inputs.begin(), inputs.end());
    rules.variables.push_back(output);
    rules.negated.insert(rules.negated.end(), inputs.size(), negate_inputs ? 1 : 0);
    rules.negated.push_back(negate_output ? 1 : 0);
    rules.slots.push_back(static_cast<Index>(rules.variables.size()));
  }

  std::span<const std::int32_t> entering(std::int32_t m) const { return candidates_.heads_of(m); }

  /// Words that may be above k: those that the root reaches without k, and that reach k.
  std::vector<std::uint8_t> possible(std::int32_t k) const {
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
      for (const std::int32_t h : entering(m)) {
        if (h != 0 && h != k && to_word[at(h)] == 0) to_word[at(h)] = 1, open.push_back(h);
      }
    }
    for (std::size_t h = 0; h < width_; ++h) to_word[h] = to_word[h] != 0 && from_root[h] != 0 ? 1 : 0;
    return to_word;
  }

  /// The flow that goes to word k. On arcs into k it is the arc itself, on arcs out of k there is none.
  void add_flow(std::int32_t k) {
    const std::vector<std::uint8_t> above = possible(k);
    flow_.assign(at(candidates_.size()), kNone);
    for (std::int32_t a = candidates_.begin[at(k) - 1]; a < candidates_.begin[at(k)]; ++a) {
      flow_[at(a)] = a;
      const std::int32_t h = candidates_.heads[at(a)];
      if (h != 0 && above[at(h)] == 0) out_.never_on.push_back(a);
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
      add_rule(one_in_, inputs_, path_[at(h) * width_ + at(k)], false, true);
    }
  }

  /// Word m is above k if one of its arcs carries flow; where there is but one such arc, they are one variable.
  std::int64_t add_entering(std::int32_t m, std::int32_t k, const std::vector<std::uint8_t>& above) {
    const std::int64_t path = add_variable({Kind::kPath, m, k});
    inputs_.clear();
    for (std::int32_t a = candidates_.begin[at(m) - 1]; a < candidates_.begin[at(m)]; ++a) {
      const std::int32_t h = candidates_.heads[at(a)];
      if (h != k && (h == 0 || above[at(h)] != 0)) inputs_.push_back(a);
    }
    const bool single = inputs_.size() == 1;
    for (std::int64_t& input : inputs_) {
      const auto a = static_cast<std::int32_t>(input);
      input = single ? path : add_variable({Kind::kFlow, a, k});
      flow_[at(a)] = input;
      if (entering(m).size() > 1) add_rule(arcs_only_, {&input, 1}, a, true, false);
    }
    if (!single) add_rule(one_in_, inputs_, path, false, true);
    return path;
  }

  /// A word is above k if one of its arcs leads to k, or to a word that is above k.
  void add_definitions(std::int32_t k) {
    const std::vector<std::uint8_t> above = possible(k);
    for (std::int32_t h = 1; h <= candidates_.num_words; ++h) {
      if (above[at(h)] != 0) path_[at(h) * width_ + at(k)] = add_variable({Kind::kPath, h, k});
    }
    for (std::int32_t h = 1; h <= candidates_.num_words; ++h) {
      if (above[at(h)] == 0) continue;
      ways_.clear();
      for (const std::int32_t a : leaving_[at(h)]) {
        const std::int32_t m = candidates_.modifiers[at(a)];
        if (m == k || above[at(m)] != 0) ways_.push_back(a);
      }
      const std::int64_t path = path_[at(h) * width_ + at(k)];
      inputs_.clear();
      for (const std::int32_t a : ways_) {
        const std::int32_t m = candidates_.modifiers[at(a)];
        if (m == k) {
          inputs_.push_back(a);
          continue;
        }
        const std::int64_t flow = ways_.size() == 1 ? path : add_variable({Kind::kFlow, a, k});
        const std::array<std::int64_t, 2> needed = {a, path_[at(m) * width_ + at(k)]};
        add_rule(all_, needed, flow, true, true);
        inputs_.push_back(flow);
      }
      if (inputs_.front() != path) add_rule(any_, inputs_, path, false, false);
    }
  }

  void add_projective_arcs() {
    for (std::int32_t a = 0; a < candidates_.size(); ++a) {
      const std::int32_t h = candidates_.heads[at(a)];
      const std::int32_t m = candidates_.modifiers[at(a)];
      if (h == 0 || std::abs(h - m) == 1) continue;  // all words are below the root
      inputs_.assign(1, a);
      for (std::int32_t k = std::min(h, m) + 1; k < std::max(h, m); ++k) {
        inputs_.push_back(path_[at(h) * width_ + at(k)]);
      }
      if (std::ranges::find(inputs_, kNone) != inputs_.end()) {
        out_.never_projective.push_back(a);
      } else {
        add_rule(all_, inputs_, add_variable({Kind::kProjective, a, 0}), true, true);
      }
    }
  }

  const Candidates& candidates_;
  const PartChoice& choice_;
  std::size_t width_;
  std::vector<std::vector<std::int32_t>> leaving_;  // arcs, by head
  std::vector<std::int64_t> path_;                  // variables, [h][k]
  std::vector<std::int64_t> flow_;                  // variables of one word's flow, by arc
  std::vector<std::int64_t> inputs_;
  std::vector<std::int32_t> ways_;
  PathFactors::Rules one_in_{"XorOut", LogicRule::kExactlyOne};
  PathFactors::Rules arcs_only_{"Imply", LogicRule::kOr};
  PathFactors::Rules all_{"AndOut", LogicRule::kOrOut};
  PathFactors::Rules any_{"OrOut", LogicRule::kOrOut};
  PathFactors out_;
};

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

PathFactors make_path_factors(const Candidates& candidates, const PartChoice& choice, PathRules rules) {
  return PathBuilder(candidates, choice).build(rules);
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
    if (kind == Kind::kPath) {
      on = is_above(first, second);
    } else if (kind == Kind::kFlow) {
      on = arcs[at(first)] != 0 && is_above(candidates.modifiers[at(first)], second);
    } else {
      on = arcs[at(first)] != 0 && is_projective(candidates.heads[at(first)], candidates.modifiers[at(first)]);
    }
    out.push_back(on ? 1 : 0);
  }
  return out;
}

}  // namespace ramify::parsing
