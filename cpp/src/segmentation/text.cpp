#include "ramify/segmentation/text.hpp"

namespace ramify::segmentation {
namespace {

constexpr char32_t kParagraphSeparator = 0x2029;

/// The character at the front of well-formed UTF-8, and its length.
std::pair<char32_t, std::size_t> decode(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<char32_t>(static_cast<unsigned char>(text[i + k])); };
  const char32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xE0) return {((lead & 0x1FU) << 6U) | (byte(1) & 0x3FU), 2};
  if (lead < 0xF0) return {((lead & 0x0FU) << 12U) | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU), 3};
  return {((lead & 0x07U) << 18U) | ((byte(1) & 0x3FU) << 12U) | ((byte(2) & 0x3FU) << 6U) | (byte(3) & 0x3FU), 4};
}

}  // namespace

Text::Text(std::string_view utf8) : utf8_(utf8) {
  const std::size_t most = utf8.size() + 2 * kPadding;
  characters_.reserve(most);
  lower_.reserve(most);
  kinds_.reserve(most);
  bytes_.reserve(utf8.size() + 1);
  const auto add = [this](char32_t c, char32_t low, CharacterClass kind) {
    characters_.push_back(c);
    lower_.push_back(low);
    kinds_.push_back(kind);
  };
  for (std::size_t i = 0; i < kPadding; ++i) add(0, 0, CharacterClass::kBoundary);
  for (std::size_t i = 0; i < utf8.size();) {
    const auto [c, length] = decode(utf8, i);
    bytes_.push_back(i);
    add(c, lower_case(c), class_of(c));
    i += length;
  }
  bytes_.push_back(utf8.size());
  for (std::size_t i = 0; i < kPadding; ++i) add(0, 0, CharacterClass::kBoundary);
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0U | (c >> 6U)), put(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    put(0xE0U | (c >> 12U)), put(0x80U | ((c >> 6U) & 0x3FU)), put(0x80U | (c & 0x3FU));
  } else {
    put(0xF0U | (c >> 18U)), put(0x80U | ((c >> 12U) & 0x3FU));
    put(0x80U | ((c >> 6U) & 0x3FU)), put(0x80U | (c & 0x3FU));
  }
}

Gap gap_of(const Text& text, std::size_t begin, std::size_t end) {
  if (begin == end) return Gap::kNone;
  std::size_t newlines = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    if (text.at(at) == kParagraphSeparator) return Gap::kParagraph;
    // CR LF is one line end
    const bool second_half = text.at(at) == U'\n' && i > begin && text.at(at - 1) == U'\r';
    newlines += text.kind(at) == CharacterClass::kNewline && !second_half ? 1 : 0;
  }
  if (newlines > 1) return Gap::kParagraph;
  if (newlines == 1) return Gap::kLine;
  return end - begin == 1 ? Gap::kSpace : Gap::kSpaces;
}

}  // namespace ramify::segmentation
