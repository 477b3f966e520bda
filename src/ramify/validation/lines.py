"""Level 1: lines, cells and IDs, as the format CoNLL-U has them."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from ramify.validation.block import COLUMNS, Block, Row, is_blank

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.validation.finding import Finding

__all__ = ["check_cells", "check_ids", "check_lines", "check_overlaps"]

_SPACE = re.compile(r"\s")
_TWO_SPACES = re.compile(r"\s\s")
_WITHOUT_SPACES = ("ID", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS")


def check_lines(block: Block) -> Iterator[Finding]:
    """Check that comments come first, words next, and one empty line at the end."""
    has_words = seen_others = False
    last = len(block.lines) - 1
    for i, text in enumerate(block.lines):
        line = block.first_line + i
        yield from _characters(block, line, text)
        if text.startswith("#"):
            if seen_others:
                yield block.finding(line, 1, "misplaced-comment", "Comments stand before the words of a sentence.")
            continue
        seen_others = True
        if text and text[0].isdigit():
            has_words = True
        elif is_blank(text):
            if text:
                yield block.finding(line, 1, "pseudo-empty-line", "The line has only spaces; make it empty.")
            if i < last:
                yield block.finding(line, 1, "extra-empty-line", "An empty line stands inside the sentence.")
            elif not has_words:
                yield block.finding(line, 1, "empty-sentence", "A sentence has no word, or two empty lines follow it.")
        else:
            message = f"A line starts with a digit or with '#'; found {text[:40]!r}."
            yield block.finding(line, 1, "invalid-line", message)
    if not block.lines or not is_blank(block.lines[-1]):
        line = block.first_line + max(last, 0)
        yield block.finding(line, 1, "missing-empty-line", "An empty line has to follow the sentence.")


def _characters(block: Block, line: int, text: str) -> Iterator[Finding]:
    if text.isascii():
        return
    if "\ufffd" in text:
        message = f"The text is not UTF-8, or was not once: {_cell_of(text, text.index(chr(0xFFFD)))}."
        yield block.finding(line, 1, "invalid-utf", message)
    if not unicodedata.is_normalized("NFC", text):
        normal = unicodedata.normalize("NFC", text)
        at = next((i for i, (a, b) in enumerate(zip(text, normal, strict=False)) if a != b), len(text) - 1)
        message = f"The text is not in Unicode's normal form NFC: {_cell_of(text, at)}."
        yield block.finding(line, 1, "unicode-normalization", message)


def _cell_of(text: str, at: int) -> str:
    column = text[:at].count("\t")
    name = COLUMNS[column] if "\t" in text and column < len(COLUMNS) else "comment"
    return f"U+{ord(text[at]):04X} in {name} {text.split(chr(9))[column][:40]!r}"


def check_cells(block: Block) -> Iterator[Finding]:
    """Check that every line has ten cells, none of them empty, with spaces only where words may have them."""
    for row in block.rows:
        if len(row.cells) == len(COLUMNS):
            yield from _spaces(row)
        else:
            message = f"A line has {len(COLUMNS)} cells with tabs between them; found {len(row.cells)}."
            yield row.finding(1, "number-of-columns", message)


def _spaces(row: Row) -> Iterator[Finding]:
    for name, cell in zip(COLUMNS, row.cells, strict=True):
        if cell.isascii() and cell.isalnum():  # most cells are
            continue
        if row.range and name in ("FORM", "LEMMA") and _SPACE.search(cell):
            message = f"{name} of a multiword token has no spaces; found {cell!r}."
            yield row.finding(1, "invalid-whitespace-mwt", message, name)
        elif name in _WITHOUT_SPACES and _SPACE.search(cell):
            yield row.finding(1, "invalid-whitespace", f"{name} has no spaces; found {cell!r}.", name)
        elif not cell:
            yield row.finding(1, "empty-column", f"{name} is empty; write '_' where there is no value.", name)
        else:
            if cell[0].isspace():
                yield row.finding(1, "leading-whitespace", f"{name} starts with a space: {cell!r}.", name)
            if cell[-1].isspace():
                yield row.finding(1, "trailing-whitespace", f"{name} ends with a space: {cell!r}.", name)
            if _TWO_SPACES.search(cell):
                yield row.finding(1, "repeated-whitespace", f"{name} has two spaces in a row: {cell!r}.", name)


def check_ids(block: Block) -> Iterator[Finding]:
    """Check that words count from 1, and that multiword tokens and empty nodes stand in their places."""
    words: list[int] = []
    tokens: list[tuple[int, int, Row]] = []
    current, next_empty = 0, 1
    for row in block.rows:
        if row.empty:
            after, number = row.empty
            # An empty node before a multiword token's first word stands before that token's line, too.
            inside_token = bool(tokens) and after == current and after < tokens[-1][0]
            if (after, number) != (current, next_empty) or inside_token:
                message = f"Empty nodes follow their word and count from 1: {current}.{next_empty} was expected here."
                yield row.finding(1, "misplaced-empty-node", f"{message} Found {row['ID']}.", "ID")
                if (after, number) != (current, next_empty) and inside_token:  # two rules are broken
                    yield row.finding(1, "misplaced-empty-node", f"{message} Found {row['ID']}.", "ID")
            next_empty += 1
            continue
        if row.range:
            next_empty = 1
            first, last = row.range
            if first <= (words[-1] if words else 0):
                message = f"A multiword token stands before its first word; found {row['ID']} after word {words[-1]}."
                yield row.finding(1, "misplaced-word-interval", message, "ID")
            else:
                tokens.append((first, last, row))
        elif row.is_word:
            next_empty = 1
            current = int(row["ID"])
            words.append(current)
            if not (tokens and tokens[-1][0] <= current <= tokens[-1][1]):
                tokens.append((current, current, row))
        else:
            message = (
                f"An ID is a number such as 3, a range such as 3-4, or an empty node such as 3.1; found {row['ID']!r}."
            )
            yield row.finding(1, "invalid-word-id", message, "ID")
    if words != list(range(1, len(words) + 1)):
        message = f"Words count 1, 2, 3, … without gaps; found {', '.join(map(str, words[:20]))}."
        yield block.finding(block.first_row, 1, "word-id-sequence", message)
    for first, last, row in tokens:
        if last < first:
            yield row.finding(
                1, "reversed-word-interval", f"A range starts with the smaller ID; found {row['ID']}.", "ID"
            )
        elif last > len(words):
            message = f"The sentence has {len(words)} words; found the ID {row['ID']}."
            yield row.finding(1, "word-interval-out", message, "ID")


def check_overlaps(block: Block) -> Iterator[Finding]:
    """Check that no word belongs to two multiword tokens."""
    covered: set[int] = set()
    for row in block.rows:
        if row.range:
            words = set(range(row.range[0], row.range[1] + 1))
            if covered & words:
                message = f"Word {min(covered & words)} is in an earlier multiword token, too."
                yield row.finding(1, "overlapping-word-intervals", message, "ID")
            covered |= words
