"""A summary as a factor graph: trees of units that stay or go, concepts that they bring, and a budget.

Almeida & Martins (2013, section 3.3), with the minimum share of Martins & Smith (2009). The first unit of a sentence is
the sentence's own variable: the tree makes all its words agree with it. Simplifications change no value. Words that may
not be cut from their heads are one unit, and of a concept token whose units stand one below the other, the lower unit
decides alone. A concept that only one unit can bring is a score of that unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import summarization as _core
from ramify.factors import AndOut, Budget, CompressionTree, ExactlyOne, Imply, Knapsack, OrOut
from ramify.graph import FactorGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ramify.graph import Problem as GraphProblem
    from ramify.variables import VariableArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Mask = NDArray[np.bool_]

__all__ = ["Graph", "SummaryProblem"]


@dataclass(frozen=True)
class SummaryProblem:
    """What a summary is chosen from, and what it scores.

    Attributes
    ----------
    begin : sentence s has the units ``begin[s]`` to ``begin[s + 1]``, its root first, each after its head
    heads : (units,) head of each unit among all units, −1 for roots
    lengths : (units,) what each takes of the budget
    cuts : (units,) score if the unit goes and its head stays; 0 for roots
    stays : (units,) score if the unit stays
    first, second : (tokens,) units that a concept token needs; the same where one is enough
    concept : (tokens,) what it brings
    weights : (concepts,) score of each concept
    requires : (sentences,) sentence without which a sentence cannot stand, −1 for none
    least : (sentences,) length that a sentence has at least if it is taken
    budget : sum of lengths at most
    sentences : how many sentences at most
    """

    begin: Ints
    heads: Ints
    lengths: Ints
    cuts: Floats
    stays: Floats
    first: Ints
    second: Ints
    concept: Ints
    weights: Floats
    requires: Ints
    least: Ints
    budget: int
    sentences: int = 1 << 30

    @property
    def num_sentences(self) -> int:
        """How many sentences there are to choose from."""
        return len(self.begin) - 1

    @property
    def roots(self) -> Ints:
        """The first unit of each sentence."""
        return self.begin[:-1]

    def covered(self, kept: Mask) -> Mask:
        """Return (concepts,) which concepts a choice brings.

        Parameters
        ----------
        kept : (units,) which units stay
        """
        found = np.zeros(len(self.weights), bool)
        found[self.concept[kept[self.first] & kept[self.second]]] = True
        return found

    def value(self, kept: Mask) -> float:
        """Return the score of a choice, −inf if it is not allowed.

        Parameters
        ----------
        kept : (units,) which units stay
        """
        above = np.append(kept, True)[self.heads]
        roots = kept[self.roots]
        needed = np.append(roots, True)[self.requires]
        if np.any(kept & ~above) or np.any(roots & ~needed):
            return -np.inf
        if self.lengths[kept].sum() > self.budget or roots.sum() > self.sentences:
            return -np.inf
        if roots.any() and np.any(np.add.reduceat(self.lengths * kept, self.roots)[roots] < self.least[roots]):
            return -np.inf
        goes = above & ~kept & (self.heads >= 0)
        return float(self.cuts[goes].sum() + self.stays[kept].sum() + self.weights[self.covered(kept)].sum())

    @property
    def core(self) -> _core.Problem:
        """The problem as C++ takes it."""
        whole = (self.begin, self.heads, self.lengths)
        tokens = (self.first, self.second, self.concept)
        return _core.Problem(
            *whole, self.cuts, self.stays, *tokens, self.weights, self.requires, self.least, self.budget,
            self.sentences,
        )  # fmt: skip

    def graph(self) -> Graph:
        """Return the factor graph; variables are the units, then auxiliary ones."""
        return _Builder(self).build()

    def without(self, gone: Mask) -> tuple[SummaryProblem, Ints]:
        """Return the problem in which some units go for certain, and which of the units it still has.

        Parameters
        ----------
        gone : (units,) all units below them go, too, and all sentences that need theirs
        """
        gone = self._gone(gone)
        left = np.flatnonzero(~gone)
        place = np.full(len(gone) + 1, -1)
        place[left] = np.arange(len(left))
        stays = self.stays.astype(np.float64)
        edge = np.flatnonzero(gone & (self.heads >= 0) & ~np.append(gone, True)[self.heads])
        np.add.at(stays, self.heads[edge], self.cuts[edge])  # where the head stays, the cut is made
        taken = np.flatnonzero(~gone[self.roots])
        number = np.full(self.num_sentences + 1, -1)
        number[taken] = np.arange(len(taken))
        tokens = place[self.first], place[self.second]
        known = (tokens[0] >= 0) & (tokens[1] >= 0)
        made = SummaryProblem(
            np.append(place[self.roots[taken]], len(left)), place[self.heads[left]], self.lengths[left],
            self.cuts[left], stays[left], tokens[0][known], tokens[1][known], self.concept[known], self.weights,
            number[self.requires[taken]], self.least[taken], self.budget, self.sentences,
        )  # fmt: skip
        return made, left

    def _gone(self, gone: Mask) -> Mask:
        gone = gone.copy()
        before = -1
        while before < int(gone.sum()):
            before = int(gone.sum())
            missing = np.append(gone[self.roots], False)[self.requires]
            gone[self.roots[missing]] = True
            for u, head in enumerate(self.heads.tolist()):
                if head >= 0 and gone[head]:
                    gone[u] = True
        return gone


@dataclass(frozen=True)
class Graph:
    """A summary problem as the engine takes it.

    Attributes
    ----------
    problem : for any inference method
    num_units : the first variables are the units
    """

    problem: GraphProblem
    num_units: int

    def marginals(self, of: Floats) -> Floats:
        """Return those of the units.

        Parameters
        ----------
        of : all marginals of a result
        """
        return of[: self.num_units]


class _Builder:
    """Makes the graph from the parts that C++ finds, a group of factors at a time."""

    def __init__(self, problem: SummaryProblem) -> None:
        self.p = problem
        self.graph = FactorGraph()
        self.units = self.graph.add_variables(len(problem.heads))
        self.scores: list[Floats] = []

    def build(self) -> Graph:
        p, graph = self.p, self.graph
        stays, first, second, begin, weights = p.core.parts()
        self.scores.append(stays)
        self._trees()
        self._concepts(first, second, begin, weights)
        if np.all(p.lengths == 1):
            graph.add(Budget(self.units, p.budget))
        else:
            graph.add(Knapsack(self.units, p.lengths, p.budget))
        if p.sentences < p.num_sentences:
            graph.add(Budget(self.units[p.roots], p.sentences))
        bound = np.flatnonzero(p.requires >= 0)
        if bound.size:
            graph.add(Imply(self.units[np.stack([p.roots[bound], p.roots[p.requires[bound]]], axis=1)]))
        self._shares()
        return Graph(graph.problem(np.concatenate(self.scores)), len(p.heads))

    def _variables(self, scores: Floats) -> VariableArray:
        self.scores.append(scores)
        return self.graph.add_variables(len(scores))

    def _concepts(self, first: Ints, second: Ints, begin: Ints, weights: Floats) -> None:
        """Add AND factors for tokens of two units, and OR factors for concepts of several tokens."""
        sizes = np.diff(begin)
        pairs = np.flatnonzero(first != second)
        alone = np.repeat(sizes == 1, sizes)[pairs]  # a concept of one token: its score is that of the token
        owner = np.repeat(np.arange(len(sizes)), sizes)
        both = self._variables(np.where(alone, weights[owner[pairs]], 0.0))
        if pairs.size:
            self.graph.add(AndOut(_columns(self.units[first[pairs]], self.units[second[pairs]], both)))
        tokens = np.asarray(first).copy()
        tokens[pairs] = np.asarray(both)
        shared = np.flatnonzero(sizes > 1)
        outputs = np.full(len(sizes), -1)
        outputs[shared] = np.asarray(self._variables(weights[shared]))
        for size in np.unique(sizes[shared]).tolist():  # factors of one size are made at once
            own = np.flatnonzero(sizes == size)
            rows = tokens[begin[own][:, None] + np.arange(size)]
            self.graph.add(OrOut(np.concatenate([rows, outputs[own][:, None]], axis=1)))

    def _trees(self) -> None:
        p = self.p
        groups, heads, scores = [], [], []
        for begin, end in zip(p.begin[:-1].tolist(), p.begin[1:].tolist(), strict=True):
            if end - begin > 1:
                groups.append(self.units[begin:end])
                heads.append(np.where(p.heads[begin:end] < 0, -1, p.heads[begin:end] - begin))
                scores.append(p.cuts[begin:end])
        if groups:
            self.graph.add(CompressionTree(groups, heads, np.concatenate(scores)))

    def _shares(self) -> None:
        """Limit what goes of a sentence that is taken: the words that go, and those that may not where it is taken."""
        p = self.p
        for s in np.flatnonzero(p.least > p.lengths[p.roots]).tolist():
            begin, end = int(p.begin[s]), int(p.begin[s + 1])
            goes = self._variables(np.zeros(end - begin - 1))
            if len(goes):
                self.graph.add(ExactlyOne(_columns(self.units[begin + 1 : end], goes)))
            costs = p.lengths[begin:end].copy()
            costs[0] = p.least[s] - costs[0]
            self.graph.add(Knapsack(np.append(begin, np.asarray(goes)), costs, int(costs[1:].sum())))


def _columns(*columns: Any) -> Ints:
    return np.stack([np.asarray(column) for column in columns], axis=1)
