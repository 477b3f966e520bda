"""Spans: words of a document that follow each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, overload

from ramify.errors import InvalidInputError
from ramify.pipeline.given import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.pipeline.doc import Doc, Sentence, Token

__all__ = ["Placed", "Span", "TokenSequence"]


class TokenSequence:
    """What documents, sentences and spans share: they are sequences of words, and slices of them are spans."""

    __slots__ = ()
    _items: ClassVar[str] = "tokens"

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> Span: ...
    def __getitem__(self, index: int | slice) -> Token | Span:
        """Token by position, from 0; or the span of a slice."""
        who = type(self).__name__
        if isinstance(index, slice):
            return self._between(*token_range(index, len(self), who))
        return self._at(token_position(index, len(self), who, self._items))

    def __len__(self) -> int:
        raise NotImplementedError

    def _between(self, begin: int, end: int) -> Span:
        raise NotImplementedError

    def _at(self, position: int) -> Token:
        raise NotImplementedError


class Placed:
    """What tokens and sentences share: a place in the text of a document."""

    __slots__ = ()
    _doc: Doc

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._doc is other._doc and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((id(self._doc), self._key()))

    def _key(self) -> object:
        """Return what tells it from others of its kind in the document."""
        raise NotImplementedError

    @property
    def doc(self) -> Doc:
        """The document."""
        return self._doc

    @property
    def start(self) -> int:
        """First character in the text of the document; words of a multiword token have its place."""
        return self._place()[0]

    @property
    def end(self) -> int:
        """Character after the last one."""
        return self._place()[1]

    @property
    def start_char(self) -> int:
        """The same as `start`; spans have it under this name only."""
        return self.start

    @property
    def end_char(self) -> int:
        """The same as `end`."""
        return self.end

    def _place(self) -> tuple[int, int]:
        raise NotImplementedError


class Span(TokenSequence):
    """Words of a document that follow each other, such as ``doc[2:5]``; a sequence of its words.

    Attributes
    ----------
    doc : the document
    start, end : positions of the first word and after the last one, in the document
    """

    __slots__ = ("doc", "end", "start")

    def __init__(self, doc: Doc, start: int, end: int) -> None:
        self.doc = doc
        self.start = start
        self.end = end

    def __len__(self) -> int:
        return self.end - self.start

    def __iter__(self) -> Iterator[Token]:
        return (self.doc[i] for i in range(self.start, self.end))

    def _between(self, begin: int, end: int) -> Span:
        return Span(self.doc, self.start + begin, self.start + end)

    def _at(self, position: int) -> Token:
        return self.doc[self.start + position]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Span):
            return NotImplemented
        return self.doc is other.doc and (self.start, self.end) == (other.start, other.end)

    def __hash__(self) -> int:
        return hash((id(self.doc), self.start, self.end))

    def __repr__(self) -> str:
        return f"<Span {self.start}:{self.end}: {shortened(self.text)!r}>"

    def __str__(self) -> str:
        return self.text

    @property
    def tokens(self) -> list[Token]:
        """The words."""
        return list(self)

    @property
    def start_char(self) -> int:
        """First character in the text of the document."""
        return self.doc[self.start].start if self.start < len(self.doc) else len(self.doc.text)

    @property
    def end_char(self) -> int:
        """Character after the last one."""
        return self.doc[self.end - 1].end if len(self) else self.start_char

    @property
    def text(self) -> str:
        """The words as they stand in the text."""
        return self.doc.text[self.start_char : self.end_char]

    @property
    def sentences(self) -> list[Sentence]:
        """The sentences that the words are in."""
        return list(dict.fromkeys(token.sentence for token in self))

    @property
    def sentence(self) -> Sentence | None:
        """The sentence that all words are in; None if the span has no words, or those of several sentences."""
        found = self.sentences
        return found[0] if len(found) == 1 else None

    @property
    def root(self) -> Token | None:
        """The word that is nearest to the root of its sentence, the first of several; None if there is no tree."""
        found = [(len(token.ancestors), token.i, token) for token in self if token.is_root or token.head is not None]
        return min(found)[2] if found else None


def token_range(index: slice, size: int, who: str) -> tuple[int, int]:
    """Return the first position of a slice and the one after its last."""
    begin, end, step = index.indices(size)
    if step != 1:
        raise InvalidInputError(
            f"A slice of a {who} expects words that follow each other; got steps of {step}. Slice the list of its "
            f"words instead: tokens[::{step}]."
        )
    return begin, max(begin, end)


def token_position(index: int, size: int, who: str, items: str) -> int:
    """Return where an item is, from 0; negative numbers count from the end."""
    position = index + size if index < 0 else index
    if not 0 <= position < size:
        raise IndexError(f"{who} of {size} {items} has no item {index}.")
    return position
