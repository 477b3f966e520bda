// What segmentation has to know of single characters: kind and lower case.
#pragma once

#include <cstdint>

namespace ramify::segmentation {

/// Kinds of characters, by general category and, for scripts without spaces, by script. The order is part of the
/// model format.
enum class CharacterClass : std::uint8_t {
  kBoundary,  // beyond the text
  kSpace,
  kNewline,
  kUpper,
  kLower,
  kLetter,  // of a script without case
  kHan,
  kHiragana,
  kKatakana,
  kHangul,
  kUnspaced,  // Thai, Lao, Khmer, Burmese
  kMark,
  kDigit,
  kNumber,
  kTerminator,  // may end a sentence
  kComma,
  kQuote,
  kOpen,
  kClose,
  kDash,
  kConnector,
  kPunctuation,
  kCurrency,
  kMath,
  kSymbol,
  kEmoji,
  kControl,  // none any more: they are white space
  kFormat,
  kOther,
  kUpperIfEven,  // only in the table: upper and lower case in turn
  kUpperIfOdd,
};
inline constexpr std::size_t kNumClasses = static_cast<std::size_t>(CharacterClass::kUpperIfEven);

/// c <= U+10FFFF.
CharacterClass class_of(char32_t c);
/// Simple lower case; what has none, or one of several characters, stays.
char32_t lower_case(char32_t c);
/// Simple upper case of what `lower_case` gives.
char32_t upper_case(char32_t c);

constexpr bool is_space(CharacterClass c) { return c == CharacterClass::kSpace || c == CharacterClass::kNewline; }
/// Part of a word in most scripts.
constexpr bool is_wordlike(CharacterClass c) { return c >= CharacterClass::kUpper && c <= CharacterClass::kNumber; }
/// Of a script that is written without spaces between words.
constexpr bool is_unspaced(CharacterClass c) {
  return c == CharacterClass::kHan || c == CharacterClass::kHiragana || c == CharacterClass::kKatakana ||
         c == CharacterClass::kUnspaced;
}

}  // namespace ramify::segmentation
