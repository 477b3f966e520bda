// Tokens as stretches of a text, with what sentence features want to know of each.
#pragma once

#include <cstdint>
#include <vector>

#include "ramify/learn/feature_hash.hpp"
#include "ramify/segmentation/lexicon.hpp"
#include "ramify/segmentation/text.hpp"

namespace ramify::segmentation {

/// Whether the treebank has a word.
enum class Known : std::uint8_t {
  kNoWord,  // it does not begin with a letter
  kUnknown,
  kKnown,
  kAbbreviation,  // with its full stop, and sentences hardly ever end with it
};

struct Token {
  std::size_t begin;  // characters [begin, end)
  std::size_t end;
  Gap after;
  learn::Key form;    // in lower case
  learn::Key raw;     // as it stands
  learn::Key shape;   // runs of character kinds
  learn::Key ending;  // last two characters
  CharacterClass first;
  CharacterClass last;
  Known known;  // without the full stop of an abbreviation
};

/// The token [begin, end), followed by the white space [end, next).
Token make_token(const Text& text, std::size_t begin, std::size_t end, std::size_t next, const Lexicon& lexicon);

/// Whether the treebank has the word [begin, end).
Known known_word(const Text& text, std::size_t begin, std::size_t end, const Lexicon& lexicon);

/// Whether the word [begin, end) has its full stop.
bool is_abbreviation(const Text& text, std::size_t begin, std::size_t end);

/// Whether characters i and i + 1 are one to the reader, so that no token ends between them: a mark or a skin tone with
/// what it is on, emoji that a joiner makes one, the two letters of a flag.
bool is_one_character(const Text& text, std::size_t i);

/// First character from `begin` on, and before `end`, that is no white space; `end` if there is none.
std::size_t skip_space(const Text& text, std::size_t begin, std::size_t end);
/// End of the stretch without white space at `begin`.
std::size_t chunk_end(const Text& text, std::size_t begin, std::size_t end);

struct Paragraph {
  std::size_t begin;  // first character, no white space
  std::size_t end;    // after its last character that is no white space
  std::size_t next;   // where the white space after it ends
};

/// The paragraph at `begin`, which is no white space: it ends at an empty line, or at `limit`.
Paragraph paragraph_at(const Text& text, std::size_t begin, std::size_t limit);

}  // namespace ramify::segmentation
