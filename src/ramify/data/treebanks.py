"""Treebanks in CoNLL-U and CoNLL-X: a stream of sentences in, a stream of sentences out."""

from __future__ import annotations

import codecs
import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

from ramify import _core
from ramify.data.files import (
    PathOrFile,
    file_name,
    open_for_reading,
    open_for_writing,
    read_chunks,
    refuse_other_encodings,
    suffix_of,
)
from ramify.data.sentence import MAX_SENTENCE_BYTES, Sentence, check_heads, core_format
from ramify.errors import InvalidInputError, ParseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["TREEBANK_SUFFIXES", "Problem", "format_of_suffix", "read", "write"]

_SUFFIX_FORMATS = {".conllu": "conllu", ".conllx": "conllx", ".conll": "conllx"}
TREEBANK_SUFFIXES = tuple(_SUFFIX_FORMATS)
_SNIFFED_BYTES = 1 << 16
_WRITTEN_AT_ONCE = 1000


class Problem(NamedTuple):
    """Something that a lenient reader met and what it did about it."""

    file: str
    line: int
    column: str
    expected: str
    found: str
    action: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" + (f": {self.column}" if self.column else "")
        return f"{where}: expected {self.expected}; found {self.found}; {self.action}"


def read(
    source: PathOrFile,
    *,
    format: str | None = None,
    strict: bool = True,
    multiple_roots: bool | None = None,
    on_problem: Callable[[Problem], None] | None = None,
) -> Iterator[Sentence]:
    r"""Read a treebank, one sentence at a time.

    Parameters
    ----------
    source : path (``.gz``, ``.xz`` and ``.zst`` are decompressed), ``"-"`` for standard input, or an open file
    format : ``"conllu"`` or ``"conllx"``; told by suffix and content if not given
    strict : raise at the first problem; if False, repair what has an obvious remedy, skip the sentence otherwise
    multiple_roots : whether several words may have head 0; by default only in CoNLL-X
    on_problem : called by a lenient reader with every problem and what was done about it

    Yields
    ------
    Sentence
        A byte order mark at the start of the file belongs to no word; `write` puts it back.

    Raises
    ------
    ParseError
        The file is malformed; the error says where, what was expected and what was found.

    Examples
    --------
    >>> import io
    >>> text = "1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
    >>> [sentence.forms for sentence in read(io.StringIO(text))]
    [('Hi',)]
    """
    if format is not None:
        core_format(format)  # a wrong name is an error now, not at the first sentence
    stream = open_for_reading(source)
    file = stream.__enter__()  # so that a missing file is an error now, too

    def sentences() -> Iterator[Sentence]:
        try:
            name = file_name(source)
            chunks = refuse_other_encodings(read_chunks(file, name), name)  # the reader itself drops the mark
            head = b""
            known = format
            if known is None:
                head, chunks = _peek(chunks)
                known = _sniff(suffix_of(source), head)
            allowed = known == "conllx" if multiple_roots is None else multiple_roots
            reader = _core.Reader(core_format(known), strict, allowed, MAX_SENTENCE_BYTES)
            yield from _read_all(reader, chunks, name, on_problem)
        finally:
            stream.__exit__(None, None, None)

    return sentences()


def _read_all(
    reader: _core.Reader, chunks: Iterator[bytes], name: str, on_problem: Callable[[Problem], None] | None
) -> Iterator[Sentence]:
    for chunk in itertools.chain(chunks, [None]):
        try:
            sentences = reader.finish() if chunk is None else reader.feed(chunk)
        except _core.ParseFailure as failure:
            raise ParseError(name, *failure.args) from None
        if on_problem is not None:
            for problem in reader.take_problems():
                on_problem(Problem(name, *problem))
        yield from map(Sentence._wrap, sentences)


def _peek(chunks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first sentence or so, and the chunks with nothing missing."""
    seen: list[bytes] = []
    head = b""
    for chunk in chunks:
        seen.append(chunk)
        head = b"".join(seen)
        if len(head) >= _SNIFFED_BYTES or b"\n\n" in head or b"\n\r\n" in head:
            break
    return head[:_SNIFFED_BYTES], itertools.chain(seen, chunks)


def _sniff(suffix: str, head: bytes) -> str:
    """Tell the format: `.conllu` and `.conllx` say it, `.conll` and others leave it to the content."""
    if suffix in (".conllu", ".conllx"):
        return _SUFFIX_FORMATS[suffix]
    head = head.removeprefix(codecs.BOM_UTF8)
    only_conllu = re.search(rb"^(#|\d+[-.]\d+\t)|^(?:[^\t\n]*\t){8}(?:\d[\d.]*:[^\t\n]*\t|[^\t\n]*\t\w+=)", head, re.M)
    if only_conllu:
        return "conllu"
    has_projective_heads = re.search(rb"^(?:[^\t\n]*\t){8}\d+\t", head, re.M)
    return "conllx" if has_projective_heads else _SUFFIX_FORMATS.get(suffix, "conllu")


def format_of_suffix(target: PathOrFile) -> str | None:
    """Return the treebank format that a file's suffix names, or None."""
    return _SUFFIX_FORMATS.get(suffix_of(target))


def write(sentences: Iterable[Sentence], target: PathOrFile, *, format: str | None = None) -> int:
    """Write sentences; a file appears whole or not at all.

    Parameters
    ----------
    sentences : any iterable; sentences that were read and not changed are written byte for byte as they were
    target : path (``.gz``, ``.xz`` and ``.zst`` are compressed), ``"-"`` for standard output, or an open file
    format : ``"conllu"`` or ``"conllx"``; told by the suffix if not given, else each sentence's own.
        CoNLL-X has words only: comments, multiword tokens, empty nodes, DEPS and MISC are left out there.

    Returns
    -------
    Number of sentences written.
    """
    if format is not None:
        core_format(format)
    known = format or format_of_suffix(target)
    count = 0
    iterator = iter(sentences)
    with open_for_writing(target) as file:
        batch = list(itertools.islice(iterator, _WRITTEN_AT_ONCE))
        while batch:
            following = list(itertools.islice(iterator, _WRITTEN_AT_ONCE))
            file.write(_to_bytes(batch, known, count, last=not following))
            count += len(batch)
            batch = following
    return count


def _to_bytes(batch: list[Sentence], format: str | None, count: int, last: bool) -> bytes:
    for position, sentence in enumerate(batch, count):
        if not isinstance(sentence, Sentence):
            raise InvalidInputError(f"write expects sentences; got {type(sentence).__name__} at position {position}.")
        check_heads(sentence.heads)
    first = count == 0
    runs = [(own, list(run)) for own, run in itertools.groupby(batch, key=lambda sentence: format or sentence.format)]
    return b"".join(
        _core.to_bytes(
            [sentence._core for sentence in run], core_format(own), first=first and i == 1, last=last and i == len(runs)
        )
        for i, (own, run) in enumerate(runs, 1)
    )
