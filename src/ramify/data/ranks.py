"""The place of a tree among the k best ones: kept in the comments of a sentence, so that it survives a file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify.data.sentence import Sentence

__all__ = ["TreeRank", "rank_of", "ranks_of_scores", "set_rank"]

_KEYS = ("tree_rank", "tree_score", "tree_probability")


@dataclass(frozen=True)
class TreeRank:
    """Where a tree stands among the k best ones of its sentence.

    Attributes
    ----------
    rank : 1 is the best tree
    score : sum of the scores of the tree's parts
    probability : of this tree, given that it is one of the k trees; those of the k trees add up to 1
    """

    rank: int
    score: float
    probability: float

    def __str__(self) -> str:
        return f"tree {self.rank}: score {self.score:.4f}, probability {self.probability:.4f}"


def ranks_of_scores(scores: Sequence[float]) -> list[TreeRank]:
    """Return the ranks of trees whose scores are given, best first.

    Examples
    --------
    >>> [f"{tree.probability:.3f}" for tree in ranks_of_scores([3.0, 2.0])]
    ['0.731', '0.269']
    """
    weights = [math.exp(score - scores[0]) for score in scores]
    total = math.fsum(weights)
    return [
        TreeRank(rank, round(score, 6), round(weight / total, 6))  # what a comment holds, so that all formats agree
        for rank, (score, weight) in enumerate(zip(scores, weights, strict=True), 1)
    ]


def set_rank(sentence: Sentence, rank: TreeRank) -> None:
    """Write the rank of a sentence's tree into its comments, which CoNLL-X does not have."""
    if sentence.format == "conllu":
        for key, value in zip(_KEYS, (str(rank.rank), f"{rank.score:.6f}", f"{rank.probability:.6f}"), strict=True):
            sentence.set_metadata(key, value)


def rank_of(sentence: Sentence) -> TreeRank | None:
    """Return the rank that the comments of a sentence give its tree; None if they do not, or not in numbers."""
    rank, score, probability = (sentence.metadata(key) or "" for key in _KEYS)
    try:
        found = TreeRank(int(rank), float(score), float(probability))
    except ValueError:
        return None
    return found if math.isfinite(found.score) and 0 <= found.probability <= 1 else None
