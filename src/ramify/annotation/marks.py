"""What an annotator has decided about a sentence, and which constraints that makes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ramify.parsing import Constraint, Head, Label, NotHead

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

__all__ = ["Mark", "Marks"]


@dataclass(frozen=True)
class Mark:
    """The decisions about a word.

    Attributes
    ----------
    head : its head, if the annotator said so
    label : the label of its arc
    forbidden : heads that it does not have
    locked : whether the annotator has accepted it, so that its arc stays as it is
    moved : whether the parser has changed its arc, and the annotator has not accepted it since then
    """

    head: int | None = None
    label: str | None = None
    forbidden: tuple[int, ...] = ()
    locked: bool = False
    moved: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is decided."""
        return self == Mark()

    def to_json(self) -> dict[str, Any]:
        """Return what differs from no decision."""
        found: dict[str, Any] = {}
        for name, value in vars(self).items():
            if value not in (None, (), False):
                found[name] = list(value) if isinstance(value, tuple) else value
        return found


@dataclass(frozen=True)
class Marks:
    """The decisions about a sentence.

    Attributes
    ----------
    words : the words that something is decided about
    state : ``""``, ``"done"`` or ``"skipped"``
    """

    words: Mapping[int, Mark] = field(default_factory=dict)
    state: str = ""

    def of(self, word: int) -> Mark:
        """Return what is decided about a word."""
        return self.words.get(word, Mark())

    def with_word(self, word: int, **changes: Any) -> Marks:
        """Return the marks with another one for a word."""
        mark = replace(self.of(word), **changes)
        words = {**self.words, word: mark}
        if mark.is_empty:
            del words[word]
        return replace(self, words=words)

    def without(self, word: int) -> Marks:
        """Return the marks without those of a word."""
        return replace(self, words={other: mark for other, mark in self.words.items() if other != word})

    def renumbered(self, number: Callable[[int], int]) -> Marks:
        """Return the marks after words have got other numbers; those of words that are gone go, too.

        Parameters
        ----------
        number : the new number of a word; 0 stays, and −1 is a word that is gone
        """
        words: dict[int, Mark] = {}
        for word, mark in self.words.items():
            head = None if mark.head is None else number(mark.head)
            if number(word) > 0 and head != -1:
                forbidden = tuple(number(h) for h in mark.forbidden if number(h) >= 0)
                words[number(word)] = replace(mark, head=head, forbidden=forbidden)
        return replace(self, words=words)

    def constraints(
        self, heads: Mapping[int, int], labels: Mapping[int, str], known: Collection[str]
    ) -> list[Constraint]:
        """Return the constraints for the parser.

        Parameters
        ----------
        heads, labels : of the present tree, for words that are locked
        known : labels of the parser; others cannot be constraints
        """
        found: list[Constraint] = []
        for word, mark in sorted(self.words.items()):
            head = heads.get(word) if mark.locked and mark.head is None else mark.head
            label = labels.get(word) if mark.locked and mark.label is None else mark.label
            if head is not None and head >= 0:
                found.append(Head(word, head))
            if label in known:
                found.append(Label(word, str(label)))
            found += [NotHead(word, other) for other in mark.forbidden]
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the marks as a line of the journal has them."""
        found: dict[str, Any] = {"state": self.state} if self.state else {}
        words = {str(word): mark.to_json() for word, mark in sorted(self.words.items())}
        return found | ({"words": words} if words else {})

    @classmethod
    def of_json(cls, value: Mapping[str, Any]) -> Marks:
        """Read what `to_json` gave."""
        words = {}
        for word, mark in value.get("words", {}).items():
            words[int(word)] = Mark(**(mark | {"forbidden": tuple(mark.get("forbidden", ()))}))
        return cls(words, value.get("state", ""))
