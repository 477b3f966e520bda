#include "block_parser.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "ramify/data/utf8.hpp"

namespace ramify::data {
namespace {

constexpr std::size_t column_index(Column column) { return static_cast<std::size_t>(column); }

/// Control characters of ASCII. Those above it (U+0080 to U+009F) stand in published treebanks, for punctuation of
/// Windows, so that they have to be read.
bool is_control(char c) { return static_cast<std::uint8_t>(c) < 0x20 || c == '\x7F'; }

std::string code_point(char c) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto byte = static_cast<std::uint8_t>(c);
  return std::string("U+00") + kHex[byte >> 4U] + kHex[byte & 15U];
}

std::string without_controls(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_control(c)) {
      out.append("\xEF\xBF\xBD");
    } else {
      out.push_back(c);
    }
  }
  return out;
}

/// The text as an error message shows it: quoted, short, control characters made visible.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string out = "'";
  std::size_t end = std::min(text.size(), kLongest);
  while (end < text.size() && end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  for (const char c : text.substr(0, end)) {
    if (c == '\t') {
      out.append("\\t");
    } else if (is_control(c)) {
      out.append("?");
    } else {
      out.push_back(c);
    }
  }
  return out.append(end < text.size() ? "…'" : "'");
}

/// A number without sign or leading zeros that fits; anything else is no number for us.
std::optional<std::size_t> parse_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value > static_cast<std::uint32_t>(INT32_MAX) || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  return value;
}

/// The two numbers of "3-4" or "5.1".
std::optional<std::pair<std::size_t, std::size_t>> parse_pair(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  const auto first = parse_number(text.substr(0, at));
  const auto second = parse_number(text.substr(at + 1));
  if (!first || !second) return std::nullopt;
  return std::pair(*first, *second);
}

