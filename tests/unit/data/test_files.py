"""One rule for all readers: UTF-8, a byte order mark is dropped, other encodings and control characters are refused."""

from __future__ import annotations

import codecs
import io

import pytest

from ramify.data import read, read_documents, read_sequences
from ramify.errors import InvalidInputError, ParseError
from ramify.graph_files import read_uai
from ramify.parsing import read_constraints
from ramify.parsing.config import Config

TREEBANK = "1\tHi\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
NETWORK = "MARKOV\n1\n2\n1\n1 0\n\n2\n 0.25 0.75\n"
READERS = {
    "conllu": (TREEBANK, lambda path: [sentence.forms for sentence in read(path)]),
    "conllx": (TREEBANK, lambda path: [sentence.forms for sentence in read(path, format="conllx")]),
    "txt": ("Hi.", lambda path: list(read_documents(path))),
    "jsonl": ('{"text": "Hi."}\n', lambda path: list(read_documents(path))),
    "iob": ("Hi O\n\n", lambda path: list(read_sequences(path))),
    "constraints": ("1\t1\tRoot=Yes\n", lambda path: read_constraints(path)._lines),
    "toml": ("[training]\nepochs = 3\n", lambda path: Config.read(path).training.epochs),
    "uai": (NETWORK, lambda path: read_uai(path).kind),
}


@pytest.mark.parametrize("suffix", READERS)
def test_byte_order_marks_are_dropped(tmp_path, suffix):
    text, load = READERS[suffix]
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(text.encode())
    plain = load(path)
    path.write_bytes(codecs.BOM_UTF8 + text.encode())
    assert load(path) == plain


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("suffix", sorted(set(READERS) - {"toml", "uai"}))
def test_other_encodings_are_named(tmp_path, suffix, encoding):
    text, load = READERS[suffix]
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(text.encode(encoding))
    if encoding == "utf-32":
        match = r"x\.\w+:1: expected UTF-8 text; found UTF-32 \(convert the file first: iconv -f UTF-32 -t UTF-8\)"
    else:
        match = "expected UTF-8 text; found UTF-16"
    with pytest.raises(ParseError, match=match):
        load(path)


def test_configurations_in_other_encodings(tmp_path):
    (tmp_path / "x.toml").write_bytes("[training]".encode("utf-16"))
    with pytest.raises(InvalidInputError, match="expected UTF-8 text"):
        Config.read(tmp_path / "x.toml")


def test_control_characters_are_no_words_of_column_files():
    with pytest.raises(ParseError, match=r"<string>:2: expected text without control characters; found U\+0000 in"):
        list(read_sequences(io.StringIO("a O\nb\0c O\n")))


def test_short_files_are_no_other_encoding():
    assert list(read(io.BytesIO(b""))) == list(read(io.BytesIO(codecs.BOM_UTF8))) == []
    (document,) = read_documents(io.BytesIO(b"a"))
    assert document.text == "a"
