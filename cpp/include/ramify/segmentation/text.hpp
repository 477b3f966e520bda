// A stretch of text as characters with their kinds and places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ramify/segmentation/characters.hpp"

namespace ramify::segmentation {

/// Characters before the first and after the last, so that features look around without asking.
inline constexpr std::size_t kPadding = 8;

/// Characters are numbered from 0; `at(i)` is good from -kPadding to size() + kPadding - 1.
class Text {
 public:
  /// Well-formed UTF-8.
  explicit Text(std::string_view utf8);

  std::size_t size() const { return bytes_.size() - 1; }
  char32_t at(std::ptrdiff_t i) const { return characters_[index(i)]; }
  char32_t lower(std::ptrdiff_t i) const { return lower_[index(i)]; }
  CharacterClass kind(std::ptrdiff_t i) const { return kinds_[index(i)]; }
  bool space(std::ptrdiff_t i) const { return is_space(kind(i)); }
  /// Where character i begins in the UTF-8 text; byte(size()) is its length.
  std::size_t byte(std::size_t i) const { return bytes_[i]; }
  std::string_view slice(std::size_t begin, std::size_t end) const {
    return utf8_.substr(bytes_[begin], bytes_[end] - bytes_[begin]);
  }

 private:
  static std::size_t index(std::ptrdiff_t i) { return static_cast<std::size_t>(i + std::ptrdiff_t{kPadding}); }

  std::string_view utf8_;
  std::vector<char32_t> characters_;
  std::vector<char32_t> lower_;
  std::vector<CharacterClass> kinds_;
  std::vector<std::size_t> bytes_;
};

void append_utf8(std::string& out, char32_t c);

/// A run of white space: how it separates what stands around it.
enum class Gap : std::uint8_t { kNone, kSpace, kSpaces, kLine, kParagraph };

/// The gap [begin, end) of white space only.
Gap gap_of(const Text& text, std::size_t begin, std::size_t end);

}  // namespace ramify::segmentation
