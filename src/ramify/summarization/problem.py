"""A summary as a factor graph: trees of units that stay or go, concepts that they bring, and a budget.

Almeida & Martins (2013, section 3.3). Two simplifications change no value. Words that may not be cut from their heads
are one unit, and of a concept token whose units stand one below the other, the lower unit decides alone. A concept
that only one unit can bring is a score of that unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ramify.factors import AndOut, Budget, CompressionTree, Imply, Knapsack, OrOut
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
        goes = above & ~kept & (self.heads >= 0)
        return float(self.cuts[goes].sum() + self.stays[kept].sum() + self.weights[self.covered(kept)].sum())

    def graph(self) -> Graph:
        """Return the factor graph; variables are the units, then auxiliary ones."""
        return _Builder(self).build()


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
    def __init__(self, problem: SummaryProblem) -> None:
        self.p = problem
        self.scores = problem.stays.astype(np.float64).tolist()
        self.ands: list[list[int]] = []
        self.ors: list[list[int]] = []

    def build(self) -> Graph:
        p = self.p
        n = len(p.heads)
        self._concepts()
        graph = FactorGraph()
        variables = graph.add_variables(len(self.scores))
        self._trees(graph, variables)
        if self.ands:
            graph.add(AndOut(variables[np.array(self.ands)]))
        if self.ors:
            graph.add(OrOut([variables[np.array(row)] for row in self.ors]))
        if np.all(p.lengths == 1):
            graph.add(Budget(variables[:n], p.budget))
        else:
            graph.add(Knapsack(variables[:n], p.lengths, p.budget))
        if p.sentences < p.num_sentences:
            graph.add(Budget(variables[p.roots], p.sentences))
        bound = np.flatnonzero(p.requires >= 0)
        if bound.size:
            graph.add(Imply(variables[np.stack([p.roots[bound], p.roots[p.requires[bound]]], axis=1)]))
        return Graph(graph.problem(np.array(self.scores)), n)

    def _variable(self, score: float) -> int:
        self.scores.append(score)
        return len(self.scores) - 1

    def _concepts(self) -> None:
        p = self.p
        places: list[dict[tuple[int, int], None]] = [{} for _ in range(len(p.weights))]
        for concept, a, b in zip(p.concept.tolist(), p.first.tolist(), p.second.tolist(), strict=True):
            places[concept][(a, b) if a <= b else (b, a)] = None
        for weight, units in zip(p.weights.tolist(), places, strict=True):
            if not units or weight == 0:
                continue
            if len(units) == 1:
                ((a, b),) = units
                if a == b:
                    self.scores[a] += weight
                else:
                    self.ands.append([a, b, self._variable(weight)])
                continue
            row = [a if a == b else self._token(a, b) for a, b in units]
            self.ors.append([*row, self._variable(weight)])

    def _token(self, a: int, b: int) -> int:
        token = self._variable(0.0)
        self.ands.append([a, b, token])
        return token

    def _trees(self, graph: FactorGraph, variables: VariableArray) -> None:
        p = self.p
        groups, heads, scores = [], [], []
        for begin, end in zip(p.begin[:-1].tolist(), p.begin[1:].tolist(), strict=True):
            if end - begin > 1:
                groups.append(variables[begin:end])
                heads.append(np.where(p.heads[begin:end] < 0, -1, p.heads[begin:end] - begin))
                scores.append(p.cuts[begin:end])
        if groups:
            graph.add(CompressionTree(groups, heads, np.concatenate(scores)))
