"""Text in another language than the model's: told by how many of its words the treebank has."""

from __future__ import annotations

import unicodedata
import warnings
from typing import TYPE_CHECKING

from ramify.errors import LanguageWarning
from ramify.segmentation.gold_text import surface_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.data import Sentence
    from ramify.segmentation import Segmenter

__all__ = ["LanguageCheck"]

# Chosen on English-EWT dev and test: of documents with 20 words or more, the treebank has 62% of the words or more; of
# 50 words of other languages 46% or less. Sentences of few words may be all names.
_LEAST_SHARE, _LEAST_SHARE_OF_FEW = 0.55, 0.25  # of the words that are known in text like the treebank
_TOO_FEW, _FEW = 5, 20  # words
# Different letters of which a text of few words is judged: letters without case, as in scripts that put no spaces
# between words, where a sentence may be one word; or letters none of which the treebank has alone, as of another
# alphabet.
_LETTERS = 8
_ENOUGH = 50  # words after which the rest of the text need not be waited for


class LanguageCheck:
    """Counts the words of a text that the treebank has, and warns once where they are too few.

    Parameters
    ----------
    segmenter : knows the words
    language : its code, for the warning
    """

    def __init__(self, segmenter: Segmenter, language: str) -> None:
        self._segmenter = segmenter
        self._language = language
        self._words = self._known = 0
        self._letters: set[str] = set()
        self._different: set[str] = set()  # some of the forms, so that a word that is repeated is no language
        self._waiting = segmenter.known_share is not None

    def add(self, sentences: Iterable[Sentence]) -> None:
        """Count the words of more sentences of the text."""
        if self._waiting:
            forms = [token.form for sentence in sentences for token in surface_tokens(sentence)]
            words, known = self._segmenter.count_known(forms)
            if not self._known + known:
                self._letters.update(letter for form in forms[:_ENOUGH] for letter in form if letter.isalpha())
            if len(self._different) < _ENOUGH:
                self._different.update(forms[:_ENOUGH])
            self._words += words
            self._known += known
            if self._words >= _ENOUGH:
                self._judge(_LEAST_SHARE)

    def finish(self) -> None:
        """Judge what there was; nothing is said of a few words."""
        if not self._waiting:
            return
        if self._words >= _TOO_FEW:
            self._judge(_LEAST_SHARE if self._words >= _FEW else _LEAST_SHARE_OF_FEW)
        elif self._words and not self._known and self._has_strange_letters():
            self._warn()

    def _has_strange_letters(self) -> bool:
        without_case = sum(unicodedata.category(letter) == "Lo" for letter in self._letters)
        if max(without_case, len(self._letters)) < _LETTERS:
            return False
        alone = {form for letter in self._letters for form in (letter.lower(), letter.upper())}
        return without_case >= _LETTERS or not self._segmenter.count_known(alone)[1]

    def _judge(self, least: float) -> None:
        usual = self._segmenter.known_share or 0.0
        words, known = self._segmenter.count_known(self._different)
        if self._known < least * usual * self._words and words - known >= _TOO_FEW - 1:
            self._warn()

    def _warn(self) -> None:
        self._waiting = False
        words = f"{self._words} word{'s' if self._words > 1 else ''}"
        warnings.warn(
            f"The text does not look like the language that the model was trained on ({self._language}): the model "
            f"knows {self._known} of {words}. Its analyses are likely to be wrong; use a model of the "
            "language of the text.",
            LanguageWarning,
            stacklevel=2,
        )
