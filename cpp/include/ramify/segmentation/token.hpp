// Tokens as stretches of a text, with what sentence features want to know of each.
#pragma once

#include <cstdint>
#include <vector>

#include "ramify/learn/feature_hash.hpp"
#include "ramify/segmentation/text.hpp"

namespace ramify::segmentation {

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
};

/// The token [begin, end), followed by the white space [end, next).
Token make_token(const Text& text, std::size_t begin, std::size_t end, std::size_t next);

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
