"""Random graphs of mixed families, small enough to enumerate, and the truth about them.

A graph is a list of factors, each with the oracle's statement of what is legal for it; the truth about the whole is
their product, enumerated here without any of ramify's inference.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from contract.families import CASES
from ramify import FactorGraph
from ramify import factors as F  # noqa: N812 - read all over the file

if TYPE_CHECKING:
    from ramify.factors import Factor

FAMILIES = [cls for cls in CASES if cls is not getattr(F, "UserFactor", None)]


@dataclass
class RandomGraph:
    """A graph, its scores, and each factor as (variables, case, part scores)."""

    graph: FactorGraph
    scores: np.ndarray
    members: list[tuple[np.ndarray, Any, np.ndarray]]

    def part_rows(self, y):
        """0/1 over all parts, or None if a factor forbids y."""
        rows = []
        for variables, case, _ in self.members:
            active = case.truth.parts_of(tuple(int(y[v]) for v in variables))
            if active is None:
                return None
            row = np.zeros(case.truth.num_parts)
            row[list(active)] = 1
            rows.append(row)
        return np.concatenate([np.zeros(0), *rows])

    def legal(self):
        """Return assignments, their coordinates and their parts."""
        k = self.graph.num_states
        found = []
        for y in itertools.product(*(range(s) for s in k)):
            parts = self.part_rows(y)
            if parts is not None:
                one_hot = [np.eye(s)[t][1:] if s == 2 else np.eye(s)[t] for s, t in zip(k, y, strict=True)]
                found.append((y, np.concatenate(one_hot), parts))
        num_parts = sum(case.truth.num_parts for _, case, _ in self.members)
        size = (self.graph.num_variables, self.graph.num_coordinates, num_parts)
        columns = zip(*found, strict=True) if found else ([], [], [])
        return [np.array(list(c)).reshape(len(found), n) for c, n in zip(columns, size, strict=True)]

    def truth(self, evidence=None):
        """Return log Z, best value, marginals, part marginals and the legal assignments with their totals."""
        assignments, coords, parts = self.legal()
        part_scores = self.graph.part_scores
        totals = dot(coords, self.scores) + dot(parts, part_scores)
        for variable, state in (evidence or {}).items():
            totals = np.where(assignments[:, variable] == state, totals, -np.inf)
        if not totals.size or totals.max() == -np.inf:
            return -np.inf, -np.inf, np.zeros(coords.shape[1]), np.zeros(parts.shape[1]), totals
        log_z = totals.max() + np.log(np.exp(totals - totals.max()).sum())
        p = np.exp(totals - log_z)
        return log_z, totals.max(), p @ coords, p @ parts, totals


def dot(indicators, scores):
    """Products in which 0 times minus infinity is 0."""
    return np.where(indicators != 0, np.where(indicators != 0, scores, 0.0), 0.0).sum(axis=1)


def on_variables(factor: Factor, variables) -> Factor:
    """The same factor over other variables."""
    return type(factor).from_arguments({**factor.arguments(), "variables": np.asarray(variables)})


def random_graph(rng, num_factors=3, families=None, pruned=0.0, max_assignments=2048) -> RandomGraph:
    """Factors of random families over shared variables.

    Variables are reused where the number of states allows, as long as the graph stays enumerable.
    """
    families = FAMILIES if families is None else families
    states: list[int] = []
    drawn = []
    for _ in range(num_factors):
        case = CASES[families[rng.integers(len(families))]](rng, int(rng.integers(1, 5)))
        variables = choose_variables(rng, case.truth.num_states, states, max_assignments)
        if variables is None:
            continue
        scores = rng.normal(size=case.truth.num_parts) * 2
        scores[rng.random(scores.size) < pruned] = -np.inf
        drawn.append((variables, case, scores))
    if not states:
        states.append(2)
    graph = FactorGraph()
    graph.add_variables(len(states), states)
    for variables, case, scores in drawn:
        graph.add(on_variables(case.build(scores), variables))
    unary = rng.normal(size=graph.num_coordinates) * 2
    unary[rng.random(unary.size) < pruned] = -np.inf
    return RandomGraph(graph, unary, drawn)


def choose_variables(rng, wanted, states, max_assignments):
    """Pick for each slot an old variable of that size or a new one; None if the graph would grow too large."""
    used: set[int] = set()
    size = int(np.prod(states)) if states else 1
    new: list[int] = []
    out = []
    for k in wanted:
        old = [v for v, s in enumerate(states) if s == k and v not in used]
        if old and rng.random() < 0.6:
            variable = int(rng.choice(old))
        else:
            variable = len(states) + len(new)
            new.append(k)
            size *= k
        used.add(variable)
        out.append(variable)
    if size > max_assignments:
        return None
    states += new
    return np.array(out)
