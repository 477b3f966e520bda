"""Summaries: their sentences with their places in the documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify.data.documents import Document
    from ramify.summarization.source import SourceSentence

__all__ = ["Cut", "Span", "Summary", "SummarySentence", "spans_of"]


@dataclass(frozen=True)
class Span:
    """A stretch of a summary.

    Attributes
    ----------
    start, end : characters of the document that it comes from
    text : what is written, with the blank before it
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Cut:
    """What was left out of a sentence.

    Attributes
    ----------
    text : the words
    words : how many
    score : what the model gives to the cut
    """

    text: str
    words: int
    score: float


@dataclass(frozen=True)
class SummarySentence:
    """A sentence of a summary.

    Attributes
    ----------
    source : the sentence that it comes from
    file : name of its document
    spans : what is written; their texts, one after the other, are `text`
    concepts : the bigrams that this sentence brings, with their scores; those of earlier sentences are not among them
    cuts : what was left out
    score : of the sentence itself, without concepts and cuts
    """

    source: SourceSentence
    file: str
    spans: tuple[Span, ...]
    concepts: tuple[tuple[str, float], ...] = ()
    cuts: tuple[Cut, ...] = ()
    score: float = 0.0

    @property
    def text(self) -> str:
        """What is written."""
        return "".join(span.text for span in self.spans)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "document": self.source.document,
            "file": self.file,
            "start": self.source.start,
            "end": self.source.end,
            "text": self.text,
            "spans": [{"start": span.start, "end": span.end, "text": span.text} for span in self.spans],
        }


@dataclass(frozen=True)
class Summary:
    """A summary.

    Attributes
    ----------
    sentences : in the order of the documents
    documents : what was summarized
    budget, unit : how much was allowed, of ``"words"`` or ``"characters"``
    value : score of the summary
    bound : upper bound on the score of any summary of the sentences that were considered
    certified : whether the summary is proved to be the best one
    notes : messages to the reader
    """

    sentences: tuple[SummarySentence, ...]
    documents: tuple[Document, ...]
    budget: int
    unit: str
    value: float
    bound: float
    certified: bool
    notes: tuple[str, ...] = field(default=())

    @property
    def text(self) -> str:
        """The sentences, with a blank between them."""
        return " ".join(sentence.text for sentence in self.sentences)

    @property
    def words(self) -> int:
        """Words between blanks."""
        return len(self.text.split())

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "text": self.text,
            "words": self.words,
            "budget": self.budget,
            "unit": self.unit,
            "sentences": [sentence.to_dict() for sentence in self.sentences],
            "value": self.value,
            "bound": self.bound if self.bound < float("inf") else None,
            "certified": self.certified,
            "notes": list(self.notes),
        }


def spans_of(pieces: Sequence[tuple[int, int, str]], text: str) -> tuple[Span, ...]:
    """Return spans of pieces that are written one after the other; neighbours in the document become one span.

    Parameters
    ----------
    pieces : characters of the document, and what is written of them with the blank before it
    text : of the document
    """
    spans: list[Span] = []
    for start, end, written in pieces:
        begin = start - 1 if written[:1] == " " and text[start - 1 : start] == " " else start
        is_copy = text[begin:end] == written
        if is_copy and spans and spans[-1].end == begin and text[spans[-1].start : begin] == spans[-1].text:
            spans[-1] = Span(spans[-1].start, end, spans[-1].text + written)
        else:
            spans.append(Span(begin, end, written))
    return tuple(spans)
