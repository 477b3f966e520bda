#include "ramify/segmentation/token.hpp"

#include <algorithm>

namespace ramify::segmentation {
namespace {

constexpr std::size_t kLongestShape = 8;
constexpr char32_t kJoiner = 0x200D;

bool is_skin_tone(char32_t c) { return c >= 0x1F3FB && c <= 0x1F3FF; }
bool is_flag_letter(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }
bool is_letter(CharacterClass kind) { return kind >= CharacterClass::kUpper && kind <= CharacterClass::kUnspaced; }

}  // namespace

Token make_token(const Text& text, std::size_t begin, std::size_t end, std::size_t next, const Lexicon& lexicon) {
  learn::Key form = end - begin > 1 ? 1 : 0, raw = 0, shape = 0;
  std::size_t runs = 0;
  auto previous = CharacterClass::kBoundary;
  for (std::size_t i = begin; i < end; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    form = (form ^ text.lower(at)) * 0x100000001b3ULL + 1;
    raw = (raw ^ text.at(at)) * 0x100000001b3ULL + 1;
    const CharacterClass kind = text.kind(at);
    if (kind != previous && runs < kLongestShape) {
      shape = shape * 32 + static_cast<learn::Key>(kind);
      ++runs;
    }
    previous = kind;
  }
  // One capital and many are different shapes.
  if (end - begin == 1) shape = shape * 32 + 31;
  const auto last = static_cast<std::ptrdiff_t>(end) - 1;
  const learn::Key before_last = end - begin > 1 ? text.lower(last - 1) : 0;
  return {begin,
          end,
          gap_of(text, end, next),
          learn::mix(form),
          learn::mix(raw),
          learn::mix(shape),
          learn::mix(before_last << 32U | text.lower(last)),
          text.kind(static_cast<std::ptrdiff_t>(begin)),
          text.kind(last),
          known_word(text, begin, end, lexicon)};
}

Known known_word(const Text& text, std::size_t begin, std::size_t end, const Lexicon& lexicon) {
  if (!is_letter(text.kind(static_cast<std::ptrdiff_t>(begin)))) return Known::kNoWord;
  if (is_abbreviation(text, begin, end)) {
    if (lexicon.contains(word_hash(text, begin, end))) return Known::kAbbreviation;
    --end;
  }
  return lexicon.contains(word_hash(text, begin, end)) ? Known::kKnown : Known::kUnknown;
}

bool is_abbreviation(const Text& text, std::size_t begin, std::size_t end) {
  return end - begin > 1 && text.at(static_cast<std::ptrdiff_t>(end) - 1) == U'.';
}

bool is_one_character(const Text& text, std::size_t i) {
  const auto at = static_cast<std::ptrdiff_t>(i);
  const char32_t left = text.at(at), right = text.at(at + 1);
  if (right < 0x300) return false;  // nearly all text
  if (text.kind(at + 1) == CharacterClass::kMark || is_skin_tone(right) || right == kJoiner) return true;
  if (left == kJoiner)
    return text.kind(at + 1) == CharacterClass::kEmoji || text.kind(at + 1) == CharacterClass::kSymbol;
  if (!is_flag_letter(left) || !is_flag_letter(right)) return false;
  std::ptrdiff_t first = at;
  while (first > 0 && is_flag_letter(text.at(first - 1))) --first;
  return (at - first) % 2 == 0;
}

std::size_t skip_space(const Text& text, std::size_t begin, std::size_t end) {
  while (begin < end && text.space(static_cast<std::ptrdiff_t>(begin))) ++begin;
  return begin;
}

std::size_t chunk_end(const Text& text, std::size_t begin, std::size_t end) {
  while (begin < end && !text.space(static_cast<std::ptrdiff_t>(begin))) ++begin;
  return begin;
}

Paragraph paragraph_at(const Text& text, std::size_t begin, std::size_t limit) {
  std::size_t end = begin;
  while (true) {
    end = chunk_end(text, end, limit);
    const std::size_t next = skip_space(text, end, limit);
    if (next == limit || gap_of(text, end, next) == Gap::kParagraph) return {begin, end, next};
    end = next;
  }
}

}  // namespace ramify::segmentation
