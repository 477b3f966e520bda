#include "ramify/data/reader.hpp"

#include <algorithm>

#include "block_parser.hpp"
#include "ramify/data/utf8.hpp"

namespace ramify::data {

bool Reader::ends_sentence(std::string_view line, bool first_line_of_sentence) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find_first_not_of(" \t") != std::string_view::npos) return false;
  Problem problem;
  problem.line = line_;
  if (!line.empty()) {
    problem.expected = "a word, a comment or an empty line";
    problem.found = "a line of white space";
    problem.action = "taken as an empty line";
  } else if (first_line_of_sentence) {
    problem.expected = "a word or a comment";
    problem.found = "an empty line where no sentence ends";
    problem.action = "line dropped";
  } else {
    return true;
  }
  if (options_.strict) throw ParseFailure(std::move(problem));
  problems_.push_back(std::move(problem));
  return true;
}

void Reader::read_block(std::string_view block, Ending ending, std::vector<Sentence>& out) {
  const auto num_lines = static_cast<std::size_t>(std::ranges::count(block, '\n'));
  const std::size_t first_line = line_ - num_lines;
  if (auto sentence = BlockParser(options_, first_line, problems_).parse(block, ending)) {
    if (std::exchange(marked_, false)) sentence->set_byte_order_mark();
    out.push_back(std::move(*sentence));
  }
}

template <typename Read>
std::vector<Sentence> Reader::good_before_bad(Read read) {
  if (failure_) throw *failure_;
  std::vector<Sentence> out;
  try {
    read(out);
  } catch (const ParseFailure& failure) {
    if (out.empty()) throw;
    failure_ = failure;
  }
  return out;
}

std::vector<Sentence> Reader::feed(std::string_view chunk) {
  return good_before_bad([&](std::vector<Sentence>& out) { read_chunk(chunk, out); });
}

std::vector<Sentence> Reader::finish() {
  return good_before_bad([&](std::vector<Sentence>& out) { read_rest(out); });
}

/// Takes the mark off the start of the input; false if more bytes are needed to see it.
bool Reader::skip_mark() {
  if (started_) return true;
  if (buffer_.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(buffer_)) return false;
  marked_ = buffer_.starts_with(kByteOrderMark);
  if (marked_) buffer_.erase(0, kByteOrderMark.size());
  return started_ = true;
}

void Reader::read_chunk(std::string_view chunk, std::vector<Sentence>& out) {
  buffer_.append(chunk);
  if (!skip_mark()) return;
  const std::string_view input = buffer_;
  std::size_t block = 0;
  std::size_t begin = scanned_;
  while (true) {
    const std::size_t end = input.find('\n', begin);
    if (end == std::string_view::npos) break;
    const bool first = begin == block;
    const bool closes = ends_sentence(input.substr(begin, end - begin), first);
    ++line_;
    begin = end + 1;
    if (!closes) continue;
    if (!first) read_block(input.substr(block, begin - block), Ending::kEmptyLine, out);
    block = begin;
  }
  buffer_.erase(0, block);
  scanned_ = begin - block;
  if (buffer_.size() > options_.max_sentence_bytes) {
    const auto lines = static_cast<std::size_t>(std::ranges::count(buffer_, '\n'));
    throw ParseFailure({line_ - lines, "",
                        "a sentence of at most " + std::to_string(options_.max_sentence_bytes) + " bytes",
                        "no empty line in " + std::to_string(buffer_.size()) + " bytes (is this a treebank?)", ""});
  }
}

void Reader::read_rest(std::vector<Sentence>& out) {
  if (!buffer_.empty()) {
    const bool newline = buffer_.ends_with('\n');
    const std::string block = std::exchange(buffer_, {});
    read_block(block, newline ? Ending::kNewline : Ending::kNothing, out);
  }
  scanned_ = 0;
}

}  // namespace ramify::data
