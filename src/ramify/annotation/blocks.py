"""A treebank file as blocks of bytes, one for each sentence, and cells of a block that can be replaced."""

from __future__ import annotations

import codecs
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ramify import data
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["COLUMNS", "Cells", "Line", "lines_of", "parsed", "split_file", "with_cells", "written"]

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_END = re.compile(rb"\n(?:[ \t]*\r?\n)+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
Cells = "Mapping[tuple[str, str], str]"


def split_file(content: bytes) -> tuple[bytes, list[bytes]]:
    r"""Split a file into what stands before the first sentence (a byte order mark), and blocks.

    Parameters
    ----------
    content : of the file; all pieces together are the content again

    Examples
    --------
    >>> split_file(b"1\tHi\n\n\n1\tHo\n")
    (b'', [b'1\tHi\n\n\n', b'1\tHo\n'])
    """
    start = len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0
    prefix, blocks = content[:start], []
    for match in _END.finditer(content, start):
        blocks.append(content[start : match.end()])
        start = match.end()
    rest = content[start:]
    if rest.strip() or not blocks:
        blocks += [rest] if rest else []
    elif rest:
        blocks[-1] += rest
    return prefix, blocks


@dataclass(frozen=True)
class Line:
    """A line of a block.

    Attributes
    ----------
    cells : the line at its tabs; a comment, or a line that is no row of a table, has one cell
    end : the line break
    """

    cells: tuple[str, ...]
    end: str = "\n"

    @property
    def is_row(self) -> bool:
        """Whether this is a word, a multiword token or an empty node."""
        return len(self.cells) == len(COLUMNS) and self.cells[0][:1].isdigit()

    @property
    def id(self) -> str:
        """The first cell: ``3`` is a word, ``3-4`` a multiword token, ``3.1`` an empty node."""
        return self.cells[0]

    @property
    def word(self) -> int:
        """Number of the word; 0 if this is none."""
        return int(self.id) if self.is_row and self.id.isdigit() else 0

    @property
    def range(self) -> tuple[int, int] | None:
        """First and last word of a multiword token."""
        first, dash, last = self.id.partition("-")
        return (int(first), int(last)) if self.is_row and dash else None

    @property
    def empty(self) -> tuple[int, int] | None:
        """Word before an empty node, and its own number."""
        after, dot, number = self.id.partition(".")
        return (int(after), int(number)) if self.is_row and dot else None

    def __getitem__(self, column: str) -> str:
        return self.cells[COLUMNS.index(column)]

    def replaced(self, **cells: str) -> Line:
        """Return the line with other cells."""
        return Line(tuple(cells.get(name, old) for name, old in zip(COLUMNS, self.cells, strict=True)), self.end)


def lines_of(block: bytes) -> list[Line]:
    """Return the lines of a block.

    Parameters
    ----------
    block : in UTF-8
    """
    lines = []
    for text in _lines(block.decode()):
        body = text.rstrip("\r\n")
        cells = (body,) if body.startswith("#") else tuple(body.split("\t"))
        lines.append(Line(cells, text[len(body) :]))
    return lines


def _lines(text: str) -> list[str]:
    """Cut at newlines only: other characters that end lines may stand in cells."""
    pieces = text.split("\n")
    return [piece + "\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def written(lines: Iterable[Line]) -> bytes:
    """Return the block that has these lines."""
    return "".join("\t".join(line.cells) + line.end for line in lines).encode()


def with_cells(block: bytes, cells: Mapping[tuple[str, str], str]) -> bytes:
    r"""Replace cells, and leave all other bytes as they are.

    Parameters
    ----------
    block : of a sentence
    cells : new values by the ID of the row and the name of the column

    Examples
    --------
    >>> with_cells(b"1\tHi\thi\tX\t_\t_\t0\troot\t_\t_\r\n\r\n", {("1", "UPOS"): "INTJ"})
    b'1\tHi\thi\tINTJ\t_\t_\t0\troot\t_\t_\r\n\r\n'
    """
    left = dict(cells)
    lines = []
    for line in lines_of(block):
        mine = {name: left.pop((line.id, name)) for name in COLUMNS if (line.id, name) in left} if line.is_row else {}
        for name, value in mine.items():
            check_cell(name, value)
        lines.append(line.replaced(**mine) if mine else line)
    if left:
        (row, name), _ = left.popitem()
        raise InvalidInputError(f"The sentence has no cell {name} in a row {row}.")
    return written(lines)


def check_cell(name: str, value: str) -> None:
    """Refuse what would break the table."""
    if (
        not value
        or _CONTROL.search(value)
        or value.isspace()
        or (name not in ("FORM", "LEMMA", "MISC") and " " in value)
    ):
        raise InvalidInputError(
            f"{name} expects a value without tabs, line breaks and blanks ('_' for none); got {value!r}."
        )


def parsed(block: bytes, format: str) -> data.Sentence:
    """Read the sentence of a block, for the parser.

    Parameters
    ----------
    block : one sentence
    format : ``"conllu"`` or ``"conllx"``

    Raises
    ------
    ramify.errors.ParseError
        The block is malformed.
    """
    return next(iter(data.read(io.BytesIO(block), format=format, multiple_roots=True)))
