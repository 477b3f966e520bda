"""Trees as text for a terminal: a line for each word, arcs drawn in front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from ramify.printable import printable
from ramify.viz.levels import Extent, assign_levels
from ramify.viz.options import DrawingOptions
from ramify.viz.tree import DrawnTree, drawn_all

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["arc_lines", "table"]

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
# By the sum of what leads out of the cell. An arc that passes a word by cuts through the line to that word.
_BOX = " ╵╷│╴┘┐│╶└┌│─┴┬│"
_ASCII = " |||-++|-++|-++|"


def table(items: object, *, arcs: bool = True, ascii: bool = False, **options: Any) -> str:
    """Write a sentence, a parser's result, or several of them, as tables.

    Parameters
    ----------
    items : `ramify.data.Sentence` or `ParseResult`, or an iterable of them
    arcs : whether arcs are drawn in front of the words
    ascii : whether they are drawn without box characters
    **options : see `DrawingOptions`

    Examples
    --------
    >>> from ramify.data import Sentence
    >>> tags, labels = ["DET", "NOUN", "VERB", "ADV"], ["det", "nsubj", "root", "advmod"]
    >>> print(table(Sentence(["The", "dogs", "bark", "loudly"], upos=tags, heads=[2, 3, 0, 3], deprels=labels)))
          id  form    upos  head  deprel
     ┌─>   1  The     DET      2  det
    ┌┴─>   2  dogs    NOUN     3  nsubj
    ┴┬─>   3  bark    VERB     0  root
     └─>   4  loudly  ADV      3  advmod
    <BLANKLINE>
    """
    chosen = DrawingOptions(**options)
    return "\n".join(_table(tree, chosen, arcs, ascii) for tree in drawn_all(items, chosen))


def _table(tree: DrawnTree, options: DrawingOptions, arcs: bool, ascii: bool) -> str:
    heads: list[int | None] = [None] * len(tree.words)
    cells: dict[str, list[str]] = {"id": [str(word.number) for word in tree.words]}
    cells["form"] = [word.form for word in tree.words]
    cells["lemma"] = [word.lemma for word in tree.words]
    cells["upos"] = [word.upos for word in tree.words]
    if options.tags == "xpos":
        cells["xpos"] = [word.xpos for word in tree.words]
    for name in ("head", "deprel", "prob", "others"):
        cells[name] = ["_"] * len(tree.words)
    for arc in tree.arcs:
        i, shown = arc.modifier - 1, "_" if arc.probability is None else f"{arc.probability:.3f}"
        if arc.alternative:
            before = "" if cells["others"][i] == "_" else cells["others"][i] + " "
            cells["others"][i] = f"{before}{arc.head}:{shown}"
            continue
        heads[i] = arc.head
        cells["head"][i], cells["deprel"][i], cells["prob"][i] = str(arc.head), arc.label, shown
    always = {"id", "form", "head", "deprel"}
    kept = {name: column for name, column in cells.items() if name in always or any(cell != "_" for cell in column)}
    lines = _aligned(kept, right={"id", "head", "prob"})
    if arcs:
        drawn = arc_lines(heads, ascii=ascii)
        lines = [
            f"{arc}  {line}" for arc, line in zip([" " * len(drawn[0]) if drawn else "", *drawn], lines, strict=True)
        ]
    titles = [f"# {printable(title)}" for title in (tree.name, tree.caption) if title]
    return "\n".join([*titles, *(line.rstrip() for line in lines)]) + "\n"


def _aligned(columns: dict[str, list[str]], right: set[str]) -> list[str]:
    rows: list[list[str]] = [[] for _ in range(1 + len(next(iter(columns.values()))))]
    for name, column in columns.items():
        cells = [name, *map(printable, column)]
        width = max(map(cell_len, cells))
        for row, cell in zip(rows, cells, strict=True):
            space = " " * (width - cell_len(cell))
            row.append(space + cell if name in right else cell + space)
    return ["  ".join(row) for row in rows]


def arc_lines(heads: Sequence[int | None], *, ascii: bool = False) -> list[str]:
    """Draw the arcs of a tree in front of its words, a line for each; the root's comes from the left edge.

    Parameters
    ----------
    heads : n numbers, 0 is the root, None is no head
    ascii : whether to do without box characters
    """
    arcs = [(head, word) for word, head in enumerate(heads, 1) if head]
    # Arcs that touch at a word stay apart: on one level they would look like a longer one.
    levels = assign_levels([Extent(min(arc), max(arc)) for arc in arcs], clear=0.5)
    width = max(levels, default=0)
    grid = [[0] * (width + 2) for _ in heads]
    for (head, word), level in zip(arcs, levels, strict=True):
        column = width - level
        first, last = sorted((head - 1, word - 1))
        grid[first][column] |= _DOWN
        grid[last][column] |= _UP
        for row in range(first + 1, last):
            grid[row][column] |= _UP | _DOWN
        for row in (first, last):
            grid[row][column] |= _RIGHT
            for place in range(column + 1, width + 1):
                grid[row][place] |= _LEFT | _RIGHT
    for row in (row for row, head in enumerate(heads) if head == 0):
        for place in range(width + 1):
            grid[row][place] |= _LEFT | _RIGHT
    return [_line(row, head, ascii) for row, head in zip(grid, heads, strict=True)]


def _line(row: Sequence[int], head: int | None, ascii: bool) -> str:
    characters = _ASCII if ascii else _BOX
    drawn = "".join(characters[cell] for cell in row[:-1])
    return drawn + (" " if head is None else ">" if row[-2] else " ")
