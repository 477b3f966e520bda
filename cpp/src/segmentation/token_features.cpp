#include <algorithm>
#include <utility>

#include "feature_keys.hpp"
#include "ramify/segmentation/features.hpp"

namespace ramify::segmentation {
namespace {

using learn::Key;

constexpr std::size_t kLongestPart = 20;  // characters of a chunk on either side that are looked at as a whole
constexpr std::size_t kLongestOpen = 8;   // characters of a token in a script without spaces

/// Characters of one side of a boundary, as a whole.
struct Side {
  Key form = 0;
  Key shape = 0;
  Key word = 0;  // only the letters next to the boundary
  std::size_t length = 0;
  std::size_t word_length = 0;
};

/// From `from` in steps of `step` (1 or -1), `count` characters.
Side look(const Text& text, std::ptrdiff_t from, std::ptrdiff_t step, std::size_t count) {
  Side side;
  auto previous = CharacterClass::kBoundary;
  bool in_word = true;
  const std::size_t most = std::min(count, kLongestPart);
  std::size_t runs = 0;
  for (std::size_t k = 0; k < most; ++k) {
    const std::ptrdiff_t at = from + step * static_cast<std::ptrdiff_t>(k);
    const CharacterClass kind = text.kind(at);
    side.form = (side.form ^ text.lower(at)) * 0x100000001b3ULL + 1;
    if (kind != previous && runs < 8) {
      side.shape = side.shape * 32 + static_cast<Key>(kind);
      ++runs;
    }
    previous = kind;
    in_word = in_word && is_wordlike(kind);
    if (in_word) {
      side.word = side.form;
      side.word_length = k + 1;
    }
  }
  side.length = count;
  return side;
}

/// Words of the lexicon around a boundary, which end there, begin there or cross it: bits by length.
void lexicon_features(const Text& text, const Chunk& chunk, std::size_t begin, std::size_t i, Emit& emit) {
  constexpr std::size_t kLongest = Lexicon::kLongest;
  const std::size_t at = i + 1 - chunk.begin;  // the boundary
  Key ending = 0, crossing = 0;
  for (std::size_t a = 1; a <= std::min(at, kLongest); ++a) {
    const Key lengths = chunk.words[at - a];
    ending |= lengths & (Key{1} << a);
    crossing |= (lengths >> (a + 1)) << (a * kLongest);
  }
  const Key beginning = chunk.words[at];
  emit(ending), emit(beginning), emit(crossing), emit(ending, beginning), emit(ending, beginning, crossing);
  const Key length = std::min<Key>(i + 1 - begin, kLongestOpen), known = (ending >> length) & 1U;
  const Key word = length < kLongestOpen ? word_hash(text, begin, i + 1) : 0;
  const Key next = text.at(static_cast<std::ptrdiff_t>(i) + 1);
  emit(length, known), emit(length, known, beginning, crossing), emit(word), emit(word, next);
}

}  // namespace

Chunk make_chunk(const Text& text, std::size_t begin, std::size_t end, const Paragraph& paragraph,
                 const Lexicon& lexicon) {
  bool unspaced = false;
  Key slashes = 0, dots = 0, at_sign = 0, scheme = 0, ats_dot = 0, www = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    unspaced = unspaced || is_unspaced(text.kind(at));
    switch (text.at(at)) {
      case U'/':
        slashes = std::min<Key>(slashes + 1, 3);
        if (text.at(at - 1) == U':' && text.at(at + 1) == U'/') scheme = 1;
        break;
      case U'.':
        dots = std::min<Key>(dots + 1, 3);
        if (at_sign != 0 && i + 1 < end) ats_dot = 1;
        if (i >= begin + 3 && text.lower(at - 1) == U'w' && text.lower(at - 2) == U'w') www = 1;
        break;
      case U'@':
        at_sign = 1;
        break;
      default:
        break;
    }
  }
  const std::size_t next = skip_space(text, end, paragraph.end);
  const bool is_last = next == paragraph.end;
  std::vector<std::uint8_t> words;
  if (unspaced) lexicon.find(text, begin, end, words);
  return {begin,
          end,
          slashes + 4 * (dots + 4 * (at_sign + 2 * (scheme + 2 * (ats_dot + 2 * www)))),
          is_last ? CharacterClass::kBoundary : text.kind(static_cast<std::ptrdiff_t>(next)),
          is_last ? Gap::kParagraph : gap_of(text, end, next),
          paragraph,
          std::move(words),
          &lexicon};
}

