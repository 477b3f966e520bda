"""Random graphs of mixed families, small enough to enumerate, and the truth about them.

A graph is a list of factors, each with the oracle's statement of what is legal for it; the truth about the whole is
their product, enumerated without any of ramify's inference.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from contract.families import CASES
from oracles.enumeration import Enumeration
from ramify import FactorGraph
from ramify import factors as F  # noqa: N812 - short, and clear beside the family names

if TYPE_CHECKING:
    from contract.families import Case
    from ramify.factors import Factor

FAMILIES = [cls for cls in CASES if cls is not F.UserFactor]
_TRIES = 10  # for each factor that is wanted: those that do not fit are drawn again


class Member(NamedTuple):
    """A factor of a graph: where it is, what is legal for it, and the scores of its parts."""

    variables: np.ndarray
    case: Case
    scores: np.ndarray


class Answers(NamedTuple):
    """What inference has to find; marginals are all 0 where nothing is feasible."""

    log_partition: float
    best: float
    marginals: np.ndarray
    part_marginals: np.ndarray


@dataclass
class RandomGraph:
    """A graph, the scores of its coordinates, and its factors one by one."""

    graph: FactorGraph
    scores: np.ndarray
    members: list[Member]

    @property
    def parts(self):
        """Scores of the parts of all members."""
        return np.concatenate([np.zeros(0), *(member.scores for member in self.members)])

    @cached_property
    def truth(self):
        """All legal assignments, over all variables and the parts of all members."""
        starts = np.cumsum([0, *(member.case.truth.num_parts for member in self.members)])

        def parts_of(y):
            on = []
            for member, start in zip(self.members, starts, strict=False):
                active = member.case.truth.parts_of(tuple(int(y[v]) for v in member.variables))
                if active is None:
                    return None
                on.extend(int(start) + int(part) for part in active)
            return on

        return Enumeration(self.graph.num_states.tolist(), int(starts[-1]), parts_of)

    def totals(self):
        """Legal assignments with their values."""
        return dict(zip(self.truth.assignments, self.truth.totals(self.scores, self.parts), strict=True))

    def best(self, scores=None):
        return self.truth.best(self.scores if scores is None else scores, self.parts)

    def answers(self, evidence=None):
        """The answers, with states of variables given or not."""
        truth, given = self.truth, (evidence or {}).items()
        if given:
            truth = replace(
                truth, parts_of=lambda y: self.truth.parts_of(y) if all(y[v] == s for v, s in given) else None
            )
        log_z, best = truth.log_partition(self.scores, self.parts), truth.best(self.scores, self.parts)
        if best == -np.inf:
            return Answers(log_z, best, np.zeros(self.scores.size), np.zeros(truth.num_parts))
        return Answers(log_z, best, *truth.marginals(self.scores, self.parts))

    @property
    def hulls_are_exact(self):
        return all(member.case.relaxation is None for member in self.members)


def on_variables(factor: Factor, variables) -> Factor:
    """The same factor over other variables."""
    moved = copy.copy(factor)
    moved._slots = replace(factor._slots, variables=np.asarray(variables, dtype=np.int64))
    return moved


def random_graph(
    rng,
    families=FAMILIES,
    *,
    num_factors=3,
    size=None,
    states=(),
    share=0.6,
    most_shared=None,
    max_assignments=2048,
    scale=2.0,
    pruned=0.0,
) -> RandomGraph:
    """Factors of random families over shared variables.

    Parameters
    ----------
    num_factors : fewer, where those drawn do not fit
    size : of the factors' cases; from 1 to 4 if not given
    states : numbers of states of variables that are there before the first factor
    share : how often a slot gets an old variable, where there is one with its number of states
    most_shared : how many old variables a factor gets; all its slots may if not given
    max_assignments : how many the graph may have, legal or not
    scale : standard deviation of the scores
    pruned : share of the scores that are minus infinity
    """
    states, members = list(states), []

    def draw(count):
        return np.where(rng.random(count) < pruned, -np.inf, rng.normal(scale=scale, size=count))

    for _ in range(_TRIES * num_factors):
        if len(members) == num_factors:
            break
        case = CASES[families[rng.integers(len(families))]](rng, int(rng.integers(1, 5)) if size is None else size)
        variables, grown = _place(rng, case.truth.num_states, states, share, most_shared)
        if np.prod(grown) <= max_assignments:
            states = grown
            members.append(Member(variables, case, draw(case.truth.num_parts)))
    graph = FactorGraph()
    graph.add_variables(len(states), np.array(states, dtype=np.int64))
    for variables, case, scores in members:
        graph.add(on_variables(case.build(scores), variables))
    return RandomGraph(graph, draw(graph.num_coordinates), members)


def crowded_graph(seed, families, *, num_binary=5, num_ternary=2, size=3, scale=1.0, **options) -> RandomGraph:
    """A graph over a few variables that all factors share, so that it is full of cycles."""
    states = [2] * num_binary + [3] * num_ternary
    options |= {"size": size, "scale": scale, "states": states, "max_assignments": np.prod(states)}
    return random_graph(np.random.default_rng(seed), families, share=1.0, **options)


def hanging_graph(rng, families, *, num_factors=4, loops=False, scale=1.0, max_assignments=512) -> RandomGraph:
    """A graph in which factor hangs on factor: by one variable, so that there is no cycle, or by two for loops."""
    options = {"num_factors": num_factors, "scale": scale, "max_assignments": max_assignments}
    return random_graph(rng, families, size=3, states=[2], share=1.0, most_shared=2 if loops else 1, **options)


def _place(rng, wanted, states, share, most_shared):
    """A variable for each slot, old or new, and the numbers of states of all variables then."""
    variables, grown = np.full(len(wanted), -1, dtype=np.int64), list(states)
    left = len(wanted) if most_shared is None else most_shared
    for slot in rng.permutation(len(wanted)):
        old = [v for v, k in enumerate(states) if k == wanted[slot] and v not in variables]
        if left and old and rng.random() < share:
            variables[slot] = rng.choice(old)
            left -= 1
        else:
            variables[slot] = len(grown)
            grown.append(wanted[slot])
    return variables, grown
