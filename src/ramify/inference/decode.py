"""From marginals to one assignment, and from one best assignment to the k best."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ramify.errors import InvalidInputError
from ramify.factors import Capability, Trait
from ramify.inference.exact import Exact, _coordinates, _is_apart
from ramify.inference.programs import ILP, _rounded

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ramify.factors import Factor, ProjectiveTree, Tree
    from ramify.graph import Method, Problem

__all__ = ["Decoded", "heads_of", "k_best", "minimum_risk"]


@dataclass(frozen=True)
class Decoded:
    """An assignment, shape (num_variables,), and its objective, which is minus infinity if a factor forbids it."""

    assignment: NDArray[np.int32]
    value: float


def minimum_risk(problem: Problem, marginals: ArrayLike, *, factor: Factor | None = None) -> Decoded:
    """Find the assignment with the most variables right in expectation, among those that one group of factors allows.

    For a `Tree` this is the maximum arborescence on the marginals of its arcs: how to round a fractional tree, and the
    minimum-Bayes-risk tree of a distribution.

    Parameters
    ----------
    problem : whose evidence is respected
    marginals : array of shape (num_coordinates,), of any method
    factor : group of the graph whose structure the assignment must have
        If not given: the trees, or else the group with the most variables per factor. Variables outside it get their
        most probable state.
    """
    graph = problem.graph
    mu = np.asarray(marginals, dtype=np.float64)
    if mu.shape != problem.scores.shape or np.isnan(mu).any():
        raise InvalidInputError(f"minimum_risk expects {problem.scores.size} marginals; got shape {mu.shape}.")
    # Right where on: mu; right where off: 1 - mu. What matters is the difference; evidence comes first.
    binary = np.repeat(graph.num_states == 2, np.diff(graph.coordinate_offsets))
    gain = np.where(np.isinf(problem.scores), problem.scores, np.where(binary, 2 * mu - 1, mu))
    assignment = _rounded(graph, np.where(binary, (gain > 0).astype(np.float64), gain))
    if factor is not None and not any(factor is group for group in graph.factors):
        raise InvalidInputError("minimum_risk expects a group of factors of the problem's graph; got another.")
    chosen = _structure(problem) if factor is None else factor
    if chosen is not None:
        best = chosen.argmax(gain[_coordinates(graph, chosen.variables)], np.zeros(chosen.scores.size))
        if np.all(best.value > -np.inf):
            assignment[chosen.variables] = best.states
    return Decoded(assignment, problem.value(assignment))


def _structure(problem: Problem) -> Factor | None:
    able = [f for f in problem.graph.factors if Capability.ARGMAX in f.capabilities and f.num_factors]
    trees = [f for f in able if Trait.TREE in f.traits]
    return max(trees or able, key=lambda f: f.variables.size / f.num_factors, default=None)


def heads_of(tree: Tree | ProjectiveTree, assignment: ArrayLike, factor: int = 0) -> NDArray[np.int32]:
    """Heads of one tree; shape (num_words + 1,), -1 for the root and for words without a head.

    Parameters
    ----------
    tree : group of the graph
    assignment : integer array of shape (num_variables,), of the whole graph
    factor : index within the group
    """
    begin, end = tree.slot_offsets[factor : factor + 2]
    heads, modifiers, num_words = tree.arcs(factor)
    on = np.asarray(assignment)[tree.variables[begin:end]] == 1
    out = np.full(num_words + 1, -1, dtype=np.int32)
    out[modifiers[on]] = heads[on]
    return out


def k_best(problem: Problem, k: int, *, method: Method | None = None) -> list[Decoded]:
    """List the k best assignments, the best first; fewer where there are fewer.

    Parameters
    ----------
    problem : graph, scores and evidence
    k : how many
    method : what finds a best assignment
        If not given: each factor's own algorithm where no variable has two factors, else `ILP`.

    Notes
    -----
    Lawler (1972): the answers other than the best one are split by the first variable in which they differ from it.
    Each further answer takes one solution per variable; for a single tree `ramify.trees.k_best` is faster.
    """
    if k < 1:
        raise InvalidInputError(f"k_best expects k >= 1; got {k}.")
    oracle = method if method is not None else Exact() if _is_apart(problem.graph) else ILP()
    order = 0
    queue: list[tuple[float, int, int, Problem, NDArray[np.int32]]] = []

    def push(candidate: Problem | None, fixed: int) -> None:
        nonlocal order
        result = None if candidate is None else oracle.solve(candidate)
        if candidate is not None and result is not None and result.assignment is not None:
            order += 1
            heapq.heappush(queue, (-result.value, order, fixed, candidate, result.assignment))

    push(problem, 0)
    out: list[Decoded] = []
    while queue and len(out) < k:
        _, _, fixed, current, assignment = heapq.heappop(queue)
        out.append(Decoded(assignment, problem.value(assignment)))
        if len(out) == k:
            break
        for variable in range(fixed, problem.graph.num_variables):
            state = int(assignment[variable])
            push(_without(current, variable, state), variable)
            current = _with(current, variable, state)
    return sorted(out, key=lambda answer: -answer.value)  # a method that proves nothing finds them in any order


def _without(problem: Problem, variable: int, state: int) -> Problem | None:
    """Forbid one state; None if it was the last."""
    begin, end = problem.graph.coordinate_offsets[variable : variable + 2]
    own = problem.scores[begin:end]
    if own.size == 1 and np.isinf(own[0]):
        return None
    if own.size > 1 and np.isneginf(np.delete(own, state)).all():
        return None
    scores = problem.scores.copy()
    extra = problem.graph._forbid(scores, variable, state)
    return replace(problem, scores=scores, offset=problem.offset + extra)


def _with(problem: Problem, variable: int, state: int) -> Problem:
    """Fix a variable to a state that it can have."""
    begin = int(problem.graph.coordinate_offsets[variable])
    if problem.graph.num_states[variable] == 2 and np.isinf(problem.scores[begin]):
        return problem
    scores = problem.scores.copy()
    extra = problem.graph._clamp(scores, variable, state)
    return replace(problem, scores=scores, offset=problem.offset + extra)
