#include "ramify/segmentation/lexicon.hpp"

#include <algorithm>
#include <bit>

namespace ramify::segmentation {

Lexicon::Lexicon(std::span<const learn::Key> words)
    : slots_(std::bit_ceil(2 * words.size() + 2)),
      shift_(64U - static_cast<unsigned>(std::countr_zero(slots_.size()))) {
  for (const learn::Key word : words) {
    if (word == 0) continue;  // no word has this hash
    std::size_t at = word >> shift_;
    while (slots_[at] != 0 && slots_[at] != word) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = word;
  }
}

void Lexicon::find(const Text& text, std::size_t begin, std::size_t end, std::vector<std::uint8_t>& lengths) const {
  lengths.assign(end - begin + 1, 0);  // nothing begins at the end
  for (std::size_t i = begin; i < end; ++i) {
    WordHash hash;
    for (std::size_t length = 1; length <= std::min(kLongest, end - i); ++length) {
      hash.add(text.lower(static_cast<std::ptrdiff_t>(i + length - 1)));
      if (contains(hash.value())) lengths[i - begin] |= static_cast<std::uint8_t>(1U << length);
    }
  }
}

learn::Key word_hash(const Text& text, std::size_t begin, std::size_t end) {
  WordHash hash;
  for (std::size_t i = begin; i < end; ++i) hash.add(text.lower(static_cast<std::ptrdiff_t>(i)));
  return hash.value();
}

}  // namespace ramify::segmentation
