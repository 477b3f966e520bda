"""From fractional marginals to a summary: the rounding of the paper, and a search that starts from there.

Almeida & Martins (2013, section 3.4): the sentences with the highest marginals, and the nearest summary that fits, by
dynamic programming over trees and budget. It looks only at marginals; `best_summary` goes on by what a summary scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ramify.compression.decoding import best_cuts, best_cuts_within
from ramify.summarization.search import Candidates, Limits, search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ramify.summarization.problem import SummaryProblem

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["best_summary", "nearest_summary"]

_PRICES = (-4.0, 0.0, 0.25, 0.5, 0.8, 1.2, 1.8, 3.0)  # of a word, relative to what a word brings on average
_ROUNDS = 3
_LEAST = 0.02  # marginal of a sentence that is looked at
_FEWEST = 20  # sentences that are looked at in any case


def nearest_summary(problem: SummaryProblem, marginals: Floats, most: int = 6) -> Mask:
    """Return (units,) the summary that is nearest to marginals among those of the most probable sentences.

    Parameters
    ----------
    problem : what is chosen from
    marginals : (units,) of staying
    most : how many sentences are looked at
    """
    order = np.argsort(-marginals[problem.roots], kind="stable")[: min(most, problem.sentences)]
    taken = set(order.tolist())
    order = np.array(sorted(s for s in taken if problem.requires[s] < 0 or int(problem.requires[s]) in taken), int)
    kept = np.zeros(len(problem.heads), bool)
    if not order.size:
        return kept
    units = np.concatenate([np.arange(problem.begin[s], problem.begin[s + 1]) for s in order])
    place = np.full(len(problem.heads) + 1, -1)
    place[units] = np.arange(len(units))
    heads = place[problem.heads[units]]
    gains = 2 * marginals[units] - 1
    own = best_cuts_within(heads, np.zeros(len(units)), gains, problem.lengths[units], problem.budget)
    kept[units] = False if own is None else own
    return _with_required(problem, kept)


def _with_required(problem: SummaryProblem, kept: Mask) -> Mask:
    """Take out sentences whose required sentence is missing."""
    for s in range(problem.num_sentences):
        needed = int(problem.requires[s])
        if needed >= 0 and not kept[problem.begin[needed]]:
            kept[problem.begin[s] : problem.begin[s + 1]] = False
    return kept


def best_summary(problem: SummaryProblem, marginals: Floats | None = None, *, quick: bool = False) -> Mask:
    """Return (units,) a good summary.

    Parameters
    ----------
    problem : what is chosen from
    marginals : (units,) of staying, as a relaxation gives them; the search also starts from there
    quick : whether fewer ways are tried, as in training
    """
    likely = None if marginals is None else _likely(problem, marginals)
    pool = _Pool(problem, likely)
    starts = []
    if marginals is not None:
        nearest = nearest_summary(problem, marginals)
        starts.append(pool.add_summary(nearest))
        pool.add_rounded(marginals)
    chosen: list[int] = []
    for _ in range(1 if quick else _ROUNDS):
        before = pool.size
        limits = Limits(problem.budget, problem.sentences)
        chosen = search(pool.candidates(), problem.weights, limits, starts, quick=quick)
        if quick or not pool.improve(chosen) or pool.size == before:
            break
        starts = [chosen]
    return pool.kept(chosen)


def _likely(problem: SummaryProblem, marginals: Floats) -> list[int]:
    """Return the sentences that the relaxation takes at least a little, and some more."""
    roots = marginals[problem.roots]
    order = np.argsort(-roots, kind="stable")
    found = {int(s) for i, s in enumerate(order) if roots[s] > _LEAST or i < _FEWEST}
    for s in sorted(found):
        while (needed := int(problem.requires[s])) >= 0 and needed not in found:
            found.add(needed)
            s = needed
    return sorted(found)


class _Pool:
    """Ways to write the sentences; each is a set of units."""

    def __init__(self, problem: SummaryProblem, sentences: list[int] | None = None) -> None:
        self.p = problem
        self.looked_at = list(range(problem.num_sentences)) if sentences is None else sentences
        order = np.argsort(problem.first, kind="stable")
        sentence = np.repeat(np.arange(problem.num_sentences), np.diff(problem.begin))
        of_token = sentence[problem.first] if len(problem.first) else np.zeros(0, np.int64)
        order = np.argsort(of_token, kind="stable")
        self.token_order = order
        self.token_begin = np.searchsorted(of_token[order], np.arange(problem.num_sentences + 1))
        self.known: dict[tuple[int, bytes], int] = {}
        self.sets: list[tuple[int, Mask]] = []
        self.rows: list[tuple[int, float, NDArray[np.int64]]] = []
        self._fill()

    @property
    def size(self) -> int:
        return len(self.sets)

    def _tokens(self, s: int) -> NDArray[np.int64]:
        return self.token_order[self.token_begin[s] : self.token_begin[s + 1]]

    def add(self, s: int, kept: Mask) -> int:
        """Return the number of a way to write a sentence."""
        key = (s, kept.tobytes())
        if key not in self.known:
            p = self.p
            begin, end = int(p.begin[s]), int(p.begin[s + 1])
            heads = p.heads[begin:end]
            above = np.append(kept, True)[np.where(heads < 0, -1, heads - begin)]
            goes = above & ~kept & (heads >= 0)
            tokens = self._tokens(s)
            on = kept[p.first[tokens] - begin] & kept[p.second[tokens] - begin]
            base = float(p.stays[begin:end][kept].sum() + p.cuts[begin:end][goes].sum())
            self.known[key] = len(self.sets)
            self.sets.append((s, kept))
            self.rows.append((int(p.lengths[begin:end][kept].sum()), base, np.unique(p.concept[tokens[on]])))
        return self.known[key]

    def _gains(self, s: int, weights: Floats, near: Mask | None = None) -> Floats:
        """Return for the units of a sentence what they bring, if concepts of two units were divided between them."""
        p = self.p
        begin, end = int(p.begin[s]), int(p.begin[s + 1])
        tokens = self._tokens(s)
        a, b = p.first[tokens] - begin, p.second[tokens] - begin
        worth = weights[p.concept[tokens]]
        share = np.full(len(tokens), 0.5)
        if near is not None:  # the one that stays anyway needs no reward
            share = np.where(near[a] & ~near[b], 0.0, np.where(near[b] & ~near[a], 1.0, 0.5))
        gains = p.stays[begin:end].astype(np.float64)
        np.add.at(gains, a, share * worth)
        np.add.at(gains, b, (1 - share) * worth)
        return gains

    def _local(self, s: int) -> tuple[NDArray[np.int64], Floats, NDArray[np.int64]]:
        p = self.p
        begin, end = int(p.begin[s]), int(p.begin[s + 1])
        heads = p.heads[begin:end]
        return np.where(heads < 0, -1, heads - begin), p.cuts[begin:end], p.lengths[begin:end]

    def _fill(self) -> None:
        p = self.p
        for s in self.looked_at:
            n = int(p.begin[s + 1] - p.begin[s])
            self.add(s, np.ones(n, bool))
            if n == 1:
                continue
            heads, cuts, lengths = self._local(s)
            gains = self._gains(s, p.weights)
            mean = max(float(gains.sum()), 0.0) / max(int(lengths.sum()), 1)
            for price in _PRICES:
                kept = best_cuts(heads, cuts, gains - price * mean * lengths)
                if kept.any():
                    self.add(s, kept)
            if lengths.sum() > p.budget and p.budget > 0:
                short = best_cuts_within(heads, cuts, gains, lengths, p.budget, 1)
                if short is not None and short.any():
                    self.add(s, short)

    def add_summary(self, kept: Mask) -> list[int]:
        """Return the numbers of what a summary consists of."""
        begin = self.p.begin
        return [self.add(s, kept[begin[s] : begin[s + 1]]) for s in range(self.p.num_sentences) if kept[begin[s]]]

    def add_rounded(self, marginals: Floats) -> None:
        """Add the sentences as their marginals want them, relative to the root of each."""
        begin = self.p.begin
        for s in np.flatnonzero(marginals[self.p.roots] > 0.05).tolist():
            own = marginals[begin[s] : begin[s + 1]]
            heads = self._local(s)[0]
            for share in (0.5, 0.9):
                kept = own >= share * own[0]
                for u, head in enumerate(heads.tolist()):
                    if head >= 0 and not kept[head]:
                        kept[u] = False
                self.add(s, kept)

    def candidates(self) -> Candidates:
        """Return all ways to write sentences that are known."""
        begin = np.zeros(len(self.rows) + 1, np.int64)
        np.cumsum([len(row[2]) for row in self.rows], out=begin[1:])
        return Candidates(
            np.array([s for s, _ in self.sets], np.int64),
            np.array([row[0] for row in self.rows], np.int64),
            np.array([row[1] for row in self.rows], np.float64),
            begin,
            np.concatenate([row[2] for row in self.rows]) if self.rows else np.zeros(0, np.int64),
            self.p.requires,
        )

    def improve(self, chosen: list[int]) -> bool:
        """Cut each chosen sentence again, given all others; tell whether that gave new ways to write them."""
        before = self.size
        p = self.p
        used = sum(self.rows[c][0] for c in chosen)
        for c in chosen:
            s, kept = self.sets[c]
            if len(kept) == 1:
                continue
            others = [self.rows[other][2] for other in chosen if other != c]
            weights = p.weights.copy()
            if others:
                weights[np.concatenate(others)] = 0.0
            heads, cuts, lengths = self._local(s)
            most = p.budget - used + self.rows[c][0]
            for near in (kept, None):
                found = best_cuts_within(heads, cuts, self._gains(s, weights, near), lengths, most, 1)
                if found is not None and found.any():
                    self.add(s, found)
        self._beside(chosen, used)
        return self.size > before

    def _beside(self, chosen: list[int], used: int) -> None:
        """Cut all other sentences to what they would add to the chosen ones."""
        p = self.p
        weights = p.weights.copy()
        for c in chosen:
            weights[self.rows[c][2]] = 0.0
        taken = {self.sets[c][0] for c in chosen}
        usual = sum(self.rows[c][1] for c in chosen) + float(p.weights.sum() - weights.sum())
        price = max(usual, 0.0) / max(used, 1)
        for s in self.looked_at:
            if s in taken or p.begin[s + 1] - p.begin[s] == 1:
                continue
            heads, cuts, lengths = self._local(s)
            gains = self._gains(s, weights)
            for factor in (0.3, 0.7, 1.0):
                kept = best_cuts(heads, cuts, gains - factor * price * lengths)
                if kept.any():
                    self.add(s, kept)

    def kept(self, chosen: list[int]) -> Mask:
        """Return (units,) what stays."""
        kept = np.zeros(len(self.p.heads), bool)
        for c in chosen:
            s, own = self.sets[c]
            kept[self.p.begin[s] : self.p.begin[s + 1]] = own
        return kept
