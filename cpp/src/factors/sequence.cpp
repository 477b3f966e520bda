#include "ramify/factors/sequence.hpp"

#include "ramify/factors/automaton_group.hpp"

namespace ramify::factors {

namespace {

/// The automaton remembers the last symbol. first_part[i]: the part of the first transition into position i.
struct BigramMachine {
  Index size;
  Reads reads;
  const std::int32_t* num_symbols;
  const std::int32_t* first_slot;  // null: position i reads slot i
  const Index* first_part;

  static BigramMachine of_variables(Index size, const std::int32_t* num_states, const Index* first_part) {
    return {size, Reads::kVariable, num_states, nullptr, first_part};
  }

  Index num_positions() const { return size + 1; }

  Position position(Index i) const {
    Position p;
    p.num_states = i == 0 ? 1 : num_symbols[i - 1];
    if (i == size) return p;
    p.reads = reads;
    p.slot = first_slot == nullptr ? static_cast<std::int32_t>(i) : first_slot[i];
    p.num_symbols = num_symbols[i];
    return p;
  }

  Transition step(Index i, std::int32_t last, std::int32_t symbol) const {
    if (i == size) return {0, -1};
    if (i == 0) return {symbol, -1};
    return {symbol, static_cast<std::int32_t>(first_part[i] + Index{last} * num_symbols[i] + symbol)};
  }
};

/// The automaton remembers the last two symbols, the later one in the low digits.
struct TrigramMachine {
  Index size;
  const std::int32_t* num_symbols;
  const Index* first_part;

  static TrigramMachine of_variables(Index size, const std::int32_t* num_states, const Index* first_part) {
    return {size, num_states, first_part};
  }

  Index num_positions() const { return size + 1; }

  Position position(Index i) const {
    Position p;
    p.num_states = (i == 0 ? 1 : num_symbols[i - 1]) * (i < 2 ? 1 : num_symbols[i - 2]);
    if (i == size) return p;
    p.reads = Reads::kVariable;
    p.slot = static_cast<std::int32_t>(i);
    p.num_symbols = num_symbols[i];
    return p;
  }

  Transition step(Index i, std::int32_t history, std::int32_t symbol) const {
    if (i == size) return {0, -1};
    if (i == 0) return {symbol, -1};
    const std::int32_t last = i == 1 ? history : history % num_symbols[i - 1];
    const Index part = first_part[i] + Index{history} * num_symbols[i] + symbol;
    return {last * num_symbols[i] + symbol, static_cast<std::int32_t>(part)};
  }
};

/// Where each position's transition scores begin within its factor; and all factors' part offsets.
struct PartTable {
  std::vector<Index> first;
  std::vector<Index> offsets = {0};

  PartTable(Index num_factors, const Offsets& positions, const std::vector<std::int32_t>& symbols, Index order) {
    for (Index f = 0; f < num_factors; ++f) {
      Index used = 0;
      for (Index i = positions[f]; i < positions[f + 1]; ++i) {
        first.push_back(used);
        if (i == positions[f]) continue;
        Index cells = 1;
        for (Index j = std::max(positions[f], i - order); j <= i; ++j) {
          cells = product(cells, symbols[static_cast<std::size_t>(j)]);
        }
        used += cells;
      }
      offsets.push_back(offsets.back() + used);
    }
  }
};

/// Chains of variables, which a machine reads one after the other.
template <class Machine>
class VariableSequenceGroup final : public AutomatonGroup<VariableSequenceGroup<Machine>> {
 public:
  VariableSequenceGroup(const char* family, Layout layout, std::vector<std::int32_t> num_states,
                        std::vector<Index> first_part)
      : AutomatonGroup<VariableSequenceGroup>(family, std::move(layout), kAllCapabilities, kSoft),
        num_states_(std::move(num_states)),
        first_part_(std::move(first_part)) {}

  Machine machine(Index f) const {
    const Offsets& slots = this->layout().slots();
    return Machine::of_variables(slots.size(f), num_states_.data() + slots[f], first_part_.data() + slots[f]);
  }

 private:
  std::vector<std::int32_t> num_states_;
  std::vector<Index> first_part_;
};

class HeadBigramGroup final : public AutomatonGroup<HeadBigramGroup> {
 public:
  HeadBigramGroup(Layout layout, Offsets words, std::vector<std::int32_t> num_heads,
                  std::vector<std::int32_t> first_slot, std::vector<Index> first_part)
      : AutomatonGroup<HeadBigramGroup>("HeadBigram", std::move(layout), kAllCapabilities),
        words_(std::move(words)),
        num_heads_(std::move(num_heads)),
        first_slot_(std::move(first_slot)),
        first_part_(std::move(first_part)) {}

  Arguments arguments() const override {
    Arguments out = {{"num_heads", num_heads_}, {"word_offsets", {}}};
    for (Index f = 0; f <= layout().num_factors(); ++f) out[1].second.push_back(static_cast<std::int32_t>(words_[f]));
    return out;
  }

  BigramMachine machine(Index f) const {
    const Index begin = words_[f];
    return {words_.size(f), Reads::kOneHot, num_heads_.data() + begin, first_slot_.data() + begin,
            first_part_.data() + begin};
  }

 private:
  Offsets words_;
  std::vector<std::int32_t> num_heads_;
  std::vector<std::int32_t> first_slot_;
  std::vector<Index> first_part_;
};

}  // namespace

std::unique_ptr<FactorGroup> make_sequence(Index num_factors, Offsets slots, std::vector<std::int32_t> num_states) {
  PartTable parts(num_factors, slots, num_states, 1);
  Layout layout(num_factors, std::move(slots), Offsets(std::move(parts.offsets)), num_states);
  return std::make_unique<VariableSequenceGroup<BigramMachine>>("Sequence", std::move(layout), std::move(num_states),
                                                                std::move(parts.first));
}

std::unique_ptr<FactorGroup> make_second_order_sequence(Index num_factors, Offsets slots,
                                                        std::vector<std::int32_t> num_states) {
  PartTable parts(num_factors, slots, num_states, 2);
  Layout layout(num_factors, std::move(slots), Offsets(std::move(parts.offsets)), num_states);
  return std::make_unique<VariableSequenceGroup<TrigramMachine>>("SecondOrderSequence", std::move(layout),
                                                                 std::move(num_states), std::move(parts.first));
}

std::unique_ptr<FactorGroup> make_head_bigram(Index num_factors, Offsets words, std::vector<std::int32_t> num_heads) {
  PartTable parts(num_factors, words, num_heads, 1);
  std::vector<Index> slots = {0};
  std::vector<std::int32_t> first_slot;
  for (Index f = 0; f < num_factors; ++f) {
    std::int32_t used = 0;
    for (Index m = words[f]; m < words[f + 1]; ++m) {
      first_slot.push_back(used);
      used += num_heads[static_cast<std::size_t>(m)];
    }
    slots.push_back(slots.back() + used);
  }
  Layout layout(num_factors, Offsets(std::move(slots)), Offsets(std::move(parts.offsets)));
  return std::make_unique<HeadBigramGroup>(std::move(layout), std::move(words), std::move(num_heads),
                                           std::move(first_slot), std::move(parts.first));
}

}  // namespace ramify::factors
