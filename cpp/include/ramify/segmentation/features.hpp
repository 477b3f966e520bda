// Features of two questions: does a token end here, and does a sentence end after this token.
#pragma once

#include <span>
#include <vector>

#include "ramify/segmentation/lexicon.hpp"
#include "ramify/segmentation/token.hpp"

namespace ramify::segmentation {

using Keys = std::vector<learn::Key>;

/// A stretch without white space, and what holds for all places in it.
struct Chunk {
  std::size_t begin;
  std::size_t end;
  learn::Key kind;           // address, e-mail, path, ...
  CharacterClass following;  // first character of the next chunk
  Gap after;
  Paragraph paragraph;              // nothing beyond it is seen
  std::vector<std::uint8_t> words;  // of the lexicon, by where they begin; empty if the script has spaces
  const Lexicon* lexicon;
};

Chunk make_chunk(const Text& text, std::size_t begin, std::size_t end, const Paragraph& paragraph,
                 const Lexicon& lexicon);

/// Whether the token that began at `begin` ends after character i of the chunk.
void token_features(const Text& text, const Chunk& chunk, std::size_t begin, std::size_t i, Keys& keys);

/// What sentence features remember of the sentence so far; starts anew with every sentence.
struct SentenceState {
  std::size_t first = 0;  // its first token
  std::int32_t open = 0;  // brackets
  std::int32_t quotes = 0;
  std::int32_t capitalised = 0;

  void start(std::size_t token) { *this = {token, 0, 0, 0}; }
  void add(const Text& text, const Token& token);
};

/// What is known of a paragraph before its sentences are.
struct ParagraphView {
  std::span<const Token> tokens;
  std::vector<std::int32_t> to_terminator;  // tokens until the next that may end a sentence
  std::vector<std::int32_t> line_length;    // characters from the line's start to the token's end
  std::int32_t longest_line = 0;
};

ParagraphView view_paragraph(std::span<const Token> tokens);

/// Whether a sentence ends after token t, which is not the last of the paragraph; `state` includes t.
void sentence_features(const ParagraphView& view, std::size_t t, const SentenceState& state, Keys& keys);

}  // namespace ramify::segmentation
