"""The compressor, which chooses the words of a sentence that can be deleted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ramify.compression.decoding import best_cuts, best_cuts_within, cut_score
from ramify.compression.evaluation import CompressionScores, compression_scores
from ramify.compression.marks import kept_words
from ramify.compression.state import read_tree
from ramify.compression.surface import Piece, pieces_of, text_of
from ramify.compression.task import TASK
from ramify.errors import InvalidInputError
from ramify.learn.model import Model

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ramify.compression.state import State
    from ramify.compression.units import Units
    from ramify.data import Sentence
    from ramify.learn.task import LearningTask

__all__ = ["Compression", "Compressor"]

_FULL = 0.85  # share of a rate that is used up at least, if the tree allows it


@dataclass(frozen=True)
class Compression:
    """A sentence and what stays of it.

    Attributes
    ----------
    sentence : the whole sentence
    kept : (words,) which words stay; punctuation is not among them
    score : score of these cuts
    pieces : text that is written, word by word
    """

    sentence: Sentence
    kept: NDArray[np.bool_]
    score: float
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The compressed sentence."""
        return text_of(self.pieces)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON: the text, and the numbers of the words that are written, from 1."""
        written = [piece.word + 1 for piece in self.pieces]
        return {"text": self.text, "words": written, "kept": round(float(self.kept.mean()), 4), "score": self.score}


class Compressor(Model):
    """Deletes the less important words of a sentence: whole subtrees of its dependency tree.

    A compressor gets sentences with trees. `train`, `load`, `save` and `card` are those of all models; training data
    are treebanks in which the words to delete have ``Cut=Yes`` in MISC.
    """

    task: ClassVar[LearningTask] = TASK
    _model: State

    def compress(
        self, sentences: Iterable[Sentence], *, rate: float | None = None, max_words: int | None = None
    ) -> list[Compression]:
        """Compress each sentence by itself, exactly.

        Parameters
        ----------
        sentences : with trees
        rate : at most this share of the words of each sentence stays, and not much less; without it, as many as the
            model finds best
        max_words : largest number of words that stay, counted at spaces; a sentence that cannot be so short becomes
            empty
        """
        if rate is not None and not 0 < rate <= 1:
            raise InvalidInputError(f"Compressor.compress expects rate above 0 and at most 1; got {rate!r}.")
        if max_words is not None and (isinstance(max_words, bool) or max_words < 1):
            raise InvalidInputError(f"Compressor.compress expects max_words as at least 1; got {max_words!r}.")
        return [self._compress(sentence, rate, max_words) for sentence in sentences]

    def evaluate(self, sentences: Iterable[Sentence], *, rate: float | None = None) -> CompressionScores:
        """Compare with sentences whose words are marked.

        Parameters
        ----------
        sentences : with trees and marks
        rate : as in `compress`
        """
        gold = list(sentences)
        found = self.compress(gold, rate=rate)
        counted = [read_tree(sentence, self._model.config.model).units.unit >= 0 for sentence in gold]
        return compression_scores([kept_words(sentence) for sentence in gold], [c.kept for c in found], counted)

    def _compress(self, sentence: Sentence, rate: float | None, max_words: int | None) -> Compression:
        model = self._model
        tree = read_tree(sentence, model.config.model)
        units = tree.units
        cuts, stays = tree.split(model.weights.scores(tree.rows))
        priced = stays + model.price * units.lengths
        kept = best_cuts(units.heads, cuts, priced)
        most, least = int(units.lengths.sum()), min(1, len(units))
        if rate is not None:
            most = max(1, int(rate * most))
            least = max(1, int(_FULL * most))
        if max_words is not None:
            most = min(most, max_words)
        used = int(units.lengths[kept].sum())
        if not least <= used <= most:
            kept = _within(units, cuts, priced, most, least)
        words = units.kept_words(kept)
        return Compression(sentence, words, cut_score(units.heads, cuts, priced, kept), tuple(pieces_of(units, words)))


def _within(
    units: Units, cuts: NDArray[np.float64], stays: NDArray[np.float64], most: int, least: int
) -> NDArray[np.bool_]:
    """Return the best cuts of a length in bounds; if there are none, of one below them, and at last nothing."""
    for low in (min(least, most), 1):
        kept = best_cuts_within(units.heads, cuts, stays, units.lengths, most, low)
        if kept is not None:
            return kept
    return np.zeros(len(units), bool)
