"""The words of one sentence as patterns see them: features by name, heads, children."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ramify.data import Sentence

__all__ = ["Words", "label_of"]

_COLUMNS = {
    "form": "forms",
    "word": "forms",
    "wordform": "forms",
    "lemma": "lemmas",
    "upos": "upos",
    "xpos": "xpos",
    "deprel": "deprels",
}
_PROBABILITY = "ArcProb"


def label_of(text: str) -> str | None:
    """Return a cell's value; None where it is empty."""
    return None if text == "_" else text


@lru_cache(maxsize=1 << 14)
def _pairs(cell: str) -> dict[str, str]:
    """Return the items of FEATS or MISC; the same strings come again and again."""
    if cell == "_":
        return {}
    return {key: value for key, equals, value in (item.partition("=") for item in cell.split("|")) if equals}


class Words:
    """Columns of a sentence, read when they are first asked for. Words count from 1; item 0 of a list is the root."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self.size = len(sentence)
        self._values: dict[str, list[str | None]] = {}

    @cached_property
    def heads(self) -> list[int]:
        """Heads of the words; −1 is none."""
        return [-1, *self.sentence.heads.tolist()]

    @cached_property
    def children(self) -> list[list[int]]:
        """The dependents of every word, and of the root."""
        found: list[list[int]] = [[] for _ in range(self.size + 1)]
        for word, head in enumerate(self.heads):
            if word and head >= 0:
                found[head].append(word)
        return found

    def values(self, feature: str) -> list[str | None]:
        """Return the values of a feature, from word 1 on after one for the root; None is no value."""
        if feature not in self._values:
            self._values[feature] = [None, *self._read(feature)]
        return self._values[feature]

    def _read(self, feature: str) -> Sequence[str | None]:
        sentence = self.sentence
        column = _COLUMNS.get(feature)
        if column == "forms":
            return sentence.forms
        if column == "lemmas":  # the lemma of the word _ is _
            pairs = zip(sentence.lemmas, sentence.forms, strict=True)
            return [lemma if lemma != "_" or form == "_" else None for lemma, form in pairs]
        if column is not None:
            texts: tuple[str, ...] = getattr(sentence, column)
            return [label_of(text) for text in texts]
        numbers: dict[str, Callable[[], Sequence[int]]] = {
            "id": lambda: range(1, self.size + 1),
            "__id__": lambda: range(1, self.size + 1),
            "head": lambda: self.heads[1:],
        }
        if feature in numbers:
            return [str(number) if number >= 0 else None for number in numbers[feature]()]
        return self._annotation(feature)

    def _annotation(self, feature: str) -> list[str | None]:
        """Return a feature of FEATS, else of MISC; ``feats.`` and ``misc.`` before its name choose one of them."""
        place, _, name = feature.rpartition(".")
        name = _PROBABILITY if feature == "prob" else name
        feats = self.sentence.feats if place in ("", "feats") and feature != "prob" else ()
        misc = self.sentence.misc if place in ("", "misc") else ()
        found = [_pairs(cell).get(name) for cell in feats] or [None] * self.size
        for i, cell in enumerate(misc):
            if found[i] is None and name in cell:
                found[i] = _pairs(cell).get(name)
        return found

    def ancestors(self, word: int) -> list[int]:
        """Return the words above a word, its head first."""
        found: list[int] = []
        above = self.heads[word]
        while above > 0 and len(found) < self.size:  # heads that were changed by hand may run in a circle
            found.append(above)
            above = self.heads[above]
        return found

    def descendants(self, word: int) -> list[int]:
        """Return the words below a word."""
        found: dict[int, None] = {}
        waiting = list(self.children[word])
        while waiting:
            below = waiting.pop()
            if below not in found:
                found[below] = None
                waiting += self.children[below]
        return list(found)
