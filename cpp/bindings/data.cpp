#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "checks.hpp"
#include "members.hpp"
#include "ramify/data/reader.hpp"
#include "ramify/data/sentence.hpp"
#include "ramify/data/utf8.hpp"
#include "turns.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ramify::bindings {
namespace {

using data::Column;
using data::Format;
using data::Problem;
using data::Reader;
using data::RowKind;
using data::Sentence;

nb::object text_object(std::string_view text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict"));
}

/// A file that is being read, by one thread at a time.
struct BoundReader : Reader {
  using Reader::Reader;
  Turn turn;
};

std::size_t checked_row(const Sentence& sentence, std::size_t word) {
  expect(word < sentence.num_words(), "A sentence expects a word that it has.");
  return sentence.word_row(word);
}

nb::tuple word_column(const Sentence& sentence, Column column) {
  nb::list values;
  for (std::size_t word = 0; word < sentence.num_words(); ++word) {
    values.append(text_object(sentence.cell(sentence.word_row(word), column)));
  }
  return nb::tuple(values);
}

void set_word_column(Sentence& sentence, Column column, const std::vector<std::string_view>& values) {
  expect_size("values", values.size(), sentence.num_words());
  for (std::size_t word = 0; word < sentence.num_words(); ++word) {
    sentence.set_cell(sentence.word_row(word), column, values[word]);
  }
}

nb::list rows_of_kind(const Sentence& sentence, RowKind kind) {
  nb::list rows;
  for (std::size_t row = 0; row < sentence.num_rows(); ++row) {
    if (sentence.kind(row) != kind) continue;
    nb::list cells;
    for (std::size_t c = 0; c < data::kNumColumns; ++c) {
      cells.append(text_object(sentence.cell(row, static_cast<Column>(c))));
    }
    rows.append(nb::tuple(cells));
  }
  return rows;
}

nb::list comments(const Sentence& sentence) {
  nb::list lines;
  for (std::size_t i = 0; i < sentence.num_comments(); ++i) lines.append(text_object(sentence.comment(i)));
  return lines;
}

nb::bytes to_bytes(const std::vector<const Sentence*>& sentences, Format format, bool first, bool last) {
  expect_objects("sentences", sentences);
  std::string out;
  if (first && !sentences.empty() && sentences[0]->has_byte_order_mark() && sentences[0]->format() == format) {
    out = data::kByteOrderMark;
  }
  // With Python's lock, so that no other thread changes the sentences meanwhile.
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    sentences[i]->append_to(out, format, last && i + 1 == sentences.size());
  }
  return nb::bytes(out.data(), out.size());
}

nb::list take_problems(BoundReader& reader) {
  nb::list problems;
  for (const Problem& p : reader.take_problems()) {
    problems.append(nb::make_tuple(p.line, p.column, p.expected, p.found, p.action));
  }
  return problems;
}

void register_parse_failure(nb::module_& m) {
  static PyObject* type = PyErr_NewException("ramify._core.ParseFailure", nullptr, nullptr);
  m.attr("ParseFailure") = nb::borrow(type);
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const data::ParseFailure& failure) {
      const Problem& p = failure.problem;
      PyErr_SetObject(type, nb::make_tuple(p.line, p.column, p.expected, p.found).ptr());
    }
  });
}

}  // namespace

void register_data(nb::module_& m) {
  register_parse_failure(m);

  add_enum<Format>(m, "Format", "CONLLU", Format::kConllU, "CONLLX", Format::kConllX);
  add_enum<Column>(m, "Column", "FORM", Column::kForm, "LEMMA", Column::kLemma, "UPOS", Column::kUpos, "XPOS",
                   Column::kXpos, "FEATS", Column::kFeats, "DEPREL", Column::kDeprel, "DEPS", Column::kDeps, "MISC",
                   Column::kMisc);
  add_enum<RowKind>(m, "RowKind", "WORD", RowKind::kWord, "RANGE", RowKind::kRange, "EMPTY_NODE", RowKind::kEmptyNode);

  nb::class_<Sentence>(m, "Sentence")
      .def("__len__", &Sentence::num_words)
      .def_prop_ro("format", &Sentence::format)
      .def("copy", [](const Sentence& self) { return Sentence(self); })
      .def("column", &word_column, "column"_a, nb::sig("def column(self, column: Column) -> tuple[str, ...]"))
      .def("set_column", &set_word_column, "column"_a, "values"_a)
      .def(
          "cell",
          [](const Sentence& self, std::size_t word, Column column) {
            return text_object(self.cell(checked_row(self, word), column));
          },
          "word"_a, "column"_a, nb::sig("def cell(self, word: int, column: Column) -> str"))
      .def(
          "set_cell",
          [](Sentence& self, std::size_t word, Column column, std::string_view value) {
            self.set_cell(checked_row(self, word), column, value);
          },
          "word"_a, "column"_a, "value"_a)
      .def("rows", &rows_of_kind, "kind"_a, nb::sig("def rows(self, kind: RowKind) -> list[tuple[str, ...]]"))
      .def_prop_ro(
          "heads",
          [](Sentence& self) {
            return nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>(self.heads().data(), {self.num_words()});
          },
          nb::rv_policy::reference_internal)
      .def("comments", &comments, nb::sig("def comments(self) -> list[str]"))
      .def(
          "set_comments", [](Sentence& self, const std::vector<std::string_view>& lines) { self.set_comments(lines); },
          "lines"_a);

  m.def("to_bytes", &to_bytes, "sentences"_a, "format"_a, "first"_a, "last"_a);

  nb::class_<BoundReader>(m, "Reader")
      .def(
          "__init__",
          [](BoundReader* self, Format format, bool strict, bool multiple_roots, std::size_t max_sentence_bytes) {
            new (self) BoundReader({format, strict, multiple_roots, max_sentence_bytes});
          },
          "format"_a, "strict"_a, "multiple_roots"_a, "max_sentence_bytes"_a)
      .def(
          "feed",
          [](BoundReader& self, const nb::bytes& chunk) {
            const std::string_view text(chunk.c_str(), chunk.size());
            const Working working(self.turn);
            return self.feed(text);
          },
          "chunk"_a)
      .def("finish",
           [](BoundReader& self) {
             const Working working(self.turn);
             return self.finish();
           })
      .def("take_problems", &take_problems, nb::sig("def take_problems(self) -> list[tuple[int, str, str, str, str]]"));
}

}  // namespace ramify::bindings
