"""Trees by enumeration: every vector of heads, kept if it leads to the root. Knows nothing but that."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np


@cache
def all_trees(num_words: int, single_root: bool) -> np.ndarray:
    """Heads of all trees, shape (num_trees, num_words + 1), heads[:, 0] = -1."""
    return np.array(
        [
            (-1, *heads)
            for heads in itertools.product(range(num_words + 1), repeat=num_words)
            if _is_tree(heads) and (not single_root or heads.count(0) == 1)
        ]
    )


def _is_tree(heads: tuple[int, ...]) -> bool:
    for word in range(1, len(heads) + 1):
        seen = set()
        while word != 0:
            if word in seen:
                return False
            seen.add(word)
            word = heads[word - 1]
    return True


class TreeOracle:
    """All quantities of one score matrix of shape (n + 1, n + 1), by sums over the list of trees."""

    def __init__(self, scores: np.ndarray, single_root: bool) -> None:
        self.n = len(scores) - 1
        self.trees = all_trees(self.n, single_root)
        words = np.arange(1, self.n + 1)
        per_arc = scores[self.trees[:, 1:], words]
        self.values = np.array([math.fsum(row) if np.isfinite(row).all() else -math.inf for row in per_arc])
        self.feasible = bool(np.isfinite(self.values).any())

    @property
    def best(self) -> float:
        return float(self.values.max())

    @property
    def log_z(self) -> float:
        return self.best + math.log(math.fsum(np.exp(self.values - self.best))) if self.feasible else -math.inf

    def expectation(self, per_tree: np.ndarray) -> float:
        return math.fsum(self.probabilities * per_tree)

    @property
    def probabilities(self) -> np.ndarray:
        weights = np.exp(self.values - self.best)
        return weights / math.fsum(weights)

    def _per_arc(self, reduce) -> np.ndarray:
        out = np.zeros((self.n + 1, self.n + 1))
        for head in range(self.n + 1):
            for modifier in range(1, self.n + 1):
                out[head, modifier] = reduce(self.trees[:, modifier] == head)
        return out

    @property
    def marginals(self) -> np.ndarray:
        probabilities = self.probabilities
        return self._per_arc(lambda chosen: math.fsum(probabilities[chosen]))

    @property
    def with_arc(self) -> np.ndarray:
        out = self._per_arc(lambda chosen: self.values[chosen].max(initial=-math.inf))
        out[:, 0] = -math.inf
        return out

    @property
    def without_arc(self) -> np.ndarray:
        out = self._per_arc(lambda chosen: self.values[~chosen].max(initial=-math.inf))
        out[:, 0] = self.best
        return out

    @property
    def messages(self) -> np.ndarray:
        """Log-odds of every arc; subtract the scores for the message."""

        def log_sum(values: np.ndarray) -> float:
            top = values.max(initial=-math.inf)
            return top + math.log(math.fsum(np.exp(values - top))) if top > -math.inf else -math.inf

        return self._per_arc(lambda chosen: log_sum(self.values[chosen]) - log_sum(self.values[~chosen]))

    def covariance(self) -> np.ndarray:
        size = self.n + 1
        indicators = np.zeros((len(self.trees), size * size))
        for word in range(1, size):
            indicators[np.arange(len(self.trees)), self.trees[:, word] * size + word] = 1.0
        centred = indicators - self.probabilities @ indicators
        return centred.T @ (centred * self.probabilities[:, None])
