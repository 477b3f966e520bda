"""Words as the numbers that a network reads. What is known of a form is looked up once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ramify.neural.vocabulary import ROOT, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from ramify.neural.vocabulary import Vocabulary

__all__ = ["LONGEST_FORM", "Numbered", "Numbering"]

LONGEST_FORM = 24
"""Characters of a form that are read; the rest of a longer one says little."""
_MOST_FORMS = 200_000  # that are remembered, so that memory does not grow with a stream of text


class Numbered(NamedTuple):
    """One sentence as numbers: t = n + 1 tokens, the root first.

    Attributes
    ----------
    words : shape (t,)
    tags : shape (3, t): upos, xpos, feats
    spellings : characters of each token, shapes (up to 24,)
    """

    words: npt.NDArray[np.int32]
    tags: npt.NDArray[np.int32]
    spellings: list[npt.NDArray[np.int32]]


class Numbering:
    """The numbers of the names in a vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        names = (vocabulary.words, vocabulary.characters, vocabulary.upos, vocabulary.xpos, vocabulary.feats)
        self._words, self._characters, *self._tags = ({name: i for i, name in enumerate(each)} for each in names)
        self._forms: dict[str, tuple[int, npt.NDArray[np.int32]]] = {}
        self._root = np.array([ROOT], np.int32)

    def word(self, form: str) -> tuple[int, npt.NDArray[np.int32]]:
        """Return the number of a form, in lower case, and those of its characters."""
        found = self._forms.get(form)
        if found is None:
            characters = [self._characters.get(character, UNKNOWN) for character in form[:LONGEST_FORM]]
            found = self._words.get(form.lower(), UNKNOWN), np.array(characters or [ROOT], np.int32)
            if len(self._forms) >= _MOST_FORMS:
                self._forms.clear()
            self._forms[form] = found
        return found

    def tags(self, column: int, names: Iterable[str]) -> list[int]:
        """Return the numbers of tags in a column (0: upos, 1: xpos, 2: feats), that of the root before them."""
        known = self._tags[column]
        return [ROOT, *(known.get(name, UNKNOWN) for name in names)]

    def sentence(self, forms: Sequence[str], tags: Sequence[Sequence[str]] | None) -> Numbered:
        """Return a sentence as numbers; `tags` are the three columns if the network reads them."""
        found = [self.word(form) for form in forms]
        words = np.array([ROOT, *(number for number, _ in found)], np.int32)
        numbers = np.zeros((3, len(words)), np.int32)
        for column, names in enumerate(tags or ()):
            numbers[column] = self.tags(column, names)
        return Numbered(words, numbers, [self._root, *(spelling for _, spelling in found)])
