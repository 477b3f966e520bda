#include "ramify/segmentation/document.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace ramify::segmentation {
namespace {

using Cells = std::array<std::string_view, data::kNumColumns>;
constexpr auto kId = static_cast<std::size_t>(data::Column::kId);
constexpr auto kForm = static_cast<std::size_t>(data::Column::kForm);
constexpr auto kMisc = static_cast<std::size_t>(data::Column::kMisc);

/// White space as MISC has it, in the way of UDPipe; what it has no letter for is a \u with four hexadecimal digits.
std::string escaped(const Text& text, std::size_t begin, std::size_t end) {
  constexpr std::u32string_view kSpaces = U" \n\r\t";
  constexpr std::string_view kLetters = "snrt";
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (std::size_t i = begin; i < end; ++i) {
    const char32_t c = text.at(static_cast<std::ptrdiff_t>(i));
    out.push_back('\\');
    if (const auto found = kSpaces.find(c); found != kSpaces.npos) {
      out.push_back(kLetters[found]);
    } else {
      out.push_back('u');
      for (const unsigned shift : {12U, 8U, 4U, 0U}) out.push_back(kHex[(c >> shift) & 15U]);
    }
  }
  return out;
}

class Writer {
 public:
  Writer(const Text& text, const MultiwordRules& rules, StreamState& state, Document& out)
      : text_(text), rules_(rules), state_(state), out_(out) {}

  /// The white space of each token ends where the next begins, the last one's at `next`. `before`: leading white space.
  void write(std::span<const Token> tokens, std::size_t next, std::size_t before) {
    data::Sentence sentence;
    sentence.reserve(2 * (text_.byte(tokens.back().end) - text_.byte(tokens.front().begin)) + 16 * tokens.size() + 64,
                     tokens.size() + 2);
    if (state_.new_paragraph) sentence.add_comment("# newpar");
    sentence.add_comment("# sent_id = " + std::to_string(++state_.sentences));
    sentence.add_comment(text_comment(tokens));
    std::size_t id = 0;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const std::size_t space_end = t + 1 < tokens.size() ? tokens[t + 1].begin : next;
      std::string misc = t == 0 && before > 0 ? "SpacesBefore=" + escaped(text_, 0, before) : "";
      add_spaces(misc, tokens[t].end, space_end);
      add_token(sentence, tokens[t], misc.empty() ? "_" : misc, id);
      out_.token_begins.push_back(state_.characters + static_cast<std::int64_t>(tokens[t].begin));
      out_.token_ends.push_back(state_.characters + static_cast<std::int64_t>(tokens[t].end));
    }
    out_.num_tokens.push_back(static_cast<std::int64_t>(tokens.size()));
    out_.sentences.push_back(std::move(sentence));
    state_.new_paragraph = gap_of(text_, tokens.back().end, next) == Gap::kParagraph;
  }

 private:
  std::string text_comment(std::span<const Token> tokens) const {
    std::string comment = "# text = ";
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      comment.append(text_.slice(tokens[t].begin, tokens[t].end));
      if (tokens[t].after != Gap::kNone && t + 1 < tokens.size()) comment.push_back(' ');
    }
    return comment;
  }

  void add_spaces(std::string& misc, std::size_t begin, std::size_t end) const {
    if (end == begin + 1 && text_.at(static_cast<std::ptrdiff_t>(begin)) == U' ') return;
    if (!misc.empty()) misc.push_back('|');
    if (begin == end) {
      misc.append("SpaceAfter=No");
    } else {
      misc.append("SpacesAfter=").append(escaped(text_, begin, end));
    }
  }

  void add_token(data::Sentence& sentence, const Token& token, std::string_view misc, std::size_t& id) {
    Cells cells;
    cells.fill("_");
    const std::vector<std::string> words = split(token);
    const std::string first = std::to_string(id + 1);
    cells[kForm] = text_.slice(token.begin, token.end);
    cells[kMisc] = misc;
    if (words.empty()) {
      cells[kId] = first;
      sentence.add_row(data::RowKind::kWord, cells);
      ++id;
      return;
    }
    const std::string range = first + "-" + std::to_string(id + words.size());
    cells[kId] = range;
    sentence.add_row(data::RowKind::kRange, cells);
    cells[kMisc] = "_";
    for (const std::string& word : words) {
      const std::string number = std::to_string(++id);
      cells[kId] = number;
      cells[kForm] = word;
      sentence.add_row(data::RowKind::kWord, cells);
    }
  }

  std::vector<std::string> split(const Token& token) {
    if (rules_.empty()) return {};
    characters_.clear();
    for (std::size_t i = token.begin; i < token.end; ++i) characters_ += text_.at(static_cast<std::ptrdiff_t>(i));
    return rules_.split(characters_);
  }

  const Text& text_;
  const MultiwordRules& rules_;
  StreamState& state_;
  Document& out_;
  std::u32string characters_;
};

/// Which part of a window that no paragraph ends in can be written: all up to its last sentence that ends well before
/// the window does. Where there is none, the sentence is cut, and where need be the token.
void keep_settled(const Text& text, std::size_t limit, const Lexicon& lexicon, Segments& segments) {
  const std::size_t settled = limit - kMargin;
  auto& [tokens, ends] = segments;
  std::size_t whole = 0;  // tokens
  while (whole < tokens.size() && tokens[whole].end <= settled) ++whole;
  std::size_t kept = whole;
  while (kept > 0 && ends[kept - 1] == 0) --kept;
  if (kept == 0) kept = whole;
  if (kept == 0) {
    tokens.front() = make_token(text, tokens.front().begin, settled, settled, lexicon);
    kept = 1;
  }
  tokens.resize(kept);
  ends.resize(kept);
  ends.back() = 1;
}

}  // namespace

Document segment_text(const SegmenterModel& model, std::string_view utf8, bool final, bool whole_paragraphs,
                      StreamState& state) {
  const Text text(utf8);
  Document out;
  Writer writer(text, model.multiword(), state, out);
  Segments segments;
  std::size_t at = skip_space(text, 0, text.size());
  std::size_t before = at;  // only at the start of all text is there white space before a piece
  std::size_t done = 0;
  while (at < text.size()) {
    const bool windowed = text.size() - at >= kWindow;
    const std::size_t limit = windowed ? at + kWindow : text.size();
    const Paragraph paragraph = paragraph_at(text, at, limit);
    const bool whole = paragraph.next < limit || (final && !windowed);
    if (!whole && !windowed) break;
    model.segment(text, paragraph, segments);
    if (whole_paragraphs) {
      std::ranges::fill(segments.sentence_ends, 0);
      segments.sentence_ends.back() = 1;
    }
    if (!whole) keep_settled(text, limit, model.lexicon(), segments);
    const std::size_t next = skip_space(text, segments.tokens.back().end, text.size());
    if (next == text.size() && !final) break;  // its white space may go on
    std::size_t first = 0;
    for (std::size_t t = 0; t < segments.tokens.size(); ++t) {
      if (segments.sentence_ends[t] == 0) continue;
      const std::size_t space_end = t + 1 < segments.tokens.size() ? segments.tokens[t + 1].begin : next;
      writer.write(std::span(segments.tokens).subspan(first, t + 1 - first), space_end, before);
      first = t + 1;
      before = 0;
    }
    done = at = next;
  }
  if (final && at == text.size()) done = at;
  out.bytes = text.byte(done);
  state.characters += static_cast<std::int64_t>(done);
  return out;
}

}  // namespace ramify::segmentation
