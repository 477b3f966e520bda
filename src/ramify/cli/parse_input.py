"""Find out what the arguments of ``ramify parse`` are: a model or not, text or sentences."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ramify.cli.console import message
from ramify.cli.inputs import INPUT_SUFFIXES, input_format
from ramify.data import read, read_tokenized
from ramify.data.documents import as_document
from ramify.data.files import file_name, open_for_reading, read_chunks, suffix_of
from ramify.data.tokenized import LAYOUTS
from ramify.data.treebanks import TREEBANK_SUFFIXES
from ramify.errors import InvalidInputError, ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ramify.cli.inputs import Input
    from ramify.data import Sentence
    from ramify.parsing import Parser
    from ramify.pipeline import Pipeline

__all__ = [
    "BUILT_IN",
    "Source",
    "load_model",
    "looks_like_treebank",
    "read_inputs",
    "read_sentences",
    "read_treebank",
    "sort_arguments",
    "split_arguments",
]

BUILT_IN = "en"
_SNIFFED_BYTES = 1 << 16
_NEEDS_PIPELINE = (
    "Text needs a pipeline, which cuts it into words and tags them: leave MODEL out for the built-in English one, or "
    "train one with: ramify train --task pipeline."
)
_COMMENT = re.compile(rb"#\s*(sent_id|text|newdoc|newpar|global\.columns)\b")
_WORD = re.compile(rb"\d+(-\d+|\.\d+)?\t[^\t]+(\t[^\t]*){6,8}")


def sort_arguments(first: str | None, second: str | None, text: str | None) -> tuple[str, str]:
    """Return model and input of a command that takes one input at most; either may be left out."""
    model, sources = split_arguments([name for name in (first, second) if name is not None], None, text)
    if len(sources) > 1:
        raise InvalidInputError(f"This command takes one input; got {', '.join(sources)}. Neither is a model.")
    return model, sources[0]


def split_arguments(arguments: Sequence[str], model: str | None, text: str | None) -> tuple[str, list[str]]:
    """Return the model and the inputs that a command is given.

    Parameters
    ----------
    arguments : as they stand; the first is the model if it looks like one and no other model is named
    model : what ``--model`` names
    text : what ``--text`` has, which takes the place of inputs

    Returns
    -------
    The model, the built-in one if there is none, and the inputs, standard input if there are none.
    """
    sources = list(arguments)
    if model is None and sources and (_is_model(sources[0]) or (text is not None and Path(sources[0]).is_dir())):
        model = sources.pop(0)
    if text is not None and sources:
        raise InvalidInputError(f"--text takes the place of a file; got both, --text and {sources[0]!r}.")
    return model or BUILT_IN, sources or ["-"]


def _is_model(name: str) -> bool:
    """Tell whether an argument is a model rather than a text or a folder of texts; models need not exist."""
    from ramify.parsing import is_model
    from ramify.pipeline import find_built_in

    path = Path(name)
    if name == "-":
        return False
    if find_built_in(name) or path.suffix.lower() == ".zip" or path.parent.suffix.lower() == ".zip":
        return True
    if path.is_dir():
        return is_model(path)
    return not path.exists() and suffix_of(name) not in INPUT_SUFFIXES


def load_model(name: str) -> Parser | Pipeline:
    """Read a parser, or a pipeline; one that comes with ramify by its language."""
    from ramify.parsing import Parser
    from ramify.pipeline import Pipeline, load

    model = load(name)
    if isinstance(model, (Parser, Pipeline)):
        return model
    kind = type(model)
    use = f"{kind.__module__.rpartition('.')[0]}.{kind.__name__}.load"
    raise ModelError(name, "", f"expected a pipeline or a parser; this is a {kind.__name__.lower()}: use {use}")


def read_inputs(
    model: Parser | Pipeline, inputs: Sequence[Input], text: str | None, format: str | None, stack: contextlib.ExitStack
) -> Iterator[Sentence]:
    """Return the sentences of all inputs, one after the other; several are marked as documents.

    Parameters
    ----------
    model, text, format, stack : as in `read_sentences`
    inputs : at least one
    """
    if len(inputs) == 1:
        return read_sentences(model, inputs[0].path, text, format, stack)
    return itertools.chain.from_iterable(_read_document(model, item, format) for item in inputs)


def _read_document(model: Parser | Pipeline, item: Input, format: str | None) -> Iterator[Sentence]:
    with contextlib.ExitStack() as stack:
        source = Source(item.path, format, stack)
        treebank = source.format in ("conllu", "conllx", None)
        yield from as_document(_read(model, source), item.name, number=not treebank)


def read_sentences(
    model: Parser | Pipeline, source: str, text: str | None, format: str | None, stack: contextlib.ExitStack
) -> Iterator[Sentence]:
    """Return the sentences to parse. A pipeline splits text into sentences, and keeps sentences that are given.

    Parameters
    ----------
    model : which is to parse them
    source : a path, or ``"-"``
    text : instead of a file
    format : one of `ramify.cli.inputs.FORMATS`; told by suffix and content if not given
    stack : closes the file
    """
    from ramify.pipeline import Pipeline

    if text is None:
        return _read(model, Source(source, format, stack))
    if not isinstance(model, Pipeline):
        raise InvalidInputError(f"A parser takes tagged sentences, in CoNLL-U or CoNLL-X. {_NEEDS_PIPELINE}")
    pieces = [text]
    kind = input_format(format, "") or "text"
    if kind in ("text", "lines"):
        return model.segmenter.stream(pieces, lines=True) if kind == "lines" else iter(model.segmenter.segment(text))
    file = io.StringIO(text)
    return read_tokenized(file, layout=kind) if kind in LAYOUTS else read(file, format=kind, multiple_roots=True)


@contextlib.contextmanager
def read_treebank(path: str, format: str | None) -> Iterator[Iterator[Sentence]]:
    """Open a treebank for a command that needs trees; text is refused, with what to do instead."""
    with contextlib.ExitStack() as stack:
        source = Source(path, format, stack)
        if source.format not in ("conllu", "conllx", None):
            raise InvalidInputError(
                f"{source.name}: expected a treebank, in CoNLL-U or CoNLL-X; this is text. Parse it first: "
                f"ramify parse {path} > parsed.conllu"
            )
        yield read(source.file, format=source.format, multiple_roots=True)


class Source:
    """An open input: its name, its bytes from the beginning, and its format; None is a treebank of either format."""

    def __init__(self, path: str, format: str | None, stack: contextlib.ExitStack) -> None:
        if path == "-" and sys.stdin.isatty():
            message("reading from the keyboard; ctrl-D ends it")
        file = stack.enter_context(open_for_reading(path))
        self.name = file_name(path)
        self.format = input_format(format, path)
        self.file: Any = _Replayed(file, self.name)
        if self.format is None and suffix_of(path) not in TREEBANK_SUFFIXES and not self._has_columns():
            self.format = "text"

    def _has_columns(self) -> bool:
        return not self.file.head or looks_like_treebank(self.file.head)  # nothing is a treebank of no sentences


def _read(model: Parser | Pipeline, source: Source) -> Iterator[Sentence]:
    from ramify.pipeline import Pipeline

    if isinstance(model, Pipeline):
        if source.format in ("text", "lines"):
            return model.segmenter.stream(source.file, lines=source.format == "lines")
        if source.format in LAYOUTS:
            return read_tokenized(source.file, layout=source.format)
    elif source.format not in ("conllu", "conllx", None):
        found = {"text": "this is plain text", "lines": "these are lines of text"}.get(source.format, "these are words")
        raise InvalidInputError(
            f"{source.name}: a parser takes tagged sentences, in CoNLL-U or CoNLL-X; {found}. {_NEEDS_PIPELINE}"
        )
    # Heads of the input are replaced, so several roots in it do no harm.
    return read(source.file, format=source.format, multiple_roots=True)


def looks_like_treebank(head: bytes) -> bool:
    """Tell whether a file that begins with these bytes is CoNLL-U or CoNLL-X rather than text."""
    for line in head.removeprefix(b"\xef\xbb\xbf").splitlines():
        if _COMMENT.match(line):
            return True
        if line.strip() and not line.startswith(b"#"):
            return _WORD.match(line) is not None
    return False


class _Replayed:
    """A file from which some bytes were read already; it gives these bytes again first."""

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
        """Return the next bytes, or nothing at the end of the file."""
        return next(self._chunks, b"")
