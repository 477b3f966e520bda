// From text to sentences in columns, piece by piece where the text is long.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ramify/data/sentence.hpp"
#include "ramify/segmentation/model.hpp"

namespace ramify::segmentation {

/// A paragraph that is longer is segmented in windows of so many characters; sentences that end in the last
/// kMargin of a window are left to the next, so that what follows is known to all but the longest.
inline constexpr std::size_t kWindow = std::size_t{1} << 16U;
inline constexpr std::size_t kMargin = std::size_t{1} << 12U;

/// What the pieces of one text have to know of each other.
struct StreamState {
  bool new_paragraph = true;  // the next sentence starts one
  std::int64_t sentences = 0;
  std::int64_t characters = 0;  // before the piece
};

struct Document {
  std::vector<data::Sentence> sentences;
  std::vector<std::int64_t> token_begins;  // characters from the start of the text, one per surface token
  std::vector<std::int64_t> token_ends;
  std::vector<std::int64_t> num_tokens;  // of each sentence
  std::size_t bytes = 0;                 // of the piece that these sentences cover
};

/// Segments well-formed UTF-8. Unless `final`, the end of the text waits for what follows it: call again with the rest,
/// from `bytes` on, and more. How the text is cut into pieces makes no difference to the sentences.
/// `whole_paragraphs`: every paragraph is one sentence.
Document segment_text(const SegmenterModel& model, std::string_view utf8, bool final, bool whole_paragraphs,
                      StreamState& state);

}  // namespace ramify::segmentation
