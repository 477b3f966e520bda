"""Search for a good summary: candidates are added while they bring most for their length, then exchanged.

A candidate is a way to write one sentence: as it is, or with some cuts. Concepts count once, however often they occur.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = ["Candidates", "Limits", "search"]

_POWERS = (1.0, 0.6, 0.3, 0.0)
_EPSILON = 1e-9
_MOST_ROUNDS = 20


@dataclass(frozen=True)
class Candidates:
    """Ways to write sentences.

    Attributes
    ----------
    group : (candidates,) sentence of each
    lengths : (candidates,) what each takes of the budget
    base : (candidates,) score without concepts
    begin, concepts : candidate c has the concepts ``concepts[begin[c]:begin[c + 1]]``, each once
    requires : (groups,) sentence without which a sentence cannot stand, −1 for none
    """

    group: Ints
    lengths: Ints
    base: Floats
    begin: Ints
    concepts: Ints
    requires: Ints

    def of(self, candidate: int) -> Ints:
        """Return the concepts of a candidate."""
        return self.concepts[self.begin[candidate] : self.begin[candidate + 1]]


@dataclass(frozen=True)
class Limits:
    """What a summary may take.

    Attributes
    ----------
    budget : sum of lengths at most
    sentences : how many at most
    """

    budget: int
    sentences: int = 1 << 30


class _State:
    """A choice of candidates, with the number of times that it has every concept."""

    def __init__(self, candidates: Candidates, weights: Floats, limits: Limits) -> None:
        self.candidates, self.weights, self.limits = candidates, weights, limits
        self.paid = weights[candidates.concepts]
        self.count = np.zeros(len(weights), np.int64)
        self.chosen: list[int] = []
        self.used = np.zeros(len(candidates.requires), bool)
        self.left = limits.budget
        self.value = 0.0

    def gains(self) -> Floats:
        """Return (candidates,) what each would add."""
        fresh = np.where(self.count[self.candidates.concepts] == 0, self.paid, 0.0)
        sums = np.concatenate([[0.0], np.cumsum(fresh)])
        begin = self.candidates.begin
        gains: Floats = self.candidates.base + sums[begin[1:]] - sums[begin[:-1]]
        return gains

    def add(self, candidate: int) -> None:
        own = self.candidates.of(candidate)
        self.value += float(self.candidates.base[candidate] + self.weights[own[self.count[own] == 0]].sum())
        self.count[own] += 1
        self.chosen.append(candidate)
        self.used[self.candidates.group[candidate]] = True
        self.left -= int(self.candidates.lengths[candidate])

    def remove(self, candidate: int) -> None:
        own = self.candidates.of(candidate)
        self.count[own] -= 1
        self.value -= float(self.candidates.base[candidate] + self.weights[own[self.count[own] == 0]].sum())
        self.chosen.remove(candidate)
        self.used[self.candidates.group[candidate]] = False
        self.left += int(self.candidates.lengths[candidate])

    def fill(self, power: float, banned: int = -1) -> None:
        """Add candidates as long as one brings something."""
        c = self.candidates
        prices = np.maximum(c.lengths, 1) ** power
        while len(self.chosen) < self.limits.sentences:
            needed = c.requires[c.group]
            able = (c.lengths <= self.left) & ~self.used[c.group] & ((needed < 0) | self.used[needed])
            if banned >= 0:
                able &= c.group != banned
            if not able.any():
                return
            gains = np.where(able, self.gains(), -np.inf)
            best = int(np.argmax(np.where(gains > _EPSILON, gains / prices, -np.inf)))
            if not gains[best] > _EPSILON:
                return
            self.add(best)

    def is_needed(self, candidate: int) -> bool:
        """Tell whether another sentence cannot stand without this one."""
        group = int(self.candidates.group[candidate])
        return any(int(self.candidates.requires[self.candidates.group[other]]) == group for other in self.chosen)

    def snapshot(self) -> tuple[Ints, list[int], NDArray[np.bool_], int, float]:
        """Return what `restore` takes."""
        return self.count.copy(), list(self.chosen), self.used.copy(), self.left, self.value

    def restore(self, kept: tuple[Ints, list[int], NDArray[np.bool_], int, float]) -> None:
        self.count, self.chosen, self.used = kept[0].copy(), list(kept[1]), kept[2].copy()
        self.left, self.value = kept[3], kept[4]


def search(
    candidates: Candidates,
    weights: Floats,
    limits: Limits,
    starts: list[list[int]] | None = None,
    *,
    quick: bool = False,
) -> list[int]:
    """Return the candidates of the best summary that was found; none may bring less than nothing.

    Parameters
    ----------
    candidates : ways to write sentences
    weights : (concepts,) score of each concept
    limits : of the summary
    starts : other choices to begin with, within the limits
    quick : whether fewer ways are tried, as in training
    """
    best: list[int] = []
    highest = 0.0
    if not len(candidates.group):
        return best
    tried: set[tuple[int, ...]] = set()
    for begin in [*(starts or []), *[None] * (2 if quick else len(_POWERS))]:
        state = _State(candidates, weights, limits)
        power = _POWERS[len(tried) % len(_POWERS)]
        for candidate in begin or ():
            state.add(candidate)
        state.fill(power)
        key = tuple(sorted(state.chosen))
        if key in tried:
            tried.add((-1 - len(tried),))
            continue
        tried.add(key)
        _exchange(state, 1 if quick else _MOST_ROUNDS)
        if state.value > highest + _EPSILON:
            best, highest = list(state.chosen), state.value
    return best


def _exchange(state: _State, rounds: int) -> None:
    """Take out one candidate after the other and fill the place again, as long as that helps."""
    for _ in range(rounds):
        before = state.value
        for candidate in list(state.chosen):
            if candidate not in state.chosen or state.is_needed(candidate):
                continue
            kept = state.snapshot()
            group = int(state.candidates.group[candidate])
            for power, banned in ((1.0, group), (0.3, group), (0.6, -1)):
                state.remove(candidate)
                state.fill(power, banned)
                if state.value > kept[4] + _EPSILON:
                    break
                state.restore(kept)
        if state.value <= before + _EPSILON:
            return
