"""Documents as text and as JSON lines."""

from __future__ import annotations

import io

import pytest

from ramify.data import Document, read_documents, write_documents
from ramify.errors import ParseError


def test_text_is_one_document(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear all,\n\nsecond\nparagraph.\n \n\nThird.")
    (document,) = read_documents(path)
    assert document.id == "letter"
    assert document.paragraphs == ["Dear all,", "second\nparagraph.", "Third."]


def test_json_lines_round_trip(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    documents = [Document("Ein Text.", "1", {"topic": "x"}), Document("línea\nnueva", "b")]
    assert write_documents(documents, path) == 2
    assert list(read_documents(path)) == documents


def test_texts_are_joined(tmp_path):
    path = tmp_path / "a.txt"
    write_documents([Document("one"), Document("two")], path)
    assert next(read_documents(path)).paragraphs == ["one", "two"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b'{"text": 3}', "an object with"),
        (b"[]", "list"),
        (b"{", "no JSON"),
        (b"\xff", "byte 0xFF"),
        (b"[" * 100_000, "no JSON"),
    ],
)
def test_malformed_lines(tmp_path, line, found):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "fine"}\n' + line + b"\n")
    documents = read_documents(path)
    assert next(documents).text == "fine"
    with pytest.raises(ParseError, match=r"a\.jsonl:2: ") as caught:
        next(documents)
    assert found in caught.value.found


def test_bad_text_names_its_line():
    with pytest.raises(ParseError) as caught:
        list(read_documents(io.BytesIO(b"one\ntwo \xff")))
    assert caught.value.line == 2
