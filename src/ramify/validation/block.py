"""One sentence as the lines of a file, whether they are right or not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ramify.validation.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COLUMNS", "Block", "Row", "is_blank", "universal"]

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_WORD = re.compile(r"[1-9][0-9]*")
_RANGE = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)")
_EMPTY = re.compile(r"([0-9]+)\.([1-9][0-9]*)")
_SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(\S+)")


def is_blank(line: str) -> bool:
    """Tell whether a line ends a sentence: it is empty, or would be so without its spaces."""
    return not line or line.isspace()


def universal(label: str) -> str:
    """Return a label without its subtype."""
    return label.split(":", 1)[0]


@dataclass(frozen=True)
class Row:
    """A line with cells: a word, a multiword token, an empty node, or something that is none of them.

    Attributes
    ----------
    block : the sentence
    line : line number in the file
    cells : in the order of `COLUMNS`
    """

    block: Block
    line: int
    cells: tuple[str, ...]

    def __getitem__(self, column: str) -> str:
        return self.cells[COLUMNS.index(column)]

    @cached_property
    def is_word(self) -> bool:
        """Whether this is a word of the tree."""
        return _WORD.fullmatch(self.cells[0]) is not None

    @cached_property
    def range(self) -> tuple[int, int] | None:
        """First and last word, if this is a multiword token."""
        match = _RANGE.fullmatch(self.cells[0])
        return (int(match[1]), int(match[2])) if match else None

    @cached_property
    def empty(self) -> tuple[int, int] | None:
        """Word before it and own number, if this is an empty node."""
        match = _EMPTY.fullmatch(self.cells[0])
        return (int(match[1]), int(match[2])) if match else None

    @cached_property
    def feats(self) -> dict[str, str]:
        """The features, by name."""
        return _pairs(self["FEATS"])

    @cached_property
    def misc(self) -> dict[str, str]:
        """The attributes of MISC, by name."""
        return _pairs(self["MISC"])

    @cached_property
    def deps(self) -> list[tuple[str, str]] | None:
        """Heads and labels of the enhanced graph as they stand there, or None if one of them is not HEAD:LABEL."""
        if self["DEPS"] == "_":
            return []
        pairs = [item.split(":", 1) for item in self["DEPS"].split("|")]
        return [(pair[0], pair[1]) for pair in pairs] if all(len(pair) == 2 for pair in pairs) else None

    def finding(self, level: int, check: str, message: str, column: str = "", *, warning: bool = False) -> Finding:
        """Say what is wrong with this line."""
        word = self.cells[0] if self.is_word or self.range or self.empty else ""
        return Finding(self.line, level, check, message, word, column, warning, self.block.sent_id)


class Block:
    """The lines of a sentence, with the empty line that ends it.

    Parameters
    ----------
    lines : without line breaks
    first_line : line number of the first of them
    """

    def __init__(self, lines: Sequence[str], first_line: int = 1) -> None:
        self.lines = tuple(lines)
        self.first_line = first_line
        start = next((i for i, line in enumerate(self.lines) if not line.startswith("#")), 0)
        end = len(self.lines) - (1 if self.lines and is_blank(self.lines[-1]) else 0)
        self.comments = self.lines[:start]
        self.first_row = first_line + start
        self.rows = tuple(
            Row(self, first_line + i, tuple(self.lines[i].split("\t"))) for i in range(start, max(start, end))
        )

    @cached_property
    def sent_id(self) -> str:
        """The sentence's name, or ``""``."""
        matches = filter(None, (_SENT_ID.fullmatch(line) for line in self.lines if line.startswith("#")))
        return next((match[1] for match in matches), "")

    @cached_property
    def words(self) -> tuple[Row, ...]:
        """The words of the tree; word *i* is item *i* − 1, once the IDs have been checked."""
        return tuple(row for row in self.rows if row.is_word)

    def finding(self, line: int, level: int, check: str, message: str, *, warning: bool = False) -> Finding:
        """Say what is wrong with a line that has no cells, or with the sentence."""
        return Finding(line, level, check, message, warning=warning, sent_id=self.sent_id)


def _pairs(cell: str) -> dict[str, str]:
    if cell == "_":
        return {}
    return {name: value for name, _, value in (item.partition("=") for item in cell.split("|"))}
