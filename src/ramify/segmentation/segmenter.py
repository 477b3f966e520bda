"""The segmenter as Python sees it: train, load, save, segment, stream."""

from __future__ import annotations

import codecs
import itertools
import os
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ramify._core import segmentation as _core
from ramify.data import Sentence
from ramify.data.files import file_name, open_for_reading, read_chunks, refuse_other_encodings
from ramify.errors import InvalidInputError, ParseError
from ramify.learn.model import Model
from ramify.segmentation.result import Segmentation
from ramify.segmentation.task import TASK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ramify.data.files import PathOrFile
    from ramify.learn.task import LearningTask
    from ramify.segmentation.state import SegmenterState

__all__ = ["Segmenter"]

_WORTH_A_TRY = 1 << 14  # characters that are gathered before the next look for sentences


class Segmenter(Model):
    """A trained segmenter, which splits text into sentences, tokens and words.

    Made by `Segmenter.train` or `Segmenter.load`. A segmenter never changes, so several threads can share it. A pickled
    segmenter contains its model files.

    Examples
    --------
    >>> from ramify.segmentation import Segmenter
    >>> segmenter = Segmenter.train("tests/data/ewt-sample-200.conllu")
    >>> [sentence.forms for sentence in segmenter.segment("I like it. You don't!")]
    [('I', 'like', 'it', '.'), ('You', 'do', "n't", '!')]
    """

    task: ClassVar[LearningTask] = TASK
    _state: SegmenterState
    _model: _core.Segmenter

    def __repr__(self) -> str:
        state = self._state
        return f"<Segmenter: 2 x {len(state.token):,} weights, {len(state.rules):,} rules for multiword tokens>"

    @property
    def known_share(self) -> float | None:
        """The expected fraction of known words in text like the treebank; None for older models."""
        return self._state.known_share

    def count_known(self, forms: Iterable[str]) -> tuple[int, int]:
        """Return how many of the forms are words, and how many of these the treebank has twice or more."""
        return self._model.count_known(list(forms))

    def segment(self, text: str) -> Segmentation:
        r"""Split a text into sentences, tokens and words.

        An empty line ends a paragraph and with it a sentence. Nothing is lost: tokens and the white space recorded in
        MISC (``SpaceAfter=No``, ``SpacesAfter=\n``, ``SpacesBefore=\s``) are the text, see `restore_text`.

        Parameters
        ----------
        text : any text; a text that consists of white space has no sentences

        Raises
        ------
        InvalidInputError
            The text holds a lone surrogate, which stands for no character.
        """
        _check_text(text)
        document = self._model.segment(text, True, False, _core.StreamState())
        return Segmentation(
            text=text,
            sentences=tuple(map(Sentence._wrap, document.take_sentences())),
            starts=document.token_begins(),
            ends=document.token_ends(),
            offsets=np.concatenate(([0], np.cumsum(document.num_tokens()))).astype(np.int64),
        )

    def stream(self, source: PathOrFile | Iterable[str | bytes], *, lines: bool = False) -> Iterator[Sentence]:
        """Segment a stream of text; memory does not grow with its length.

        The sentences are the same as those of `segment` and do not depend on how the text is divided into pieces.

        Parameters
        ----------
        source : a path (``.gz``, ``.xz`` and ``.zst`` are decompressed), ``"-"`` for standard input, an open file, or
            pieces of text
        lines : if True, every line is one sentence

        Raises
        ------
        ParseError
            A file is not UTF-8; the error says where.
        """
        run = self._stream_lines if lines else self._stream_pieces
        if isinstance(source, (str, os.PathLike)) or hasattr(source, "read"):
            return self._stream_file(source, run)  # type: ignore[arg-type]
        return run(_decoded(source, "<chunks>"))

    def _stream_file(
        self, source: PathOrFile, run: Callable[[Iterable[str]], Iterator[Sentence]]
    ) -> Iterator[Sentence]:
        stream = open_for_reading(source)
        file = stream.__enter__()  # a missing file is an error now, not at the first sentence

        def sentences() -> Iterator[Sentence]:
            try:
                name = file_name(source)
                yield from run(_decoded(refuse_other_encodings(read_chunks(file, name), name), name))
            finally:
                stream.__exit__(None, None, None)

        return sentences()

    def _stream_pieces(self, pieces: Iterable[str]) -> Iterator[Sentence]:
        state = _core.StreamState()
        buffer = ""
        tried = 0
        for piece in itertools.chain(pieces, [None]):
            buffer += piece or ""
            fresh = len(buffer) - tried
            # Text that waits for its end is looked at again only where there is much more, or a paragraph ends.
            if piece is not None and fresh < _WORTH_A_TRY and "\n\n" not in buffer[max(tried - 2, 0) :]:
                continue
            before = state.characters
            document = self._model.segment(buffer, piece is None, False, state)
            buffer = buffer[state.characters - before :]
            tried = len(buffer)
            yield from map(Sentence._wrap, document.take_sentences())

    def _stream_lines(self, pieces: Iterable[str]) -> Iterator[Sentence]:
        state = _core.StreamState()
        for line in _lines_with_space(pieces):
            yield from map(Sentence._wrap, self._model.segment(line, True, True, state).take_sentences())


def _lines_with_space(pieces: Iterable[str]) -> Iterator[str]:
    """Yield lines, each with the empty ones that follow it, so that no white space is lost."""
    lines: list[str] = []
    has_words = False
    rest = ""
    for piece in itertools.chain(pieces, [None]):
        *whole, rest = (rest + (piece or "")).split("\n")
        fresh = [line + "\n" for line in whole] + ([rest] if piece is None else [])
        for line in fresh:
            if has_words and line.strip():
                yield "".join(lines)
                lines, has_words = [], False
            lines.append(line)
            has_words = has_words or bool(line.strip())
    yield "".join(lines)


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise InvalidInputError(f"segment expects a string; got {type(text).__name__}. Decode bytes first.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            f"segment expects characters that UTF-8 can write; got a lone surrogate at position {error.start}. "
            "Read the text with its own encoding, or with errors='replace'."
        ) from None


def _decoded(chunks: Iterable[str | bytes], name: str) -> Iterator[str]:
    """Yield text; a character may be cut by the end of a chunk."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line = 1
    for chunk in itertools.chain(chunks, [None]):
        if isinstance(chunk, str):
            _check_text(chunk)
            piece = chunk
        elif chunk is None or isinstance(chunk, bytes):
            waiting = decoder.getstate()[0]
            try:
                piece = decoder.decode(chunk or b"", final=chunk is None)
            except UnicodeDecodeError as error:
                line += (waiting + (chunk or b""))[: error.start].count(b"\n")
                found = f"byte 0x{error.object[error.start]:02X} (is the file in another encoding?)"
                raise ParseError(name, line, "", "UTF-8 text", found) from None
        else:
            raise InvalidInputError(f"stream expects pieces of text or bytes; got {type(chunk).__name__}.")
        line += piece.count("\n")
        yield piece
