"""Comparison of compressions with those of people."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

__all__ = ["CompressionScores", "compression_scores"]


@dataclass(frozen=True)
class CompressionScores:
    """Scores over words that are no punctuation, as Martins & Smith (2009, section 5.1) compute them.

    Attributes
    ----------
    rate, gold_rate : share of the words that stay
    precision, recall, f1 : of the words that stay, all sentences together
    macro_f1 : mean over sentences
    exact : share of the sentences in which all words are right
    """

    rate: float
    gold_rate: float
    precision: float
    recall: float
    f1: float
    macro_f1: float
    exact: float

    def to_dict(self) -> dict[str, float]:
        """Return all figures, for JSON."""
        return asdict(self)


def compression_scores(gold: Sequence[Mask], kept: Sequence[Mask], counted: Sequence[Mask]) -> CompressionScores:
    """Compare which words stay.

    Parameters
    ----------
    gold, kept : for each sentence (words,) which words should stay, and which do
    counted : which words are compared

    Examples
    --------
    >>> gold, kept = np.array([True, True, False]), np.array([True, False, False])
    >>> scores = compression_scores([gold], [kept], [np.ones(3, bool)])
    >>> scores.precision, scores.recall, round(scores.f1, 2), round(scores.rate, 2)
    (1.0, 0.5, 0.67, 0.33)
    """
    triples = zip(gold, kept, counted, strict=True)
    rows = np.array([[(a & b & c).sum(), (b & c).sum(), (a & c).sum(), c.sum()] for a, b, c in triples], np.float64)
    right, found, wanted, total = rows.T
    precision, recall = _share(right.sum(), found.sum()), _share(right.sum(), wanted.sum())
    both = found + wanted
    each = np.divide(2 * right, both, out=np.ones_like(both), where=both > 0)
    return CompressionScores(
        rate=_share(found.sum(), total.sum()),
        gold_rate=_share(wanted.sum(), total.sum()),
        precision=precision,
        recall=recall,
        f1=_share(2 * right.sum(), both.sum()),
        macro_f1=float(each.mean()),
        exact=float(np.mean((right == found) & (right == wanted))),
    )


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0
