"""What a pattern consists of, once it is read: tests of single words, and relations between two words."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Union

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "OPERATORS",
    "Block",
    "Clause",
    "Comparison",
    "Distance",
    "Dominance",
    "Edge",
    "LabelTest",
    "Precedence",
    "Reference",
    "Value",
]

Value = Union[str, "re.Pattern[str]"]
OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_ORDERED = ("<", "<=", ">", ">=")


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


@dataclass(frozen=True)
class Comparison:
    """A test of one feature: ``upos=VERB|AUX``, ``Tense<>Past``, ``prob<0.5``, ``Number`` (there is one), ``!Number``.

    Attributes
    ----------
    feature : its name
    operator : one of `OPERATORS`, ``"defined"`` or ``"undefined"``
    values : strings, or regular expressions that match the whole value; one of them is enough
    """

    feature: str
    operator: str
    values: tuple[Value, ...] = ()

    def select(self, values: Sequence[str | None], words: Iterable[int]) -> list[int]:
        """Return those of the words whose value passes; most tests are for a few strings, which a set answers."""
        strings = frozenset(value for value in self.values if isinstance(value, str))
        if self.operator == "=" and len(strings) == len(self.values):
            return [word for word in words if values[word] in strings]
        return [word for word in words if self.holds(values[word])]

    def holds(self, value: str | None) -> bool:
        """Tell whether a word with this value of the feature passes; None is no value, which passes only ``!``."""
        if value is None or self.operator in ("defined", "undefined"):
            return (value is None) == (self.operator == "undefined")
        if self.operator in _ORDERED:
            return _compare(value, self.operator, self.values[0])
        return any(_equals(value, wanted) for wanted in self.values) == (self.operator == "=")


def _equals(value: str, wanted: Value) -> bool:
    return value == wanted if isinstance(wanted, str) else wanted.fullmatch(value) is not None


def _compare(left: str, sign: str, right: Value) -> bool:
    """Compare numbers; what is no number is neither less nor more."""
    a, b = _as_number(left), _as_number(right) if isinstance(right, str) else None
    return a is not None and b is not None and OPERATORS[sign](a, b)


@dataclass(frozen=True)
class LabelTest:
    """A test of an edge's label: ``nsubj|obj``, ``^punct``, or its parts around the colon, ``1=nsubj, !2``."""

    whole: Comparison | None = None
    parts: tuple[tuple[int, Comparison], ...] = ()

    def holds(self, label: str | None) -> bool:
        """Tell whether a label passes."""
        if self.whole is not None:
            return self.whole.holds(label)
        pieces = [] if label is None else label.split(":", 1)
        return all(
            comparison.holds(pieces[number - 1] if number <= len(pieces) else None) for number, comparison in self.parts
        )

    def select(self, labels: Sequence[str | None], words: Iterable[int]) -> list[int]:
        """Return those of the words whose label passes."""
        if self.whole is not None:
            return self.whole.select(labels, words)
        return [word for word in words if self.holds(labels[word])]


class Edge(NamedTuple):
    """Head and dependent; None is any, where the head may be the root. No label test takes every label."""

    head: str | None
    dependent: str | None
    label: LabelTest | None = None


class Dominance(NamedTuple):
    """The first is an ancestor of the second."""

    above: str
    below: str


class Precedence(NamedTuple):
    """The first stands before the second: right before it, or anywhere."""

    first: str
    second: str
    immediate: bool


class Distance(NamedTuple):
    """How far the second stands after the first (``delta``), or how far they are apart (``length``)."""

    first: str
    second: str
    signed: bool
    operator: str
    number: float


class Reference(NamedTuple):
    """A feature of one word compared with a feature of another: ``X.lemma = Y.lemma``."""

    left: str
    left_feature: str
    operator: str
    right: str
    right_feature: str

    def holds(self, left: str | None, right: str | None) -> bool:
        """Tell whether two values pass; both have to be there."""
        if left is None or right is None:
            return False
        if self.operator in _ORDERED:
            return _compare(left, self.operator, right)
        return (left == right) == (self.operator == "=")


Clause = Edge | Dominance | Precedence | Distance | Reference


@dataclass
class Block:
    """The content of one pair of braces.

    Attributes
    ----------
    tests : of each word, in the order of their first mention: a list of alternatives, of which one has to hold, for
        every time that the word is described
    clauses : relations between words
    edges : named edges, by the name of their dependent
    """

    tests: dict[str, list[tuple[tuple[Comparison, ...], ...]]] = field(default_factory=dict)
    clauses: list[Clause] = field(default_factory=list)
    edges: dict[str, str] = field(default_factory=dict)