std::string plural(std::size_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace

void BlockParser::report(std::size_t line, std::string column, std::string expected, std::string found,
                         std::string action) {
  Problem problem{line, std::move(column), std::move(expected), std::move(found), std::move(action)};
  if (options_.strict) throw ParseFailure(std::move(problem));
  problems_.push_back(std::move(problem));
}

void BlockParser::give_up(std::size_t line, std::string column, std::string expected, std::string found) {
  report(line, std::move(column), std::move(expected), std::move(found), "sentence skipped");
  throw GiveUp();
}

std::optional<Sentence> BlockParser::parse(std::string_view block, Ending ending) try {
  const std::string_view text = repair_encoding(block);
  const bool crlf = find_line_end(text);
  split_lines(text);
  if (rows_.empty()) {
    give_up(first_line_, "", "a sentence with at least one word", "comments only");
  }
  check_rows();

  Sentence sentence(options_.format);
  sentence.reserve(text.size(), rows_.size());
  sentence.set_line_end(crlf, ending);
  for (const std::string_view comment : comments_) sentence.add_comment(comment);
  for (const Row& row : rows_) sentence.add_row(row.kind, row.cells);
  read_heads(sentence);
  check_cycles(sentence);
  check_roots(sentence);
  return sentence;
} catch (const GiveUp&) {
  return std::nullopt;
}

std::string_view BlockParser::repair_encoding(std::string_view block) {
  if (block.starts_with(kByteOrderMark)) {
    report(first_line_, "", "a byte order mark at the start of the file only", "one before a sentence", "mark removed");
    block.remove_prefix(kByteOrderMark.size());
  }
  const std::size_t bad = find_invalid_utf8(block);
  if (bad == std::string_view::npos) return block;
  const std::string_view before = block.substr(0, bad);
  const auto line = first_line_ + static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 == 0
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto byte = static_cast<std::uint8_t>(block[bad]);
  report(line, "", "UTF-8 text",
         std::string("byte 0x") + kHex[byte >> 4U] + kHex[byte & 15U] + " at byte " +
             std::to_string(bad - line_begin + 1) + " of the line (is the file in another encoding?)",
         "malformed bytes replaced by U+FFFD");
  mended_ = replace_invalid_utf8(block);
  return mended_;
}

bool BlockParser::find_line_end(std::string_view block) {
  const std::size_t first = block.find('\n');
  if (first == std::string_view::npos) return false;
  const bool crlf = first > 0 && block[first - 1] == '\r';
  std::size_t line = first_line_;
  for (std::size_t end = first; end != std::string_view::npos; end = block.find('\n', end + 1), ++line) {
    if ((end > 0 && block[end - 1] == '\r') != crlf) {
      report(line, "",
             crlf ? "the line to end in CR LF like the lines before" : "the line to end in LF like the lines before",
             crlf ? "LF" : "CR LF", "line ends made alike");
      break;
    }
  }
  return crlf;
}

void BlockParser::split_lines(std::string_view block) {
  std::size_t line = first_line_;
  for (std::size_t begin = 0; begin < block.size(); ++line) {
    const std::size_t end = std::min(block.find('\n', begin), block.size());
    std::string_view text = block.substr(begin, end - begin);
    if (text.ends_with('\r')) text.remove_suffix(1);
    begin = end + 1;
    if (text.empty()) continue;  // the empty line that closes the sentence
    if (text.front() == '#') {
      if (!rows_.empty()) {
        report(line, "", "comments before the first word only", quoted(text), "comment moved to the front");
      }
      comments_.push_back(text);
    } else {
      add_row(text, line);
    }
  }
}

std::size_t BlockParser::split_cells(std::string_view text, std::size_t line, Cells& cells) {
  std::size_t count = 0;
  for (std::size_t begin = 0; begin <= text.size(); ++count) {
    const std::size_t end = std::min(text.find('\t', begin), text.size());
    if (count < kNumColumns) cells[count] = text.substr(begin, end - begin);
    begin = end + 1;
  }
  if (count == kNumColumns) return count;

  const bool spaced = count == 1 && text.find(' ') != std::string_view::npos;
  std::string found =
      plural(count, "column") + (spaced ? " (are they separated by spaces?)" : "") + " in " + quoted(text);
  const std::string expected = "10 columns separated by tabs";
  if (spaced) {
    Cells by_space;
    std::size_t pieces = 0;
    for (std::size_t begin = text.find_first_not_of(' '); begin != std::string_view::npos; ++pieces) {
      const std::size_t end = std::min(text.find(' ', begin), text.size());
      if (pieces < kNumColumns) by_space[pieces] = text.substr(begin, end - begin);
      begin = text.find_first_not_of(' ', end);
    }
    if (pieces == kNumColumns) {
      report(line, "", expected, std::move(found), "split at spaces");
      cells = by_space;
      return pieces;
    }
  }
  if (count == 1) give_up(line, "", expected, std::move(found));
  report(line, "", expected, std::move(found),
         count < kNumColumns ? "missing columns filled with '_'" : "columns after the tenth dropped");
  for (std::size_t c = count; c < kNumColumns; ++c) cells[c] = "_";
  return kNumColumns;
}

void BlockParser::add_row(std::string_view text, std::size_t line) {
  Cells cells;
  split_cells(text, line, cells);
  check_cells(line, cells);
  const RowKind kind = check_id(line, cells);
  rows_.push_back({line, kind, cells});
}

void BlockParser::check_cells(std::size_t line, Cells& cells) {
  for (std::size_t c = 0; c < kNumColumns; ++c) {
    if (!cells[c].empty()) continue;
    report(line, name(static_cast<Column>(c)), "a value, or '_' for none", "nothing", "filled with '_'");
    cells[c] = "_";
  }
  for (std::size_t c = 0; c < kNumColumns; ++c) {
    const auto bad = std::ranges::find_if(cells[c], is_control);
    if (bad != cells[c].end()) {
      report(line, name(static_cast<Column>(c)), "text without control characters",
             code_point(*bad) + " in " + quoted(cells[c]), "control characters replaced by U+FFFD");
      cells[c] = mended_cells_.emplace_back(without_controls(cells[c]));
    }
  }
  if (options_.format == Format::kConllU) check_deps(line, cells);
}

void BlockParser::check_deps(std::size_t line, Cells& cells) {
  std::string_view& deps = cells[column_index(Column::kDeps)];
  if (deps == "_") return;
  for (std::size_t begin = 0; begin <= deps.size();) {
    const std::size_t end = std::min(deps.find('|', begin), deps.size());
    const std::string_view item = deps.substr(begin, end - begin);
    const std::size_t colon = item.find(':');
    const std::string_view head = item.substr(0, colon);
    if (colon == std::string_view::npos || colon + 1 == item.size() || !(parse_number(head) || parse_pair(head, '.'))) {
      report(line, name(Column::kDeps), "'_' or head:relation pairs separated by '|'", quoted(deps), "replaced by '_'");
      deps = "_";
      return;
    }
    begin = end + 1;
  }
}

RowKind BlockParser::check_id(std::size_t line, const Cells& cells) {
  const std::string_view id = cells[column_index(Column::kId)];
  if (parse_number(id)) return RowKind::kWord;
  const bool conllu = options_.format == Format::kConllU;
  if (conllu && parse_pair(id, '-')) return RowKind::kRange;
  if (conllu && parse_pair(id, '.')) return RowKind::kEmptyNode;
  give_up(line, name(Column::kId),
          conllu ? "a word number (3), a range (3-4) or an empty node (3.1)" : "a word number (3)", quoted(id));
}

void BlockParser::check_rows() {
  const auto num_words =
      static_cast<std::size_t>(std::ranges::count_if(rows_, [](const Row& row) { return row.kind == RowKind::kWord; }));
  std::size_t next_word = 1;
  std::size_t range_end = 0;
  std::size_t last_empty_node = 0;
  std::vector<Row> good;
  good.reserve(rows_.size());
  for (const Row& row : rows_) {
    bool keep = true;
    switch (row.kind) {
      case RowKind::kWord:
        check_word(row, next_word);
        word_lines_.push_back(row.line);
        ++next_word;
        last_empty_node = 0;
        break;
      case RowKind::kRange:
        keep = is_good_range(row, next_word, num_words, range_end) && is_headless(row);
        break;
      case RowKind::kEmptyNode:
        keep = is_good_empty_node(row, next_word, last_empty_node) && is_headless(row);
        break;
    }
    if (keep) good.push_back(row);
  }
  if (num_words == 0) give_up(rows_.front().line, name(Column::kId), "a sentence with at least one word", "none");
  rows_.swap(good);
}

void BlockParser::check_word(const Row& row, std::size_t next_word) {
  const std::string_view text = row.cells[column_index(Column::kId)];
  const std::size_t id = *parse_number(text);
  if (id == next_word) return;
  give_up(row.line, name(Column::kId), std::to_string(next_word),
          quoted(text) + (id < next_word && id > 0 ? ", a duplicate"
                          : id == 0                ? ", which is the root"
                                                   : ", so that a word is missing"));
}

bool BlockParser::is_good_range(const Row& row, std::size_t next_word, std::size_t num_words, std::size_t& range_end) {
  const std::string_view text = row.cells[column_index(Column::kId)];
  const auto [first, last] = *parse_pair(text, '-');
  if (first == next_word && last >= first && last <= num_words && first > range_end) {
    range_end = last;
    return true;
  }
  std::string expected = first <= range_end   ? "a range that does not overlap the one before it"
                         : first != next_word ? "a range that starts at the next word, " + std::to_string(next_word)
                         : last < first ? "a range whose end is not before its start"
                                        : "a range that ends at or before the last word, " + std::to_string(num_words);
  report(row.line, name(Column::kId), std::move(expected), quoted(text), "multiword token dropped");
  return false;
}

bool BlockParser::is_good_empty_node(const Row& row, std::size_t next_word, std::size_t& last_index) {
  const std::string_view text = row.cells[column_index(Column::kId)];
  const auto [word, index] = *parse_pair(text, '.');
  if (word + 1 == next_word && index == last_index + 1) {
    ++last_index;
    return true;
  }
  report(row.line, name(Column::kId),
         "empty node " + std::to_string(next_word - 1) + "." + std::to_string(last_index + 1), quoted(text),
         "empty node dropped");
  return false;
}

bool BlockParser::is_headless(const Row& row) {
  const std::string_view head = row.cells[column_index(Column::kHead)];
  if (head == "_") return true;
  report(row.line, name(Column::kHead),
         row.kind == RowKind::kRange ? "'_' in a multiword token" : "'_' in an empty node (its heads are in DEPS)",
         quoted(head), row.kind == RowKind::kRange ? "multiword token dropped" : "empty node dropped");
  return false;
}

void BlockParser::read_heads(Sentence& sentence) {
  const std::size_t n = sentence.num_words();
  for (std::size_t word = 0; word < n; ++word) {
    const std::string_view text = sentence.cell(sentence.word_row(word), Column::kHead);
    if (text == "_") continue;
    const auto head = parse_number(text);
    if (head && *head <= n && *head != word + 1) {
      sentence.heads()[word] = static_cast<std::int32_t>(*head);
      continue;
    }
    report(word_line(word), name(Column::kHead),
           "0 (root), a word of the sentence (1 to " + std::to_string(n) + ") or '_'",
           quoted(text) + (head && *head == word + 1 ? ", the word itself" : ""), "head removed");
  }
}

void BlockParser::check_roots(Sentence& sentence) {
  if (options_.multiple_roots) return;
  std::size_t roots = 0;
  for (std::size_t word = 0; word < sentence.num_words(); ++word) {
    if (sentence.heads()[word] != 0 || ++roots < 2) continue;
    report(word_line(word), name(Column::kHead), "one root", "a second word with head 0", "kept");
    return;
  }
}

void BlockParser::check_cycles(Sentence& sentence) {
  // Walk up from every word; a word met again on the same walk closes a cycle.
  const std::size_t n = sentence.num_words();
  const auto heads = sentence.heads();
  std::vector<std::size_t> walk_of(n + 1, 0);
  for (std::size_t start = 1; start <= n; ++start) {
    std::size_t word = start;
    while (walk_of[word] == 0) {
      walk_of[word] = start;
      const std::int32_t head = heads[word - 1];
      if (head <= 0) break;
      word = static_cast<std::size_t>(head);
      if (walk_of[word] != start) continue;
      std::string cycle = std::to_string(word);
      std::size_t next = word;
      do {
        next = static_cast<std::size_t>(heads[next - 1]);
        cycle += " -> " + std::to_string(next);
      } while (next != word && cycle.size() < 60);
      if (next != word) cycle += " -> …";
      report(word_line(word - 1), name(Column::kHead), "a tree", "a cycle of heads: " + cycle, "head removed");
      heads[word - 1] = kNoHead;
      break;
    }
  }
}

}  // namespace ramify::data
