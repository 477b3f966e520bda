"""What ``ramify parse`` is given: a model or none, text or sentences."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ramify.cli.console import message
from ramify.data import read
from ramify.data.files import file_name, open_for_reading, read_chunks
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Iterator

    from ramify.data import Sentence
    from ramify.parsing import Parser
    from ramify.pipeline import Pipeline

__all__ = ["BUILT_IN", "load_model", "looks_like_treebank", "read_sentences", "sort_arguments"]

BUILT_IN = "en"
_INPUT_SUFFIXES = (".txt", ".text", ".md", ".conllu", ".conllx", ".conll", ".gz", ".xz", ".zst")
_SNIFFED_BYTES = 1 << 16
_COMMENT = re.compile(rb"#\s*(sent_id|text|newdoc|newpar|global\.columns)\b")
_WORD = re.compile(rb"\d+(-\d+|\.\d+)?\t[^\t]+(\t[^\t]*){6,8}")


def sort_arguments(first: str | None, second: str | None, text: str | None) -> tuple[str, str]:
    """Return model and input: either may be left out, and a single argument is whatever it looks like."""
    model, source = first, second
    if first is not None and second is None and _is_input(first):
        model, source = None, first
    if text is not None and source is not None:
        raise InvalidInputError(f"--text takes the place of a file; got both, --text and {source!r}.")
    return model or BUILT_IN, source or "-"


def _is_input(name: str) -> bool:
    path = Path(name)
    if name == "-":
        return True
    if path.exists():
        return not path.is_dir() and path.suffix.lower() != ".zip"
    return path.name.lower().endswith(_INPUT_SUFFIXES)


def load_model(name: str) -> Parser | Pipeline:
    """Read a parser, or a pipeline; one that comes with ramify by its language."""
    from ramify.parsing import Parser
    from ramify.pipeline import find_built_in, load
    from ramify.pipeline.model_files import kind_of

    if find_built_in(name):  # also where a folder of that name lies here, which ./en names
        return load(name)
    inside_zip = Path(name).parent.suffix.lower() == ".zip"
    if (Path(name).exists() or inside_zip) and kind_of(name) == "parser":
        return Parser.load(name)
    return load(name)


def read_sentences(
    model: Parser | Pipeline, source: str, text: str | None, format: str | None, stack: contextlib.ExitStack
) -> Iterator[Sentence]:
    """Return the sentences to parse; a pipeline cuts text into sentences, and takes over those that are cut already.

    Parameters
    ----------
    model : which is to parse them
    source : a path, or ``"-"``
    text : instead of a file
    format : ``"text"``, ``"conllu"`` or ``"conllx"``; told by what is there if not given
    stack : closes the file
    """
    from ramify.pipeline import Pipeline

    if not isinstance(model, Pipeline):
        if text is not None or format == "text":
            raise InvalidInputError(
                "A parser takes tagged sentences, in CoNLL-U or CoNLL-X; text needs a pipeline: "
                "ramify train --task pipeline."
            )
        # Heads of the input are replaced, so several roots in it do no harm.
        return read(source, format=format, multiple_roots=True)
    if text is not None:
        return iter(model.segmenter.segment(text))
    if source == "-" and sys.stdin.isatty():
        message("reading text from the keyboard; ctrl-D ends it")
    file = stack.enter_context(open_for_reading(source))
    replayed = _Replayed(file, file_name(source))
    if format == "text" or (format is None and not looks_like_treebank(replayed.head)):
        return model.segmenter.stream(replayed)  # type: ignore[arg-type]
    return read(replayed, format=format, multiple_roots=True)  # type: ignore[arg-type]


def looks_like_treebank(head: bytes) -> bool:
    """Tell whether a file that begins so is CoNLL-U or CoNLL-X rather than text."""
    for line in head.removeprefix(b"\xef\xbb\xbf").splitlines():
        if _COMMENT.match(line):
            return True
        if line.strip() and not line.startswith(b"#"):
            return _WORD.match(line) is not None
    return False


class _Replayed:
    """A file whose beginning was looked at, to be read from its beginning."""

    def __init__(self, file: IO[Any], name: str) -> None:
        self.name = name
        chunks = read_chunks(file, name)
        seen: list[bytes] = []
        for chunk in chunks:
            seen.append(chunk)
            if b"\n" in chunk or sum(map(len, seen)) >= _SNIFFED_BYTES:
                break
        self.head = b"".join(seen)[:_SNIFFED_BYTES]
        self._chunks = itertools.chain(seen, chunks)

    def read(self, size: int = -1) -> bytes:
        """Return what comes next, nothing at the end; chunks are as long as they were."""
        return next(self._chunks, b"")
