"""Random score matrices of every kind the tree functions must stand."""

from __future__ import annotations

import numpy as np

from oracles.trees import TreeOracle

KINDS = ("plain", "ties", "pruned", "large", "huge", "huge-pruned", "sparse")


def random_scores(kind: str, num_words: int, seed: int, single_root: bool) -> np.ndarray:
    """A matrix with at least one tree; column 0 and the diagonal hold NaN, which nobody may read."""
    rng = np.random.default_rng([seed, num_words, KINDS.index(kind)])
    while True:
        size = (num_words + 1, num_words + 1)
        sigma = {"large": 1e3, "huge": 1e4, "huge-pruned": 1e4}.get(kind, 1.0)
        scores = rng.integers(-1, 2, size).astype(float) if kind == "ties" else rng.normal(size=size) * sigma
        if "pruned" in kind:
            scores[rng.random(size) < 0.4] = -np.inf
        if kind == "sparse":  # many words that head nothing, words that only the root can head
            scores[rng.random(size) < 0.65] = -np.inf
        np.fill_diagonal(scores, np.nan)
        scores[:, 0] = np.nan
        if num_words > 5 or TreeOracle(scores, single_root).feasible:
            return scores
