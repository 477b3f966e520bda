"""Which words hang from a head over words that do not descend from it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ramify.evaluation.corpus import BoolArray, Corpus, IntArray

__all__ = ["nonprojective_words"]


def nonprojective_words(corpus: Corpus) -> BoolArray:
    """Say for each word whether the arc into it is non-projective; (N,)."""
    bounds = corpus.first_word.tolist()
    parts = [_nonprojective(corpus.heads[first:after]) for first, after in pairwise(bounds)]
    return np.concatenate([np.zeros(0, np.bool_), *parts])


def _nonprojective(heads: IntArray) -> BoolArray:
    """Do so for one sentence of n words, given as heads of shape (n,)."""
    words = np.arange(1, heads.size + 1)
    above = np.maximum(heads, 0)  # a missing head gives no arc, and the word hangs from nothing but the root
    low, high = np.minimum(above, words), np.maximum(above, words)
    result = np.zeros(heads.size, np.bool_)
    # With the root at 0 on the left, a tree without crossing arcs is projective: most need only this test.
    crossing = (low[:, None] < low) & (low < high[:, None]) & (high[:, None] < high)
    if not crossing.any():
        return result
    head_of = np.concatenate([[0], above])
    descends = np.zeros((heads.size + 1, heads.size + 1), np.bool_)  # [h, k]: k descends from h
    everyone = np.arange(heads.size + 1)
    ancestor = everyone.copy()
    for _ in range(heads.size + 1):  # not "until all are 0", because a lenient reader lets cycles through
        descends[ancestor, everyone] = True
        ancestor = head_of[ancestor]
        if not ancestor.any():
            break
    descends[0] = True
    for word in np.flatnonzero(high - low > 1).tolist():
        result[word] = not descends[above[word], low[word] + 1 : high[word]].all()
    return result & (heads > 0)
