"""Column files of label sequences."""

from __future__ import annotations

import io

import pytest

from ramify.data import LabelSequence, read_sequences, write_sequences
from ramify.errors import InvalidInputError, ParseError

CHUNKS = "He PRP B-NP\nsleeps VBZ B-VP\n\n# # O\n. . O\n"
ENTITIES = "# sent_id = 1\n1\tOslo\tB-LOC\t-\tme\n2\tcalls\tO\t-\tme\n\n# sent_id = 2\n1\tYes\tO\t-\tme\n\n"


def read_text(text, **options):
    return list(read_sequences(io.StringIO(text), **options))


def test_default_columns():
    first, second = read_text(CHUNKS)
    assert first.forms == ("He", "sleeps")
    assert first.labels == ("B-NP", "B-VP")
    assert first.columns["column2"] == ("PRP", "VBZ")
    assert second.forms == ("#", "."), "# is a word here"
    assert len(second) == 2


def test_named_columns_and_comments():
    first, second = read_text(ENTITIES, columns=["id", "form", "label", "_", "_"], separator="\t")
    assert first.labels == ("B-LOC", "O")
    assert list(first.columns) == ["id", "form", "label"]
    assert first.comments == ("# sent_id = 1",)
    assert second.comments == ("# sent_id = 2",)


def test_documents():
    text = "-DOCSTART- -X- O\nA x O\n\nB x O\n\n-DOCSTART- -X- O\n\nC x O\n"
    assert [(s.forms, s.starts_document) for s in read_text(text)] == [(("A",), True), (("B",), False), (("C",), True)]
    file = io.BytesIO()
    assert write_sequences(read_text(text), file) == 3
    assert read_text(file.getvalue().decode()) == read_text(text)


def test_write_and_read(tmp_path):
    path = tmp_path / "a.iob2.gz"
    write_sequences(read_text(CHUNKS), path)
    assert list(read_sequences(path)) == read_text(CHUNKS)


def test_other_encodings(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("ni\xf1o N O\n".encode("latin-1"))
    assert next(read_sequences(path, encoding="latin-1")).forms == ("niño",)
    with pytest.raises(
        ParseError, match=r"latin.txt:1: expected utf-8 text; found byte 0xF1 \(pass the file's encoding"
    ):
        list(read_sequences(path))


def test_errors():
    with pytest.raises(ParseError, match=r"<string>:2: expected 3 columns; found 2 in 'b O'"):
        read_text("a x O\nb O\n")
    with pytest.raises(ParseError, match=r"<string>:1: expected 2 columns; found 1"):
        read_text("a\n")
    with pytest.raises(ParseError, match="lines of at most"):
        read_text("a" * (3 << 20))
    with pytest.raises(InvalidInputError, match="distinct column names"):
        read_text("a b\n", columns=["form", "form"])
    with pytest.raises(InvalidInputError, match="encoding that Python knows"):
        read_text("a b\n", encoding="klingon")
    with pytest.raises(InvalidInputError, match="has no column 'label'"):
        _ = read_text("a b\n", columns=["form", "pos"])[0].labels
    with pytest.raises(InvalidInputError, match="columns of one length"):
        LabelSequence({"form": ("a",), "label": ()})
    with pytest.raises(InvalidInputError, match="Choose another separator"):
        write_sequences([LabelSequence({"form": ("New York",), "label": ("O",)})], io.BytesIO())
