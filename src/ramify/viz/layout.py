"""Place words in rows, and arcs on levels above them, so that no two arcs lie on one another.

Everything here is in logical order, from where the sentence begins; writers mirror it for right-to-left text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ramify.derived import Derived
from ramify.viz.levels import Extent, assign_levels
from ramify.viz.metrics import shorten, text_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify.viz.options import DrawingOptions
    from ramify.viz.tree import DrawnArc, DrawnTree, DrawnWord

__all__ = ["Piece", "PlacedWord", "Row", "Sizes", "arrange"]

_LONGEST = 32  # characters of a word that are drawn


@dataclass(frozen=True)
class Sizes:
    """Lengths in pixels, all from the size of the words' font."""

    word: float

    small = Derived[float](lambda sizes: sizes.word * 0.72, "Font size of labels and tags.")
    port = Derived[float](lambda sizes: sizes.word * 0.5, "Distance between two arcs at the same word.")
    gap = Derived[float](lambda sizes: sizes.word * 0.9, "Least distance between words.")
    level = Derived[float](lambda sizes: sizes.word * 1.25, "Height of a level.")
    corner = Derived[float](lambda sizes: sizes.word * 0.5, "Radius of an arc's corners.")
    edge = Derived[float](lambda sizes: sizes.word * 1.2, "Distance from the outermost words to the edges of a row.")


@dataclass
class PlacedWord:
    """A word, what is written below it, and where its middle is."""

    word: DrawnWord
    shown: str
    below: tuple[str, ...]
    width: float
    x: float = 0.0


@dataclass
class Piece:
    """An arc, or as much of it as lies in one row.

    Attributes
    ----------
    first, last : words at its ends, by number; None where it goes on in another row
    left, right : where its line starts and ends
    level : 1 is the lowest
    label, label_x : what is written on it and where
    """

    arc: DrawnArc
    first: int | None
    last: int | None
    label: str
    left: float = 0.0
    right: float = 0.0
    level: int = 0
    label_x: float = 0.0

    @property
    def is_root(self) -> bool:
        """Whether it comes from above."""
        return self.arc.head == 0


@dataclass
class Row:
    """Words that stand side by side, and the pieces above them."""

    words: list[PlacedWord]
    pieces: list[Piece] = field(default_factory=list)
    width: float = 0.0

    @property
    def levels(self) -> int:
        """How many levels there are."""
        return max((piece.level for piece in self.pieces), default=0)


def arrange(tree: DrawnTree, options: DrawingOptions) -> list[Row]:
    """Place words in rows and arcs above them."""
    return _Arrangement(tree, options).rows


def arc_label(arc: DrawnArc, options: DrawingOptions) -> str:
    """Return what is written on an arc."""
    if arc.probability is None or not (options.probabilities or arc.alternative):
        return arc.label
    return f"{arc.label} {arc.probability:.2f}".strip()


