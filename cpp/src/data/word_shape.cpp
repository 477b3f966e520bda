#include "ramify/data/word_shape.hpp"

#include <algorithm>

namespace ramify::data {

namespace {

std::size_t char_size(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

void append_lower_pair(std::string& out, unsigned char a, unsigned char b) {
  unsigned code = ((a & 0x1fU) << 6U) | (b & 0x3fU);
  if ((code >= 0xc0 && code <= 0xde && code != 0xd7) || (code >= 0x391 && code <= 0x3ab) ||
      (code >= 0x410 && code <= 0x42f)) {
    code += 0x20;
  } else if (code >= 0x400 && code <= 0x40f) {
    code += 0x50;
  } else if (code >= 0x100 && code <= 0x137 && code != 0x130 && code % 2 == 0) {
    code += 1;
  } else if (((code >= 0x139 && code <= 0x148) || (code >= 0x179 && code <= 0x17e)) && code % 2 == 1) {
    code += 1;
  } else if (code >= 0x14a && code <= 0x177 && code % 2 == 0) {
    code += 1;
  }
  out.push_back(static_cast<char>(0xc0U | (code >> 6U)));
  out.push_back(static_cast<char>(0x80U | (code & 0x3fU)));
}

}  // namespace

void lower(std::string_view text, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = std::min(char_size(static_cast<unsigned char>(text[i])), text.size() - i);
    if (size == 1) {
      out.push_back(is_upper(text[i]) ? static_cast<char>(text[i] + ('a' - 'A')) : text[i]);
    } else if (size == 2) {
      append_lower_pair(out, static_cast<unsigned char>(text[i]), static_cast<unsigned char>(text[i + 1]));
    } else {
      out.append(text.substr(i, size));
    }
    i += size;
  }
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (std::size_t c = 0; c < count && end < text.size(); ++c) end += char_size(static_cast<unsigned char>(text[end]));
  return text.substr(0, std::min(end, text.size()));
}

std::string_view last_characters(std::string_view text, std::size_t count) {
  std::size_t begin = text.size();
  for (std::size_t c = 0; c < count && begin > 0; ++c) {
    do --begin;
    while (begin > 0 && is_continuation(text[begin]));
  }
  return text.substr(begin);
}

std::size_t num_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !is_continuation(c); }));
}

bool is_emoji(std::string_view character) {
  if (character.size() == 4) {  // U+1F000 to U+1FBFF
    const auto third = static_cast<unsigned char>(character[2]);
    return character.starts_with("\xf0\x9f") && third >= 0x80 && third <= 0xaf;
  }
  if (character.size() != 3) return false;
  if (character == "\u200d" || character == "\ufe0f" || character == "\u20e3") return true;
  const auto in = [&](std::string_view first, std::string_view last) {
    return character >= first && character <= last;
  };
  return in("\u2300", "\u23ff") || in("\u2600", "\u27bf") || in("\u2b00", "\u2bff");
}

void shape(std::string_view form, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < form.size();) {
    const char c = form[i];
    const std::size_t size = std::min(char_size(static_cast<unsigned char>(c)), form.size() - i);
    char kind = '-';
    if (is_upper(c)) kind = 'X';
    if (c >= 'a' && c <= 'z') kind = 'x';
    if (c >= '0' && c <= '9') kind = '9';
    if (static_cast<unsigned char>(c) >= 0x80) kind = is_emoji(form.substr(i, size)) ? 'e' : 'u';
    if (out.empty() || kind != out.back()) out.push_back(kind);
    i += size;
  }
}

}  // namespace ramify::data
