// CoNLL-U and CoNLL-X, read as a stream: chunks of bytes in, checked sentences out.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ramify/data/sentence.hpp"

namespace ramify::data {

/// Something in the input that its format does not allow.
struct Problem {
  std::size_t line;      // from 1
  std::string column;    // name of the column, empty if the whole line is meant
  std::string expected;  // what the format asks for
  std::string found;     // what stands there
  std::string action;    // what a lenient reader did about it
};

/// The first problem that a strict reader meets.
class ParseFailure : public std::runtime_error {
 public:
  explicit ParseFailure(Problem p) : std::runtime_error(p.expected), problem(std::move(p)) {}
  Problem problem;
};

struct ReaderOptions {
  Format format = Format::kConllU;
  bool strict = true;  // throw ParseFailure, or mend and go on
  bool multiple_roots = false;
  std::size_t max_sentence_bytes = 0;
};

/// Everything is checked here, so that all users of a Sentence can rely on its form.
class Reader {
 public:
  explicit Reader(ReaderOptions options) : options_(options) {}

  /// Sentences completed by this chunk; the rest waits for the next one. Where a chunk holds good sentences
  /// before a problem, they are returned first and the failure is thrown by the next call.
  std::vector<Sentence> feed(std::string_view chunk);
  /// The last sentence, if the input ended without an empty line.
  std::vector<Sentence> finish();
  /// Problems that were repaired since the last call.
  std::vector<Problem> take_problems() { return std::exchange(problems_, {}); }

 private:
  bool ends_sentence(std::string_view line, bool first_line_of_sentence);
  bool skip_mark();
  void read_chunk(std::string_view chunk, std::vector<Sentence>& out);
  void read_rest(std::vector<Sentence>& out);
  template <typename Read>
  std::vector<Sentence> good_before_bad(Read read);
  void read_block(std::string_view block, Ending ending, std::vector<Sentence>& out);

  ReaderOptions options_;
  std::string buffer_;       // input that has not been read yet
  bool started_ = false;     // whether it is known if the input starts with a byte order mark
  bool marked_ = false;      // it does, and the first sentence, which remembers it, is still to come
  std::size_t scanned_ = 0;  // of which this much is known to hold no empty line
  std::size_t line_ = 1;     // number of the first line in buffer_ that belongs to no finished sentence
  std::vector<Problem> problems_;
  std::optional<ParseFailure> failure_;
};

}  // namespace ramify::data
