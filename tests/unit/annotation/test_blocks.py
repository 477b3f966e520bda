"""Blocks of a file, and cells of a block."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ramify.annotation.blocks import lines_of, parsed, split_file, with_cells, written
from ramify.errors import InvalidInputError, ParseError

ROW = b"1\tHi\thi\tX\t_\t_\t0\troot\t_\t_"


@pytest.mark.parametrize(
    ("content", "prefix", "blocks"),
    [
        (b"", b"", []),
        (b"\n", b"", [b"\n"]),
        (ROW + b"\n\n" + ROW, b"", [ROW + b"\n\n", ROW]),
        (b"\xef\xbb\xbf" + ROW + b"\r\n\r\n" + ROW + b"\r\n\r\n", b"\xef\xbb\xbf", [ROW + b"\r\n\r\n"] * 2),
        (ROW + b"\n \n\n\t\n" + ROW + b"\n\n", b"", [ROW + b"\n \n\n\t\n", ROW + b"\n\n"]),
        (ROW + b"\n\n# the end\n", b"", [ROW + b"\n\n", b"# the end\n"]),
    ],
)
def test_blocks(content, prefix, blocks):
    assert split_file(content) == (prefix, blocks)


@given(st.text(alphabet="ab\t\n\r #1\u2028\x0b", max_size=40))
def test_nothing_is_lost(text):
    prefix, blocks = split_file(text.encode())
    assert prefix + b"".join(blocks) == text.encode()
    for block in blocks:
        assert written(lines_of(block)) == block


def test_kinds_of_lines():
    lines = lines_of(b"# x\n1-2\tab" + b"\t_" * 8 + b"\n1\ta" + b"\t_" * 8 + b"\n1.1\te" + b"\t_" * 8 + b"\n\n")
    assert [(line.word, line.range, line.empty) for line in lines] == [
        (0, None, None),
        (0, (1, 2), None),
        (1, None, None),
        (0, None, (1, 1)),
        (0, None, None),
    ]


def test_cells_are_replaced_and_nothing_else():
    block = b"# a\tb\r\n" + ROW + b" x \r\n\r\n"
    assert (
        with_cells(block, {("1", "HEAD"): "2", ("1", "FORM"): "a b"})
        == b"# a\tb\r\n1\ta b\thi\tX\t_\t_\t2\troot\t_\t_ x \r\n\r\n"
    )


@pytest.mark.parametrize(
    ("column", "value"), [("UPOS", ""), ("UPOS", "A B"), ("FORM", "a\tb"), ("LEMMA", "a\nb"), ("MISC", " ")]
)
def test_cells_that_would_break_the_table(column, value):
    with pytest.raises(InvalidInputError, match=f"{column} expects a value without tabs"):
        with_cells(ROW, {("1", column): value})


def test_rows_that_are_not_there():
    with pytest.raises(InvalidInputError, match="no cell UPOS in a row 7"):
        with_cells(ROW, {("7", "UPOS"): "X"})


def test_a_block_without_words():
    with pytest.raises(ParseError, match="comments only"):
        parsed(b"# nothing\n", "conllu")
