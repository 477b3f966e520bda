# ruff: noqa: E501 - one case a line, so that the table can be read
"""A table of malformed inputs: what a strict reader says, what a lenient one does."""

from __future__ import annotations

import io
import pickle

import pytest

from ramify.data import read
from ramify.errors import ParseError

pytestmark = pytest.mark.engine

REST = "\t_\t_\t_\t_\t0\troot\t_\t_"
WORD_1 = "1\ta" + REST


def word(i, head, form="w"):
    return f"{i}\t{form}\t_\t_\t_\t_\t{head}\tdep\t_\t_"


# name: (lines, line, column, expected, found, action, number of sentences that a lenient reader keeps)
CASES = {
    "too few columns": (["1\ta\t_"], 1, "", "10 columns", "3 columns in '1\\ta\\t_'", "filled", 1),
    "too many columns": ([WORD_1 + "\tx"], 1, "", "10 columns", "11 columns", "after the tenth dropped", 1),
    "spaces": ([WORD_1.replace("\t", "  ")], 1, "", "by tabs", "separated by spaces?", "split at spaces", 1),
    "no columns": (["hello world"], 1, "", "10 columns", "1 column (", "skipped", 0),
    "empty cell": (["1\t\t_\t_\t_\t_\t0\troot\t_\t_"], 1, "FORM", "'_' for none", "nothing", "filled", 1),
    "ID no number": (["x" + REST.replace("\t_", "\tb\t_", 1)], 1, "ID", "a word number", "'x'", "skipped", 0),
    "ID with a sign": (["+1\ta" + REST], 1, "ID", "a word number", "'+1'", "skipped", 0),
    "ID with zeros": (["01\ta" + REST], 1, "ID", "a word number", "'01'", "skipped", 0),
    "duplicate ID": ([WORD_1, word(1, 1)], 2, "ID", "2", "'1', a duplicate", "skipped", 0),
    "missing ID": ([WORD_1, word(3, 1)], 2, "ID", "2", "'3', so that a word is missing", "skipped", 0),
    "ID zero": ([word(0, 1)], 1, "ID", "1", "'0', which is the root", "skipped", 0),
    "head too large": ([word(1, 2)], 1, "HEAD", "1 to 1", "'2'", "head removed", 1),
    "head negative": ([word(1, -1)], 1, "HEAD", "0 (root)", "'-1'", "head removed", 1),
    "head no number": ([word(1, "x")], 1, "HEAD", "0 (root)", "'x'", "head removed", 1),
    "head huge": ([word(1, 10**30)], 1, "HEAD", "1 to 1", "'1000", "head removed", 1),
    "head is the word": ([word(1, 1)], 1, "HEAD", "1 to 1", "the word itself", "head removed", 1),
    "cycle": ([word(1, 2), word(2, 3), word(3, 1)], 1, "HEAD", "a tree", "1 -> 2 -> 3 -> 1", "head removed", 1),
    "cycle beside a root": ([WORD_1, word(2, 3), word(3, 2)], 2, "HEAD", "a tree", "2 -> 3 -> 2", "removed", 1),
    "several roots": ([WORD_1, word(2, 0)], 2, "HEAD", "one root", "a second word with head 0", "kept", 1),
    "range backwards": (["2-1\tx" + "\t_" * 8, WORD_1], 1, "ID", "next word, 1", "'2-1'", "dropped", 1),
    "range ends early": ([WORD_1, "2-1\tx" + "\t_" * 8, word(2, 1)], 2, "ID", "not before its start", "'2-1'", "dropped", 1),
    "range too long": (["1-3\tx" + "\t_" * 8, WORD_1, word(2, 1)], 1, "ID", "last word, 2", "'1-3'", "dropped", 1),
    "ranges overlap": (
        ["1-2\tx" + "\t_" * 8, WORD_1, "2-3\ty" + "\t_" * 8, word(2, 1), word(3, 1)],
        3, "ID", "does not overlap", "'2-3'", "dropped", 1,
    ),
    "range with a head": (["1-2\tx\t_\t_\t_\t_\t1\t_\t_\t_", WORD_1, word(2, 1)], 1, "HEAD", "multiword", "'1'", "dropped", 1),
    "empty node misplaced": ([WORD_1, "3.1\tx" + "\t_" * 8], 2, "ID", "empty node 1.1", "'3.1'", "dropped", 1),
    "empty node with a head": ([WORD_1, "1.1\tx\t_\t_\t_\t_\t1\t_\t_\t_"], 2, "HEAD", "in DEPS", "'1'", "dropped", 1),
    "DEPS malformed": (["1\ta\t_\t_\t_\t_\t0\troot\tnonsense\t_"], 1, "DEPS", "head:relation", "'nonsense'", "by '_'", 1),
    "comments only": (["# a comment"], 1, "", "at least one word", "comments only", "skipped", 0),
    "only a range": (["1-1\tx" + "\t_" * 8], 1, "ID", "", "'1-1'", "dropped", 0),
    "comment after a word": ([WORD_1, "# late"], 2, "", "before the first word", "'# late'", "moved", 1),
    "white space line": (["   ", WORD_1], 1, "", "an empty line", "white space", "taken as an empty line", 1),
    "two empty lines": (["", WORD_1], 1, "", "a word or a comment", "an empty line", "dropped", 1),
    "line ends mixed": (["# c\r", WORD_1 + "\r", word(2, 1)], 3, "", "CR LF like", "LF", "made alike", 1),
    "byte order mark inside": ([WORD_1, "", "\ufeff" + WORD_1], 3, "", "at the start of the file", "one before", "removed", 2),
    "NUL": (["1\ta\0b" + REST], 1, "FORM", "without control", "U+0000 in 'a?b'", "by U+FFFD", 1),
    "escape": (["1\ta\t\x1b[31m" + REST[2:]], 1, "LEMMA", "without control", "U+001B in '?[31m'", "by U+FFFD", 1),
    "delete": ([WORD_1[:-1] + "\x7f"], 1, "MISC", "without control", "U+007F", "by U+FFFD", 1),
    "carriage return": (["1\ta\rb" + REST], 1, "FORM", "without control", "U+000D in 'a?b'", "by U+FFFD", 1),
}  # fmt: skip