void token_features(const Text& text, const Chunk& chunk, std::size_t begin, std::size_t i, Keys& keys) {
  keys.clear();
  Emit emit(keys, 0);
  const auto at = static_cast<std::ptrdiff_t>(i);
  Key c[8], k[8];  // characters and kinds at i - 3 ... i + 4; the boundary is between [3] and [4]
  for (std::ptrdiff_t d = 0; d < 8; ++d) {
    const std::ptrdiff_t place = at - 3 + d;
    const bool seen = place >= static_cast<std::ptrdiff_t>(chunk.paragraph.begin) &&
                      place < static_cast<std::ptrdiff_t>(chunk.paragraph.end);
    c[d] = seen ? text.lower(place) : 0;
    k[d] = seen ? static_cast<Key>(text.kind(place)) : static_cast<Key>(CharacterClass::kBoundary);
  }
  for (int d = 1; d < 7; ++d) emit(c[d]);
  for (int d = 1; d < 6; ++d) emit(c[d], c[d + 1]);
  for (int d = 1; d < 5; ++d) emit(c[d], c[d + 1], c[d + 2]);
  emit(c[2], c[3], c[4], c[5]), emit(c[1], c[2], c[3], c[4]), emit(c[3], c[4], c[5], c[6]);
  emit(text.at(at)), emit(text.at(at + 1)), emit(text.at(at), text.at(at + 1));
  Key pattern = 0;
  for (const Key kind : k) pattern = pattern * 32 + kind;
  const auto kinds = [&](int from, int to) {
    return (pattern >> (5 * (7 - to))) & ((Key{1} << (5 * (to - from + 1))) - 1);
  };
  emit(kinds(3, 4)), emit(kinds(2, 4)), emit(kinds(3, 5)), emit(kinds(2, 5)), emit(kinds(1, 6)), emit(pattern);
  emit(c[3], kinds(4, 5)), emit(c[4], kinds(2, 3)), emit(c[3], c[4], kinds(2, 5)), emit(c[3], c[4], kinds(1, 6));

  if (is_unspaced(text.kind(at)) || is_unspaced(text.kind(at + 1))) {
    lexicon_features(text, chunk, begin, i, emit);
    return;
  }
  const Side left = look(text, at, -1, i + 1 - chunk.begin);
  const Side right = look(text, at + 1, 1, chunk.end - i - 1);
  const Key after = static_cast<Key>(chunk.following) * 8 + static_cast<Key>(chunk.after);
  const Key near_left = std::min<Key>(left.length, 4), near_right = std::min<Key>(right.length, 4);
  emit(left.form), emit(right.form), emit(left.form, right.form);
  emit(left.shape, c[4]), emit(c[3], right.shape), emit(left.shape, right.shape);
  emit(left.word, c[4]), emit(c[3], right.word), emit(left.word, c[3], c[4], right.word);
  emit(chunk.kind, kinds(3, 4)), emit(chunk.kind, c[3], c[4]);
  emit(near_left, near_right, c[3], c[4]), emit(near_right, c[4], after), emit(near_left, c[3], near_right);
  emit(left.form, c[4], near_right, after), emit(left.shape, c[4], near_right, after);
  emit(left.word_length, c[4], near_right, after), emit(chunk.kind, near_right, c[4], after);
  // An unknown word before a full stop may be an abbreviation.
  const Key known = left.word_length == 0                                                       ? 0
                    : chunk.lexicon->contains(word_hash(text, i + 1 - left.word_length, i + 1)) ? 1
                                                                                                : 2;
  emit(known, c[4], near_right, after), emit(known, c[4], c[5], near_left, near_right);
  emit(known, std::min<Key>(left.word_length, 7), c[4], near_right, after);
  emit(known, kinds(2, 3), c[4], near_right, after);
}

}  // namespace ramify::segmentation
