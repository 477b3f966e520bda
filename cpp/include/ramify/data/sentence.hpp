// A sentence of a treebank as a compact store of columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ramify::data {

/// The ten columns that CoNLL-U and CoNLL-X share; the last two are PHEAD and PDEPREL in CoNLL-X.
enum class Column : std::uint8_t { kId, kForm, kLemma, kUpos, kXpos, kFeats, kHead, kDeprel, kDeps, kMisc };
inline constexpr std::size_t kNumColumns = 10;

enum class Format : std::uint8_t { kConllU, kConllX };

/// The name that the format's own documentation gives a column.
std::string_view column_name(Format format, Column column);

enum class RowKind : std::uint8_t { kWord, kRange, kEmptyNode };

/// How the last line of a sentence ends; only the last sentence of a file can lack its empty line.
enum class Ending : std::uint8_t { kEmptyLine, kNewline, kNothing };

inline constexpr std::int32_t kNoHead = -1;  // HEAD is `_`

/// All text lies in one buffer; a cell is a place in it. Heads are numbers, so that algorithms use them as
/// they are. Rows keep the order of the file: words, multiword-token ranges and empty nodes.
class Sentence {
 public:
  explicit Sentence(Format format = Format::kConllU) : format_(format) {}

  Format format() const { return format_; }
  std::size_t num_rows() const { return kinds_.size(); }
  std::size_t num_words() const { return word_rows_.size(); }
  RowKind kind(std::size_t row) const { return kinds_[row]; }
  std::size_t word_row(std::size_t word) const { return word_rows_[word]; }

  std::string_view cell(std::size_t row, Column column) const { return text(cells_[index(row, column)]); }
  void set_cell(std::size_t row, Column column, std::string_view value);

  /// heads()[i] is the head of word i + 1: 0 is the root, kNoHead is none.
  std::span<std::int32_t> heads() { return heads_; }
  std::span<const std::int32_t> heads() const { return heads_; }

  std::size_t num_comments() const { return comments_.size(); }
  std::string_view comment(std::size_t i) const { return text(comments_[i]); }
  void set_comments(std::span<const std::string_view> comments);

  /// Appends the lines in `format`. CoNLL-X has words only: ranges, empty nodes and comments are left out,
  /// and columns nine and ten do not mean the same in the two formats, so a change of format leaves them
  /// empty.
  /// `last` says that no sentence follows: only then may the empty line at the end be missing, as it was in the file.
  void append_to(std::string& out, Format format, bool last) const;

  /// Whether the file that the sentence is the first of starts with a byte order mark, which it keeps when written.
  bool has_byte_order_mark() const { return byte_order_mark_; }

  // The reader builds a sentence with these.
  void reserve(std::size_t text_size, std::size_t num_lines);
  void add_comment(std::string_view comment);
  void add_row(RowKind kind, const std::array<std::string_view, kNumColumns>& cells);
  void set_line_end(bool crlf, Ending ending) { crlf_ = crlf, ending_ = ending; }
  void set_byte_order_mark() { byte_order_mark_ = true; }

 private:
  struct Cell {
    std::uint32_t begin;
    std::uint32_t size;
  };

  static std::size_t index(std::size_t row, Column column) {
    return row * kNumColumns + static_cast<std::size_t>(column);
  }
  std::string_view text(Cell cell) const { return std::string_view(buffer_).substr(cell.begin, cell.size); }
  Cell store(std::string_view value);
  void drop_unused_text();

  Format format_;
  bool crlf_ = false;
  bool byte_order_mark_ = false;
  Ending ending_ = Ending::kEmptyLine;
  std::string buffer_;
  std::size_t unused_ = 0;  // bytes of buffer_ that no cell refers to any more
  std::vector<Cell> comments_;
  std::vector<Cell> cells_;
  std::vector<RowKind> kinds_;
  std::vector<std::uint32_t> word_rows_;
  std::vector<std::int32_t> heads_;
};

}  // namespace ramify::data