class _Arrangement:
    def __init__(self, tree: DrawnTree, options: DrawingOptions) -> None:
        self._tree = tree
        self._options = options
        self._sizes = Sizes(options.font_size)
        self._by_end: dict[int, list[DrawnArc]] = {}
        for arc in tree.arcs:
            self._by_end.setdefault(arc.modifier, []).append(arc)
            if arc.head:
                self._by_end.setdefault(arc.head, []).append(arc)
        self._ports = {word.number: self._port_offsets(word.number) for word in tree.words}
        self.rows = self._break(self._options.width)
        for index, row in enumerate(self.rows):
            row.pieces = self._pieces(index)
            self._start(row)
        for row in self.rows:
            row.width = max(other.width for other in self.rows)
            self._finish(row)

    def _port_offsets(self, word: int) -> dict[DrawnArc, float]:
        """Return where each arc touches a word, relative to its middle, so that arcs at the same word do not cross.

        Arcs to earlier words first, short ones outside; then the root's; then arcs to later words, long ones first.
        """

        def order(arc: DrawnArc) -> tuple[int, int, int]:
            other = arc.head if arc.modifier == word else arc.modifier
            if other == 0:
                return 1, 0, 0
            return (0, word - other, not arc.alternative) if other < word else (2, word - other, arc.alternative)

        arcs = sorted(self._by_end.get(word, []), key=order)
        middle = (len(arcs) - 1) / 2
        return {arc: (i - middle) * self._sizes.port for i, arc in enumerate(arcs)}

    def _placed(self, word: DrawnWord, numbered: bool) -> PlacedWord:
        options, sizes = self._options, self._sizes
        lines = [] if options.tags == "none" else [word.upos if options.tags == "upos" else word.xpos]
        if options.lemmas:
            lines.append(word.lemma)
        below = ["" if line == "_" else shorten(line, _LONGEST) for line in lines]
        if numbered:
            below.append(str(word.number))
        shown = shorten(word.form, _LONGEST)
        texts = [text_width(shown, sizes.word), *(text_width(text, sizes.small) for text in below)]
        ports = (len(self._ports[word.number]) - 1) * sizes.port
        return PlacedWord(word, shown, tuple(below), max(*texts, ports))

    def _break(self, width: float) -> list[Row]:
        """Fill rows up to a width; then make them about equally long with the same number of rows."""
        numbered = bool(self._options.numbers)
        rows = self._fill(width, numbered)
        if len(rows) == 1:
            return rows
        numbered = numbered or self._options.numbers is None
        rows = self._fill(width, numbered)
        narrow, wide = width / 2, width
        while wide - narrow > self._sizes.word:
            middle = (narrow + wide) / 2
            tried = self._fill(middle, numbered)
            if len(tried) <= len(rows):
                rows, wide = tried, middle
            else:
                narrow = middle
        return rows

    def _fill(self, width: float, numbered: bool) -> list[Row]:
        sizes = self._sizes
        rows = [Row([])]
        at: dict[int, float] = {}  # middles of the words of the current row
        for word in self._tree.words:
            placed = self._placed(word, numbered)
            words = rows[-1].words
            start = words[-1].x + words[-1].width / 2 + sizes.gap if words else sizes.edge
            placed.x = max(start + placed.width / 2, self._least(word.number, at))
            if words and placed.x + placed.width / 2 + sizes.edge > width:
                rows.append(Row([]))
                at.clear()
                placed.x = max(sizes.edge + placed.width / 2, self._least(word.number, at))
            at[word.number] = placed.x
            rows[-1].words.append(placed)
        return rows

    def _least(self, word: int, at: dict[int, float]) -> float:
        """Where the middle of a word has to be at least, for labels of arcs to earlier words of its row to fit."""
        least = 0.0
        for arc in self._by_end.get(word, []):
            other = arc.ends[0]
            if arc.head == 0:
                least = max(least, self._needed(arc_label(arc, self._options)) / 2)
            elif other < word:
                start = at[other] + self._ports[other][arc] if other in at else 0.0
                label = self._piece_label(arc, other if other in at else None, word)
                least = max(least, start + self._needed(label) - self._ports[word][arc])
        return least

    def _needed(self, label: str) -> float:
        return text_width(label, self._sizes.small) + self._sizes.corner

    def _pieces(self, index: int) -> list[Piece]:
        words = self.rows[index].words
        begin, end = words[0].word.number, words[-1].word.number
        pieces = []
        for arc in self._tree.arcs:
            first, last = arc.ends
            if arc.head == 0:
                if begin <= arc.modifier <= end:
                    pieces.append(Piece(arc, arc.modifier, arc.modifier, arc_label(arc, self._options)))
            elif first <= end and last >= begin:
                inside = first if first >= begin else None, last if last <= end else None
                pieces.append(Piece(arc, *inside, self._piece_label(arc, *inside)))
        return pieces

    def _piece_label(self, arc: DrawnArc, first: int | None, last: int | None) -> str:
        """Label of a piece; where the arc goes on elsewhere, with the number of the word that it goes to."""
        label = arc_label(arc, self._options)
        before = f"{arc.ends[0]} … " if first is None else ""
        after = f" … {arc.ends[1]}" if last is None else ""
        return f"{before}{label}{after}"

    def _start(self, row: Row) -> None:
        """Set where pieces begin, and how wide the row has to be for the labels of those that leave it."""
        at = {placed.word.number: placed.x for placed in row.words}
        row.width = row.words[-1].x + row.words[-1].width / 2 + self._sizes.edge
        for piece in row.pieces:
            if piece.last is not None:
                piece.right = at[piece.last] + self._ports[piece.last][piece.arc]
            if piece.first is None:
                continue
            piece.left = at[piece.first] + self._ports[piece.first][piece.arc]
            if piece.last is None or piece.is_root:
                room = self._needed(piece.label) / (2 if piece.is_root else 1)
                row.width = max(row.width, piece.left + room)

    def _finish(self, row: Row) -> None:
        for piece in row.pieces:
            if piece.last is None:
                piece.right = row.width
        self._level(row.pieces)
        self._label(row)

    def _level(self, pieces: Sequence[Piece]) -> None:
        clear = self._sizes.port / 2
        extents = [self._extent(piece) for piece in pieces]
        for piece, level in zip(pieces, assign_levels(extents, clear), strict=True):
            piece.level = level

    def _extent(self, piece: Piece) -> Extent:
        if not piece.is_root:
            return Extent(piece.left, piece.right)
        half = text_width(piece.label, self._sizes.small) / 2
        return Extent(piece.left - half, piece.left + half, from_above=True)

    def _label(self, row: Row) -> None:
        """Put each label as near to the middle of its line as possible, where no stem of another arc crosses it."""
        stems = [(x, piece) for piece in row.pieces for x, end in _ends(piece) if end is not None]
        for piece in row.pieces:
            half = text_width(piece.label, self._sizes.small) / 2
            piece.label_x = middle = (piece.left + piece.right) / 2
            if piece.is_root:
                continue
            slack = (piece.right - piece.left) / 2 - half
            in_the_way = [x for x, other in stems if other.level > piece.level]
            step = self._sizes.small / 4
            for i in range(2 * max(0, math.floor(slack / step)) + 1):
                x = middle + (i + 1) // 2 * step * (1 if i % 2 else -1)
                if not any(abs(x - stem) < half + 1.5 * step for stem in in_the_way):
                    piece.label_x = x
                    break


def _ends(piece: Piece) -> tuple[tuple[float, int | None], tuple[float, int | None]]:
    return (piece.left, piece.first), (piece.right, piece.last)
