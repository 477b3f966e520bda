"""The tree of a sentence whose heads have been checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ramify.validation.block import Row, universal

if TYPE_CHECKING:
    from ramify.validation.block import Block
    from ramify.validation.finding import Finding

__all__ = ["Tree", "Word"]


@dataclass(eq=False)
class Word:
    """A word of the tree: its number from 1, its line, its head (None for the root), and its modifiers in order."""

    id: int
    row: Row
    head: Word | None = None
    modifiers: list[Word] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.upos = self.row["UPOS"]
        self.label = self.row["DEPREL"]
        self.relation = universal(self.label)

    def finding(self, check: str, message: str, column: str = "", *, warning: bool = False) -> Finding:
        """Say what is wrong with this word."""
        return self.row.finding(3, check, message, column, warning=warning)


class Tree:
    """Words with heads and modifiers; the checks of levels 1 and 2 have found it to be a tree."""

    def __init__(self, block: Block) -> None:
        self.words = tuple(Word(i, row) for i, row in enumerate(block.words, 1))
        for word in self.words:
            head = int(word.row["HEAD"])
            if head:
                word.head = self.words[head - 1]
                word.head.modifiers.append(word)

    def gap(self, word: Word) -> list[int]:
        """List the words between a word and its head that are not below that head."""
        head = word.head
        if head is None:  # everything is below the root
            return []
        first, last = sorted((word.id, head.id))
        return [each.id for each in self.words[first : last - 1] if not _is_below(each, head)]

    def arcs_across(self, word: Word) -> list[int]:
        """List the modifiers of arcs that the arc to this word crosses, where that arc makes them non-projective.

        Such an arc spans the word, stays on one side of the word's head, and comes from no ancestor of the word.
        """
        ancestors = set()
        above = word.head
        while above is not None:
            ancestors.add(above.id)
            above = above.head
        head = word.head.id if word.head else 0
        found = []
        for each in self.words:
            if each.head is None or each.head.id in ancestors:
                continue
            first, last = sorted((each.id, each.head.id))
            if first < word.id < last and (first > head if head < word.id else last < head):
                found.append(each.id)
        return found


def _is_below(word: Word | None, head: Word) -> bool:
    while word is not None:
        word = word.head
        if word is head:
            return True
    return False
