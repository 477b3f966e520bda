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
    """Sentences as numbers, one after the other; the root is the first token of each. All are int32 arrays.

    Attributes
    ----------
    lengths : tokens of each sentence, the root counted, shape (sentences,)
    words : shape (tokens,)
    tags : upos, xpos and feats, shape (3, tokens); no tokens if the network reads no tags
    forms : rows of the spellings, shape (tokens,)
    characters : those of all spellings, one after the other
    spelling_lengths : shape (different forms,)
    """

    lengths: npt.NDArray[np.int32]
    words: npt.NDArray[np.int32]
    tags: npt.NDArray[np.int32]
    forms: npt.NDArray[np.int32]
    characters: npt.NDArray[np.int32]
    spelling_lengths: npt.NDArray[np.int32]


class Numbering:
    """The numbers of the names in a vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        names = (vocabulary.words, vocabulary.characters, vocabulary.upos, vocabulary.xpos, vocabulary.feats)
        self._words, self._characters, *self._tags = ({name: i for i, name in enumerate(each)} for each in names)
        self._forget()

    def _forget(self) -> None:
        # The root comes first: it is no word, and has one letter.
        self._forms: dict[str, int] = {"": 0}
        self._numbers: list[int] = [ROOT]
        self._spellings: list[list[int]] = [[ROOT]]

    def form(self, form: str) -> int:
        """Return the place of a form among those seen; that of the root is 0."""
        place = self._forms.setdefault(form, len(self._forms))
        if place == len(self._numbers):
            characters = [self._characters.get(character, UNKNOWN) for character in form[:LONGEST_FORM]]
            self._numbers.append(self._words.get(form.lower(), UNKNOWN))
            self._spellings.append(characters)
        return place

    def word(self, place: int) -> int:
        """Return the number of a form, in lower case."""
        return self._numbers[place]

    def spelling(self, place: int) -> list[int]:
        """Return the numbers of the characters of a form."""
        return self._spellings[place]

    def tags(self, column: int, names: Iterable[str]) -> list[int]:
        """Return the numbers of tags in a column (0: upos, 1: xpos, 2: feats), that of the root before them."""
        known = self._tags[column]
        return [ROOT, *(known.get(name, UNKNOWN) for name in names)]

    def sentences(
        self, forms: Sequence[Sequence[str]], tags: Sequence[Sequence[Sequence[str]]] | None = None
    ) -> Numbered:
        """Return sentences as numbers.

        Parameters
        ----------
        forms : of each sentence
        tags : upos, xpos and feats of each sentence, if the network reads them
        """
        if len(self._forms) > _MOST_FORMS:
            self._forget()
        places = [0 if i < 0 else self.form(sentence[i]) for sentence in forms for i in range(-1, len(sentence))]
        used, rows = np.unique(np.array(places), return_inverse=True)
        spellings = [self._spellings[place] for place in used.tolist()]
        columns = [[n for each in tags or () for n in self.tags(column, each[column])] for column in range(3)]
        return Numbered(
            np.array([len(sentence) + 1 for sentence in forms], np.int32),
            np.array([self._numbers[place] for place in places], np.int32),
            np.array(columns, np.int32),
            rows.reshape(-1).astype(np.int32),
            np.array([character for spelling in spellings for character in spelling], np.int32),
            np.array([len(spelling) for spelling in spellings], np.int32),
        )
