"""What a trained compressor consists of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ramify.compression.config import Cases, Config
from ramify.compression.context import context_features
from ramify.compression.features import cut_features
from ramify.compression.units import Units, units_of
from ramify.learn.linear import Rows, rows_of
from ramify.learn.state import LinearState

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ramify.compression.config import Model
    from ramify.data import Sentence

__all__ = ["State", "Tree", "read_tree"]

_PREFIXES = {Cases.CUT: ("cut:",), Cases.ALL: ("cut:", "stay:", "gone:")}


@dataclass(frozen=True)
class Tree:
    """The units of a sentence with the features of their cuts.

    Attributes
    ----------
    units : of the sentence
    rows : features of all units being cut; then, if these are scored, of all staying, and of all going with their heads
    """

    units: Units
    rows: Rows

    def split(self, scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return (units,) scores of being cut, which count all that goes along, and of staying.

        Parameters
        ----------
        scores : of the rows
        """
        n = len(self.units)
        if len(scores) == n:
            return scores, np.zeros(n)
        cuts, stays, gone = scores.reshape(3, n)
        return cuts + self.units.below(gone), stays

    def gradient(self, kept: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return (rows,) which rows score a choice.

        Parameters
        ----------
        kept : (units,)
        """
        above = np.append(kept, True)[self.units.heads]
        cut = (above & ~kept).astype(np.float64)
        if len(self.rows) == len(kept):
            return cut
        return np.concatenate([cut, kept.astype(np.float64), (~above).astype(np.float64)])


def read_tree(sentence: Sentence, options: Model) -> Tree:
    """Return what is scored of a parsed sentence.

    Parameters
    ----------
    sentence : with a tree
    options : of the model
    """
    units = units_of(sentence, rules=options.rules, reports=options.reports)
    names = cut_features(units)
    if options.cases is Cases.ALL:
        names = [[*own, *context] for own, context in zip(names, context_features(units), strict=True)]
    return Tree(
        units, rows_of([[prefix + name for name in row] for prefix in _PREFIXES[options.cases] for row in names])
    )


@dataclass(frozen=True)
class State(LinearState[Config]):
    """A trained compressor: options, weights, the facts of the card, and a price.

    Attributes
    ----------
    price : what each word that stays scores, so that the usual share of words stays
    """

    price: float = 0.0
