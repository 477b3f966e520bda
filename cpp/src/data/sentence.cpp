#include "ramify/data/sentence.hpp"

#include <charconv>
#include <limits>
#include <stdexcept>

namespace ramify::data {

std::string_view column_name(Format format, Column column) {
  static constexpr std::array<std::string_view, kNumColumns> kConllUNames = {"ID",    "FORM", "LEMMA",  "UPOS", "XPOS",
                                                                             "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"};
  static constexpr std::array<std::string_view, kNumColumns> kConllXNames = {
      "ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS", "HEAD", "DEPREL", "PHEAD", "PDEPREL"};
  const auto i = static_cast<std::size_t>(column);
  return format == Format::kConllU ? kConllUNames[i] : kConllXNames[i];
}

Sentence::Cell Sentence::store(std::string_view value) {
  if (buffer_.size() + value.size() > std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("a sentence cannot hold more than 4 GiB of text");
  const Cell cell{static_cast<std::uint32_t>(buffer_.size()), static_cast<std::uint32_t>(value.size())};
  buffer_.append(value);
  return cell;
}

void Sentence::reserve(std::size_t text_size, std::size_t num_lines) {
  buffer_.reserve(text_size);
  cells_.reserve(num_lines * kNumColumns);
  kinds_.reserve(num_lines);
  word_rows_.reserve(num_lines);
  heads_.reserve(num_lines);
}

void Sentence::add_comment(std::string_view comment) { comments_.push_back(store(comment)); }

void Sentence::add_row(RowKind kind, const std::array<std::string_view, kNumColumns>& cells) {
  if (kind == RowKind::kWord) {
    word_rows_.push_back(static_cast<std::uint32_t>(kinds_.size()));
    heads_.push_back(kNoHead);
  }
  kinds_.push_back(kind);
  for (const std::string_view cell : cells) cells_.push_back(store(cell));
}

void Sentence::set_cell(std::size_t row, Column column, std::string_view value) {
  Cell& cell = cells_[index(row, column)];
  unused_ += cell.size;
  cell = store(value);
  // Columns can be rewritten any number of times (a parser's output, again and again): keep the text bounded.
  if (unused_ > 4096 && unused_ > buffer_.size() / 2) drop_unused_text();
}

void Sentence::set_comments(std::span<const std::string_view> comments) {
  for (const Cell comment : comments_) unused_ += comment.size;
  comments_.clear();
  for (const std::string_view comment : comments) add_comment(comment);
}

void Sentence::drop_unused_text() {
  std::string old;
  old.swap(buffer_);
  buffer_.reserve(old.size() - unused_);
  const auto keep = [&](Cell& cell) { cell = store(std::string_view(old).substr(cell.begin, cell.size)); };
  for (Cell& cell : comments_) keep(cell);
  for (Cell& cell : cells_) keep(cell);
  unused_ = 0;
}

void Sentence::append_to(std::string& out, Format format, bool last) const {
  const Ending ending = last ? ending_ : Ending::kEmptyLine;
  const std::string_view line_end = crlf_ ? "\r\n" : "\n";
  const bool words_only = format == Format::kConllX && format_ != format;
  if (!words_only) {
    for (const Cell comment : comments_) out.append(text(comment)).append(line_end);
  }
  std::size_t word = 0;
  for (std::size_t row = 0; row < num_rows(); ++row) {
    if (words_only && kinds_[row] != RowKind::kWord) continue;
    for (std::size_t c = 0; c < kNumColumns; ++c) {
      const auto column = static_cast<Column>(c);
      if (c > 0) out.push_back('\t');
      if (column == Column::kHead && kinds_[row] == RowKind::kWord) {
        const std::int32_t head = heads_[word++];
        char digits[16];
        if (head == kNoHead) {
          out.push_back('_');
        } else {
          out.append(digits, std::to_chars(digits, digits + sizeof digits, head).ptr);
        }
      } else if (format_ != format && column >= Column::kDeps) {
        out.push_back('_');
      } else {
        out.append(cell(row, column));
      }
    }
    if (row + 1 < num_rows() || ending != Ending::kNothing) out.append(line_end);
  }
  if (ending == Ending::kEmptyLine) out.append(line_end);
}

}  // namespace ramify::data
