// UTF-8 checks, so that columns never contain malformed text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ramify::data {

/// U+FEFF in UTF-8, which some editors put at the start of a file.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Position of the first byte that is not part of well-formed UTF-8 (RFC 3629), or npos.
std::size_t find_invalid_utf8(std::string_view text);

/// The text with every malformed byte replaced by U+FFFD.
std::string replace_invalid_utf8(std::string_view text);

}  // namespace ramify::data
