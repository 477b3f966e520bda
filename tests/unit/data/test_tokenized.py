"""Sentences that are cut into words already: one a line, or one word a line."""

from __future__ import annotations

import io

import pytest

from ramify.data import read_tokenized
from ramify.errors import InvalidInputError, ParseError


def forms(text, **options):
    return [sentence.forms for sentence in read_tokenized(io.BytesIO(text.encode()), **options)]


def test_horizontal():
    text = "\ufeffI  like\tit .\r\n\n \t\n10\u00a0000 # _ .\nend"
    assert forms(text) == [("I", "like", "it", "."), ("10\u00a0000", "#", "_", "."), ("end",)]


def test_vertical():
    text = "\ufeffI\tPRON\nlike \n\n\n \nit\r\n\r\n# \n_\nNew York\n"
    assert forms(text, layout="vertical") == [("I", "like"), ("it",), ("#", "_", "New York")]


def test_comments():
    first, second = read_tokenized(io.StringIO("Hi there\nBye"))
    assert first.comments == ["# sent_id = 1", "# text = Hi there"]
    assert second.comments == ["# sent_id = 2", "# text = Bye"]
    assert set(first.upos) == {"_"}
    assert first.heads.tolist() == [-1, -1]


@pytest.mark.parametrize("layout", ["horizontal", "vertical"])
def test_nothing(layout):
    assert forms("", layout=layout) == forms("\n \n\n", layout=layout) == []


def test_errors():
    with pytest.raises(InvalidInputError, match="'horizontal' or 'vertical'; got 'diagonal'"):
        read_tokenized(io.StringIO(""), layout="diagonal")
    with pytest.raises(ParseError, match=r"<string>:2: expected text without control characters; found U\+001B"):
        forms("a\nb\x1b[1m\n")
    with pytest.raises(ParseError, match="<string>:1: expected utf-8 text; found byte 0xFF"):
        list(read_tokenized(io.BytesIO(b"a\xff\n")))
    with pytest.raises(FileNotFoundError):
        read_tokenized("missing")
