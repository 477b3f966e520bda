"""Everything about a factor from a list of its legal assignments: sums, maxima, covariances, optimality.

Knows numbers of states and a function from an assignment to its active parts (None if illegal), nothing else.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import nnls

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass
class Enumeration:
    num_states: Sequence[int]
    num_parts: int
    parts_of: Callable[[tuple[int, ...]], Sequence[int] | None]
    assignments: list[tuple[int, ...]] = field(init=False)
    states: np.ndarray = field(init=False)  # (assignments, total states), 0/1
    coords: np.ndarray = field(init=False)  # (assignments, coordinates), 0/1
    parts: np.ndarray = field(init=False)  # (assignments, parts), 0/1

    def __post_init__(self):
        self.assignments, states, coords, parts = [], [], [], []
        for y in itertools.product(*(range(k) for k in self.num_states)):
            active = self.parts_of(y)
            if active is None:
                continue
            self.assignments.append(y)
            states.append(np.concatenate(self._one_hot(y)))
            coords.append(self.coords_of(y))
            row = np.zeros(self.num_parts)
            row[list(active)] = 1
            parts.append(row)
        widths = [1 if k == 2 else k for k in self.num_states]
        self.states = np.array(states).reshape(len(states), sum(self.num_states))
        self.coords = np.array(coords).reshape(len(coords), sum(widths))
        self.parts = np.array(parts).reshape(len(parts), self.num_parts)

    def _one_hot(self, y):
        return [np.eye(k, dtype=int)[s] for k, s in zip(self.num_states, y, strict=True)]

    def coords_of(self, y):
        return np.concatenate([x[1:] if len(x) == 2 else x for x in self._one_hot(y)])

    def totals(self, q, scores):
        """Score of every legal assignment; +inf forces and counts as 0, 0 * inf is 0."""
        forced = np.isposinf(q)
        out = _dot(self.coords, np.where(forced, 0.0, q)) + _dot(self.parts, scores)
        return np.where((self.coords[:, forced] == 1).all(axis=1), out, -np.inf)

    def log_partition(self, q, scores):
        totals = self.totals(q, scores)
        if not totals.size or totals.max() == -np.inf:
            return -np.inf
        return totals.max() + np.log(np.exp(totals - totals.max()).sum())

    def probabilities(self, q, scores):
        return np.exp(self.totals(q, scores) - self.log_partition(q, scores))

    def marginals(self, q, scores):
        p = self.probabilities(q, scores)
        return p @ self.coords, p @ self.parts

    def hessian_product(self, q, scores, direction, part_direction):
        p = self.probabilities(q, scores)
        along = self.coords @ direction + self.parts @ part_direction
        p = p * (along - p @ along)
        return p @ self.coords, p @ self.parts

    def entropy(self, q, scores):
        p = self.probabilities(q, scores)
        return -np.sum(p[p > 0] * np.log(p[p > 0]))

    def best(self, q, scores):
        totals = self.totals(q, scores)
        return totals.max() if totals.size else -np.inf

    def max_marginals(self, q, scores):
        totals = self.totals(q, scores)
        return np.array([_max(totals[column == 1]) for column in self.states.T])

    def distance_to_hull(self, point, parts):
        """Residual of writing the point as a convex combination of the legal assignments."""
        system = np.hstack([self.coords, self.parts, np.ones((len(self.coords), 1))]).T
        return nnls(system, np.concatenate([point, parts, [1.0]]), maxiter=100 * system.shape[1])[1]

    def projection_gap(self, a, scores, point, parts):
        """How much better the best assignment is than the point, to first order: 0 at the QP's optimum."""
        gradient = np.where(np.isposinf(a), np.inf, a - point)
        own = _dot(point[None, np.isfinite(a)], gradient[np.isfinite(a)]) + _dot(parts[None], scores)
        return self.best(gradient, scores) - own[0]


def _dot(indicators, scores):
    return np.where(indicators != 0, indicators * np.where(indicators != 0, scores, 0.0), 0.0).sum(axis=1)


def _max(values):
    return values.max() if values.size else -np.inf
