"""Text that is cut into words and sentences already, in the two layouts that UDPipe calls horizontal and vertical."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ramify.data.files import PathOrFile, file_name, open_for_reading, read_utf8
from ramify.data.lines import checked_lines, decoded_lines
from ramify.data.sentence import Sentence
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LAYOUTS", "read_tokenized"]

LAYOUTS = ("horizontal", "vertical")
_BLANKS = re.compile(r"[ \t]+")  # other white space, such as U+00A0, is part of a word


def read_tokenized(source: PathOrFile, *, layout: str = "horizontal") -> Iterator[Sentence]:
    r"""Read sentences that are cut into words already; all columns but FORM are empty.

    Parameters
    ----------
    source : path, ``"-"`` or an open file, as in `ramify.data.read`
    layout : ``"horizontal"`` is one sentence a line with blanks between words; ``"vertical"`` is one word a line, of
        which only the text before the first tab counts, and an empty line after each sentence

    Raises
    ------
    ParseError
        The file is not UTF-8, or it has control characters; the error says where.

    Examples
    --------
    >>> import io
    >>> [sentence.forms for sentence in read_tokenized(io.StringIO("I like it .\nYou do n't ."))]
    [('I', 'like', 'it', '.'), ('You', 'do', "n't", '.')]
    >>> [sentence.forms for sentence in read_tokenized(io.StringIO("Dogs\nbark\n\nHi\n"), layout="vertical")]
    [('Dogs', 'bark'), ('Hi',)]
    """
    if layout not in LAYOUTS:
        raise InvalidInputError(f"read_tokenized expects the layout 'horizontal' or 'vertical'; got {layout!r}.")
    stream = open_for_reading(source)
    file = stream.__enter__()  # a missing file is an error now, not at the first sentence

    def sentences() -> Iterator[Sentence]:
        try:
            name = file_name(source)
            numbered = checked_lines(decoded_lines(read_utf8(file, name), name), name)
            lines = (line for _, line in numbered)
            words = _rows(lines) if layout == "horizontal" else _columns(lines)
            for number, forms in enumerate(words, 1):
                yield Sentence(forms, comments=[f"# sent_id = {number}", f"# text = {' '.join(forms)}"])
        finally:
            stream.__exit__(None, None, None)

    return sentences()


def _rows(lines: Iterator[str]) -> Iterator[list[str]]:
    for line in lines:
        words = [word for word in _BLANKS.split(line) if word]
        if words:
            yield words


def _columns(lines: Iterator[str]) -> Iterator[list[str]]:
    words: list[str] = []
    for line in lines:
        word = line.partition("\t")[0].strip(" ")
        if word:
            words.append(word)
        elif words and not line.strip():
            yield words
            words = []
    if words:
        yield words
