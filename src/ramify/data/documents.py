"""Documents: plain text, or one JSON object per line."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ramify.data.files import PathOrFile, file_name, open_for_reading, open_for_writing, read_utf8, suffix_of
from ramify.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ramify.data.sentence import Sentence

__all__ = ["Document", "as_document", "parse_document", "read_documents", "write_documents"]

MAX_DOCUMENT_BYTES = 1 << 28
_JSON_LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class Document:
    """A text with a name.

    Attributes
    ----------
    text : the whole text
    id : name of the document
    metadata : what else a JSON line holds
    """

    text: str
    id: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def paragraphs(self) -> list[str]:
        """Stretches of text between empty lines."""
        return [paragraph for paragraph in re.split(r"(?:\r?\n[ \t]*){2,}", self.text.strip()) if paragraph]


def read_documents(source: PathOrFile) -> Iterator[Document]:
    """Read documents: every line of a ``.jsonl`` file is one (an object with ``"text"``), any other file is one.

    Parameters
    ----------
    source : path, ``"-"`` or an open file, as in `ramify.data.read`
    """
    stream = open_for_reading(source)
    file = stream.__enter__()  # a missing file is an error now, not at the first document

    def documents() -> Iterator[Document]:
        try:
            name = file_name(source)
            pieces = read_utf8(file, name)
            if suffix_of(source) in _JSON_LINES:
                for number, line in enumerate(_split_lines(pieces, name), 1):
                    if line.strip():
                        yield parse_document(line, name, number)
            else:
                yield Document(_decode(_joined(pieces, name), name, 1), id=Path(name).stem)
        finally:
            stream.__exit__(None, None, None)

    return documents()


def _joined(chunks: Iterator[bytes], name: str) -> bytes:
    text = bytearray()
    for chunk in chunks:
        text += chunk
        _check_size(len(text), name, 0)
    return bytes(text)


def _split_lines(chunks: Iterator[bytes], name: str) -> Iterator[bytes]:
    rest = b""
    number = 1
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        number += len(lines)
        yield from lines
        _check_size(len(rest), name, number)
    if rest:
        yield rest


def _check_size(size: int, name: str, line: int) -> None:
    if size > MAX_DOCUMENT_BYTES:
        raise ParseError(name, line, "", f"a document of at most {MAX_DOCUMENT_BYTES} bytes", "a longer one")


def _decode(text: bytes, name: str, line: int) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        line += text.count(b"\n", 0, error.start)
        raise ParseError(name, line, "", "UTF-8 text", f"byte 0x{text[error.start]:02X}") from None


def parse_document(line: bytes, name: str, number: int) -> Document:
    """Return the document of one JSON line; file name and line number are for errors, and for documents without id."""
    expected = 'a JSON object with a string "text"'
    try:
        value = json.loads(_decode(line, name, number))
    except (json.JSONDecodeError, RecursionError) as error:
        raise ParseError(name, number, "", expected, f"no JSON ({error})") from None
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        found = f"an object with {sorted(value)}" if isinstance(value, dict) else type(value).__name__
        raise ParseError(name, number, "", expected, found)
    text = value.pop("text")
    return Document(text, str(value.pop("id", number)), value)


def write_documents(documents: Iterable[Document], target: PathOrFile) -> int:
    """Write documents as JSON lines (``.jsonl``), or their bare texts with an empty line between; return how many."""
    count = 0
    as_json = suffix_of(target) in _JSON_LINES
    with open_for_writing(target) as file:
        for document in documents:
            if as_json:
                line = json.dumps({"id": document.id, "text": document.text} | document.metadata, ensure_ascii=False)
                file.write(line.encode() + b"\n")
            else:
                file.write((b"\n\n" if count else b"") + document.text.encode())
            count += 1
    return count


def as_document(sentences: Iterable[Sentence], name: str, *, number: bool) -> Iterator[Sentence]:
    """Mark the beginning of a document (``# newdoc id = …``), so that a file can hold several documents.

    Parameters
    ----------
    sentences : of the document; they are changed
    name : of the document
    number : whether to put the name before each ``sent_id``, where these are mere numbers
    """
    identifier = re.sub(r"\s+", "_", name)
    for i, sentence in enumerate(sentences):
        if sentence.format == "conllu":
            if i == 0 and not any(re.match(r"#\s*newdoc\b", line) for line in sentence.comments):
                sentence.comments = [f"# newdoc id = {identifier}", *sentence.comments]
            if number:
                sentence.set_metadata("sent_id", f"{identifier}-{sentence.sent_id}")
        yield sentence
