"""The sentences of documents, and where they stand in them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ramify.data.documents import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ramify.data import Sentence

__all__ = ["Source", "SourceSentence", "read_source"]

_LETTER = re.compile(r"[^\W\d_]")
_MARKUP = re.compile(r"[|{}<>=\\;_]")
_LEAST_LETTERS = 0.6  # share of the characters; tables and code have fewer
_LEAST_WORDS, _MOST_WORDS = 3, 150


@dataclass(frozen=True)
class SourceSentence:
    """A sentence of the input.

    Attributes
    ----------
    document : number of its document, from 0
    number : its place in the document, from 0
    start, end : characters in the text of the document
    text : as it stands there
    columns : its words; with a tree once it is parsed
    starts, ends : (tokens,) characters of its surface tokens, in the text of the document
    opens : whether a paragraph starts here
    """

    document: int
    number: int
    start: int
    end: int
    text: str
    columns: Sentence
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    opens: bool = False

    @property
    def words(self) -> int:
        """Words between blanks."""
        return len(self.text.split())

    @property
    def is_prose(self) -> bool:
        """Whether this is a sentence that a summary can have: no table, formula, code or single word."""
        solid = [character for character in self.text if not character.isspace()]
        letters = len(_LETTER.findall(self.text))
        few = len(_MARKUP.findall(self.text)) <= max(1, len(solid) // 40)
        return few and letters >= _LEAST_LETTERS * len(solid) and _LEAST_WORDS <= self.words <= _MOST_WORDS

    def parsed(self, columns: Sentence) -> SourceSentence:
        """Return the sentence with a tree."""
        return replace(self, columns=columns)


@dataclass(frozen=True)
class Source:
    """Documents and their sentences.

    Attributes
    ----------
    documents : the input
    sentences : of all documents, in their order
    headlines : of each document, empty where it has none
    """

    documents: tuple[Document, ...]
    sentences: tuple[SourceSentence, ...]
    headlines: tuple[str, ...] = field(default=())

    @property
    def words(self) -> int:
        """Words between blanks of all sentences."""
        return sum(sentence.words for sentence in self.sentences)


def read_source(documents: Iterable[Document | str], segmenter: Any, *, headline: bool = False) -> Source:
    """Divide documents into sentences.

    Parameters
    ----------
    documents : texts; a document may have ``headline`` among its metadata
    segmenter : a `ramify.Segmenter`
    headline : whether the first line of every document is its headline, which is not a sentence of the text
    """
    whole = tuple(
        document if isinstance(document, Document) else Document(document, id=str(number))
        for number, document in enumerate(documents, 1)
    )
    sentences: list[SourceSentence] = []
    headlines = []
    for number, document in enumerate(whole):
        title, begin = _headline(document, headline)
        headlines.append(title)
        sentences += _sentences(number, document.text, begin, segmenter)
    return Source(whole, tuple(sentences), tuple(headlines))


def _headline(document: Document, is_first_line: bool) -> tuple[str, int]:
    if not is_first_line:
        title = document.metadata.get("headline", "")
        return (title if isinstance(title, str) else ""), 0
    text = document.text
    begin = len(text) - len(text.lstrip())
    end = text.find("\n", begin)
    return (text[begin:].strip(), len(text)) if end < 0 else (text[begin:end].strip(), end)


def _sentences(number: int, text: str, begin: int, segmenter: Any) -> list[SourceSentence]:
    segmentation = segmenter.segment(text[begin:])
    starts, ends = segmentation.starts + begin, segmentation.ends + begin
    bounds: Sequence[int] = segmentation.offsets.tolist()
    found: list[SourceSentence] = []
    last = 0
    for k, columns in enumerate(segmentation.sentences):
        first, past = bounds[k], bounds[k + 1]
        start, end = int(starts[first]), int(ends[past - 1])
        opens = not found or text.count("\n", last, start) > 1
        found.append(
            SourceSentence(
                number, k, start, end, text[start:end], columns, starts[first:past], ends[first:past], opens=opens
            )
        )
        last = end
    return found
