#include "ramify/segmentation/characters.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "character_table.hpp"

namespace ramify::segmentation {
namespace {

constexpr std::size_t kNumCharacters = 0x110000;

/// Two bytes a character, filled once: looking up is one access, and text touches few pages of it.
struct Tables {
  Tables() : classes(kNumCharacters), steps(kNumCharacters) {
    for (std::size_t run = 0; run < std::size(kClassRuns); ++run) {
      const std::size_t end = run + 1 < std::size(kClassRuns) ? kClassRuns[run + 1].first : kNumCharacters;
      for (std::size_t c = kClassRuns[run].first; c < end; ++c) fill(c, kClassRuns[run].value);
    }
    for (std::size_t run = 0; run < std::size(kLowerRuns); ++run) {
      const std::int32_t step = kLowerRuns[run].step;
      if (step == 0) continue;
      const std::size_t end = run + 1 < std::size(kLowerRuns) ? kLowerRuns[run + 1].first : kNumCharacters;
      for (std::size_t c = kLowerRuns[run].first; c < end; ++c) steps[c] = step;
    }
    for (std::size_t c = 0; c < kNumCharacters; ++c) {
      if (steps[c] != 0) upper.try_emplace(static_cast<char32_t>(static_cast<std::int64_t>(c) + steps[c]), c);
    }
  }

  void fill(std::size_t c, CharacterClass value) {
    if (value == kUpperIfEven || value == kUpperIfOdd) {
      const bool is_upper = (c % 2 == 0) == (value == kUpperIfEven);
      steps[c] = is_upper ? 1 : 0;
      value = is_upper ? kUpper : kLower;
    }
    classes[c] = value;
  }

  std::vector<CharacterClass> classes;
  std::vector<std::int32_t> steps;  // to the lower case
  std::unordered_map<char32_t, char32_t> upper;
};

const Tables& tables() {
  static const Tables kTables;
  return kTables;
}

}  // namespace

CharacterClass class_of(char32_t c) { return tables().classes[c]; }

char32_t lower_case(char32_t c) { return static_cast<char32_t>(static_cast<std::int64_t>(c) + tables().steps[c]); }

char32_t upper_case(char32_t c) {
  const auto& upper = tables().upper;
  const auto found = upper.find(c);
  return found == upper.end() ? c : found->second;
}

}  // namespace ramify::segmentation
