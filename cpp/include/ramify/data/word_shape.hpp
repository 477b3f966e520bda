// Properties of a word's letters that features use: lower case, affixes, shape.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ramify::data {

/// Lower case of ASCII and of the scripts that have two-byte letters in simple rows (Latin-1, Latin Extended-A, Greek,
/// Cyrillic); the rest stays as it is. Only features depend on it, so exceptions do no harm.
void lower(std::string_view text, std::string& out);

/// Bytes of the first `count` characters, or of all where there are fewer.
std::string_view first_characters(std::string_view text, std::size_t count);
std::string_view last_characters(std::string_view text, std::size_t count);
std::size_t num_characters(std::string_view text);

/// Whether these bytes are an emoji, or a character that turns its neighbour into one.
bool is_emoji(std::string_view character);

/// X, x, 9, e (emoji), u (not ASCII) and - (the rest), repeats collapsed.
void shape(std::string_view form, std::string& out);

}  // namespace ramify::data
