#include "ramify/factors/compression_tree.hpp"

#include "ramify/factors/automaton_group.hpp"

namespace ramify::factors {

namespace {

/// Reads the words in depth-first order. State 0: the word's head stays; state d + 1: an ancestor at depth d is cut,
/// and all is off until the walk has left its subtree.
class CompressionTreeGroup final : public AutomatonGroup<CompressionTreeGroup> {
 public:
  CompressionTreeGroup(Layout layout, std::vector<std::int32_t> heads)
      : AutomatonGroup<CompressionTreeGroup>("CompressionTree", std::move(layout), kAllCapabilities),
        heads_(std::move(heads)) {
    for (Index f = 0; f < this->layout().num_factors(); ++f) {
      const Index begin = this->layout().slots()[f];
      append_walk({heads_.data() + begin, static_cast<std::size_t>(this->layout().slots().size(f))});
    }
  }

  Arguments arguments() const override { return {{"heads", heads_}}; }

  struct Machine {
    Index size;
    const std::int32_t* word;
    const std::int32_t* depth;

    Index num_positions() const { return size + 1; }

    Position position(Index i) const {
      if (i == size) return {};
      return {Reads::kVariable, false, word[i], 2, depth[i] + 1};
    }

    Transition step(Index i, std::int32_t state, std::int32_t on) const {
      if (i == size) return {0, -1};
      if (on == 1) return {state == 0 ? 0 : -1, -1};
      const std::int32_t next_depth = i + 1 < size ? depth[i + 1] : 0;
      const std::int32_t cut = state == 0 ? depth[i] + 1 : state;
      return {next_depth >= cut ? cut : 0, state == 0 ? word[i] : -1};
    }
  };

  Machine machine(Index f) const {
    const Index begin = layout().slots()[f];
    return {layout().slots().size(f), word_.data() + begin, depth_.data() + begin};
  }

 private:
  void append_walk(std::span<const std::int32_t> heads) {
    const auto n = static_cast<std::int32_t>(heads.size());
    std::vector<std::vector<std::int32_t>> modifiers(heads.size() + 1);
    for (std::int32_t w = n; w-- > 0;) modifiers[static_cast<std::size_t>(heads[w] + 1)].push_back(w);
    struct Visit {
      std::int32_t word, depth;
    };
    std::vector<Visit> stack;
    const auto push = [&](std::int32_t head, std::int32_t depth) {
      for (const std::int32_t m : modifiers[static_cast<std::size_t>(head + 1)]) stack.push_back({m, depth});
    };
    push(-1, 0);
    while (!stack.empty()) {
      const Visit v = stack.back();
      stack.pop_back();
      word_.push_back(v.word);
      depth_.push_back(v.depth);
      push(v.word, v.depth + 1);
    }
  }

  std::vector<std::int32_t> heads_;
  std::vector<std::int32_t> word_;
  std::vector<std::int32_t> depth_;
};

}  // namespace

std::unique_ptr<FactorGroup> make_compression_tree(Index num_factors, Offsets slots, std::vector<std::int32_t> heads) {
  Offsets parts = slots;
  return std::make_unique<CompressionTreeGroup>(Layout(num_factors, std::move(slots), std::move(parts)),
                                                std::move(heads));
}

}  // namespace ramify::factors
