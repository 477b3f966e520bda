"""Chains of labels by trying all of them. Knows scores of labels, pairs and triples, nothing else."""

from __future__ import annotations

import itertools
import math

import numpy as np


class EnumeratedChain:
    """scores (n, k); pairs (k + 1, k + 1) and triples (k + 1, k + 1, k + 1) with the boundary last, or None."""

    def __init__(self, scores, pairs=None, triples=None):
        self.n, self.k = scores.shape
        self.labellings = list(itertools.product(range(self.k), repeat=self.n))
        self.totals = np.array([self._total(y, scores, pairs, triples) for y in self.labellings])

    def _total(self, y, scores, pairs, triples):
        total = sum(scores[i, label] for i, label in enumerate(y))
        padded = [self.k, self.k, *y, self.k]
        for a, b, c in zip(padded, padded[1:], padded[2:], strict=False):
            if pairs is not None:
                total += pairs[b, c]
            if triples is not None:
                total += triples[a, b, c]
        return total

    @property
    def log_partition(self):
        top = self.totals.max()
        return top if top == -math.inf else top + math.log(np.exp(self.totals - top).sum())

    def probabilities(self):
        return np.exp(self.totals - self.log_partition)

    def marginals(self):
        out = np.zeros((self.n, self.k))
        for p, y in zip(self.probabilities(), self.labellings, strict=True):
            out[np.arange(self.n), y] += p
        return out

    def pair_counts(self):
        """Expected numbers of label pairs, (k + 1, k + 1)."""
        out = np.zeros((self.k + 1, self.k + 1))
        for p, y in zip(self.probabilities(), self.labellings, strict=True):
            padded = [self.k, *y, self.k]
            for b, c in itertools.pairwise(padded):
                out[b, c] += p
        return out

    def ranked(self):
        """Values of all possible labellings, best first."""
        return sorted((t for t in self.totals.tolist() if t > -math.inf), reverse=True)
