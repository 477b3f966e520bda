#include "ramify/factors/no_cross.hpp"

#include "ramify/factors/automaton_group.hpp"

namespace ramify::factors {

namespace {

bool arcs_cross(std::int32_t a1, std::int32_t a2, std::int32_t b1, std::int32_t b2) {
  const auto inside = [low = std::min(a1, a2), high = std::max(a1, a2)](std::int32_t x) { return low < x && x < high; };
  const auto outside = [low = std::min(a1, a2), high = std::max(a1, a2)](std::int32_t x) {
    return x < low || x > high;
  };
  return (inside(b1) && outside(b2)) || (inside(b2) && outside(b1));
}

/// The automaton remembers the head of the first word while it reads that of the second.
class NoCrossGroup final : public AutomatonGroup<NoCrossGroup> {
 public:
  explicit NoCrossGroup(CrossingWords words)
      : AutomatonGroup<NoCrossGroup>("NoCross", Layout(words.num_factors, words.slots, Offsets(1)), kAllCapabilities),
        words_(std::move(words)) {}

  struct Machine {
    std::int32_t first, second;
    std::int32_t num_first, num_second;
    const std::int32_t* heads;

    Index num_positions() const { return 2; }
    Position position(Index i) const {
      if (i == 0) return {Reads::kOneHot, false, 0, num_first, 1};
      return {Reads::kOneHot, false, num_first, num_second, num_first};
    }
    Transition step(Index i, std::int32_t state, std::int32_t symbol) const {
      if (i == 0) return {symbol, -1};
      return {0, arcs_cross(heads[state], first, heads[num_first + symbol], second) ? 0 : -1};
    }
  };

  Machine machine(Index f) const {
    const auto at = static_cast<std::size_t>(f);
    const auto size = static_cast<std::int32_t>(layout().slots().size(f));
    return {words_.first_word[at], words_.second_word[at], words_.num_first[at], size - words_.num_first[at],
            words_.heads.data() + layout().slots()[f]};
  }

 private:
  CrossingWords words_;
};

}  // namespace

std::unique_ptr<FactorGroup> make_no_cross(CrossingWords words) {
  return std::make_unique<NoCrossGroup>(std::move(words));
}

}  // namespace ramify::factors
