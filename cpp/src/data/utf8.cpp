#include "ramify/data/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace ramify::data {
namespace {

/// Length of the well-formed sequence at `i`, or 0. Overlong forms, surrogates and code points above U+10FFFF
/// are excluded by the range of the second byte (RFC 3629, §4).
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<std::uint8_t>(text[i + k]); };
  const auto continues = [&](std::size_t k) { return i + k < text.size() && (byte(k) & 0xC0) == 0x80; };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return continues(1) ? 2 : 0;
  if (lead < 0xF0) {
    if (!continues(1) || !continues(2)) return 0;
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (lead > 0xF4 || !continues(1) || !continues(2) || !continues(3)) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  return 4;
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    // Treebanks are mostly ASCII: eight bytes at a time while no high bit is set.
    std::uint64_t word;
    while (i + sizeof word <= text.size()) {
      std::memcpy(&word, text.data() + i, sizeof word);
      if (word & 0x8080808080808080U) break;
      i += sizeof word;
    }
    if (i >= text.size()) break;
    const std::size_t length = sequence_length(text, i);
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (length == 0) {
      out.append("\xEF\xBF\xBD");
      ++i;
    } else {
      out.append(text.substr(i, length));
      i += length;
    }
  }
  return out;
}

}  // namespace ramify::data
