#include "ramify/segmentation/model.hpp"

#include <utility>

namespace ramify::segmentation {

void SegmenterModel::segment(const Text& text, const Paragraph& paragraph, Segments& out) const {
  out.tokens.clear();
  out.sentence_ends.clear();
  find_tokens(text, paragraph, out.tokens);
  find_sentences(text, out.tokens, out.sentence_ends);
}

void SegmenterModel::find_tokens(const Text& text, const Paragraph& paragraph, std::vector<Token>& tokens) const {
  const learn::BucketWeights weights(parts_.token);
  Keys keys;
  std::size_t begin = paragraph.begin;  // of the token that is open
  for (std::size_t at = paragraph.begin; at < paragraph.end;) {
    const std::size_t end = chunk_end(text, at, paragraph.end);
    const Chunk chunk = make_chunk(text, at, end, paragraph, parts_.lexicon);
    for (std::size_t i = at; i + 1 < end; ++i) {
      const auto place = static_cast<std::ptrdiff_t>(i);
      const auto pair =
          static_cast<std::size_t>(text.kind(place)) * kNumClasses + static_cast<std::size_t>(text.kind(place + 1));
      if (parts_.inside[pair] != 0 || is_one_character(text, i)) continue;
      token_features(text, chunk, begin, i, keys);
      if (weights.sum<double>(keys) <= 0.0) continue;
      tokens.push_back(make_token(text, begin, i + 1, i + 1, parts_.lexicon));
      begin = i + 1;
    }
    const std::size_t next = end == paragraph.end ? paragraph.next : skip_space(text, end, paragraph.end);
    at = next;
    if (parts_.spaces_inside && end < paragraph.end && next == end + 1 &&
        text.at(static_cast<std::ptrdiff_t>(end)) == U' ') {
      token_features(text, chunk, begin, end - 1, keys);
      if (weights.sum<double>(keys) <= 0.0) continue;
    }
    tokens.push_back(make_token(text, begin, end, next, parts_.lexicon));
    begin = next;
  }
}

void SegmenterModel::find_sentences(const Text& text, std::span<const Token> tokens,
                                    std::vector<std::uint8_t>& ends) const {
  ends.assign(tokens.size(), 0);
  if (tokens.empty()) return;
  const ParagraphView view = view_paragraph(tokens);
  const learn::BucketWeights weights(parts_.sentence);
  SentenceState state;
  Keys keys;
  for (std::size_t t = 0; t + 1 < tokens.size(); ++t) {
    state.add(text, tokens[t]);
    sentence_features(view, t, state, keys);
    if (weights.sum<double>(keys) + parts_.sentence_bias <= 0.0) continue;
    ends[t] = 1;
    state.start(t + 1);
  }
  ends.back() = 1;
}

}  // namespace ramify::segmentation
