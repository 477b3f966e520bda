// The lines of one sentence, checked and stored.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramify/data/reader.hpp"
#include "ramify/data/sentence.hpp"

namespace ramify::data {

/// Parses the text of one sentence. A strict parser throws at the first problem; a lenient one mends what has
/// an obvious remedy, gives up the sentence where it has none, and says which.
class BlockParser {
 public:
  BlockParser(const ReaderOptions& options, std::size_t first_line, std::vector<Problem>& problems)
      : options_(options), first_line_(first_line), problems_(problems) {}

  /// `block` holds all lines of the sentence with their line ends, the closing empty line included.
  std::optional<Sentence> parse(std::string_view block, Ending ending);

 private:
  using Cells = std::array<std::string_view, kNumColumns>;
  struct Row {
    std::size_t line;
    RowKind kind;
    Cells cells;
  };
  struct GiveUp {};  // thrown when a lenient parser must skip the sentence

  std::string_view repair_encoding(std::string_view block);
  bool find_line_end(std::string_view block);
  void split_lines(std::string_view block);
  void add_row(std::string_view text, std::size_t line);
  std::size_t split_cells(std::string_view text, std::size_t line, Cells& cells);
  void check_cells(std::size_t line, Cells& cells);
  void check_deps(std::size_t line, Cells& cells);
  RowKind check_id(std::size_t line, const Cells& cells);
  void check_rows();
  void check_word(const Row& row, std::size_t next_word);
  bool is_good_range(const Row& row, std::size_t next_word, std::size_t num_words, std::size_t& range_end);
  bool is_good_empty_node(const Row& row, std::size_t next_word, std::size_t& last_index);
  bool is_headless(const Row& row);
  void read_heads(Sentence& sentence);
  void check_roots(Sentence& sentence);
  void check_cycles(Sentence& sentence);

  void report(std::size_t line, std::string column, std::string expected, std::string found, std::string action);
  [[noreturn]] void give_up(std::size_t line, std::string column, std::string expected, std::string found);
  std::string name(Column column) const { return std::string(column_name(options_.format, column)); }
  std::size_t word_line(std::size_t word) const { return word_lines_[word]; }

  const ReaderOptions& options_;
  std::size_t first_line_;
  std::vector<Problem>& problems_;
  std::string mended_;                    // the block with malformed UTF-8 replaced
  std::deque<std::string> mended_cells_;  // those with control characters replaced; views of them stay valid
  std::vector<std::string_view> comments_;
  std::vector<Row> rows_;
  std::vector<std::size_t> word_lines_;  // line of word i + 1
};

}  // namespace ramify::data