def text_of(lines):
    return ("\n".join(lines) + "\n\n").encode()


@pytest.mark.parametrize("name", CASES)
def test_strict(name):
    lines, line, column, expected, found, _, _ = CASES[name]
    with pytest.raises(ParseError) as caught:
        list(read(io.BytesIO(text_of(lines)), format="conllu"))
    error = caught.value
    assert error.line == line
    assert error.column == column
    assert expected in error.expected
    assert found in error.found
    assert str(error).startswith(f"<string>:{line}: ")
    assert pickle.loads(pickle.dumps(error)).args == error.args


@pytest.mark.parametrize("name", CASES)
def test_lenient(name):
    lines, line, _, _, found, action, kept = CASES[name]
    problems = []
    sentences = list(read(io.BytesIO(text_of(lines)), format="conllu", strict=False, on_problem=problems.append))
    assert len(sentences) == kept
    assert problems[0].line == line
    assert found in problems[0].found
    assert action in problems[0].action
    assert problems[0].action in str(problems[0])
    for sentence in sentences:  # what was mended passes the strict reader
        list(read(io.BytesIO(sentence.to_bytes()), format="conllu", multiple_roots=True))


def test_bad_utf8_names_line_and_byte():
    data = text_of([WORD_1]) + text_of(["1\tcaf\xe9" + REST]).replace("é".encode(), b"\xe9")
    sentences = read(io.BytesIO(data), format="conllu")
    assert next(sentences).forms == ("a",), "good sentences before the problem are not lost"
    with pytest.raises(ParseError, match=r"<string>:3: expected UTF-8 text; found byte 0xE9 at byte 6 of the line"):
        next(sentences)
    mended = list(read(io.BytesIO(data), format="conllu", strict=False))
    assert mended[1].forms == ("caf\ufffd",)


@pytest.mark.parametrize(
    "bad",
    [
        b"\x80",
        b"\xc0\xaf",
        b"\xe0\x80\x80",
        b"\xed\xa0\x80",
        b"\xf0\x80\x80\x80",
        b"\xf4\x90\x80\x80",
        b"\xff",
        b"\xe2\x82",
    ],
)
def test_every_kind_of_bad_utf8(bad):
    with pytest.raises(ParseError, match="UTF-8"):
        list(read(io.BytesIO(b"1\ta" + bad + REST.encode() + b"\n\n"), format="conllu"))


def test_ranges_and_empty_nodes_are_not_conllx():
    with pytest.raises(ParseError, match=r"ID: expected a word number \(3\); found '1-2'"):
        list(read(io.BytesIO(text_of(["1-2\tx" + "\t_" * 8, WORD_1, word(2, 1)])), format="conllx"))


def test_line_numbers_count_all_lines_before():
    data = text_of(["# c", WORD_1]) * 1000 + text_of([word(1, 9)])
    with pytest.raises(ParseError) as caught:
        list(read(io.BytesIO(data), format="conllu"))
    assert caught.value.line == 3001


def test_endless_sentence_is_refused_before_memory_runs_out():
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size=-1):
            self.given += size
            assert self.given < 1 << 28, "the reader should have stopped"
            return b"x" * size

    with pytest.raises(ParseError, match="is this a treebank"):
        list(read(Endless(), format="conllu"))
