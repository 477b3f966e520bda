"""Ways to solve a summary problem: relaxations and a search from what they give, or exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ramify.inference import AD3, ILP, LP, Subgradient
from ramify.summarization.config import Method
from ramify.summarization.rounding import best_summary, nearest_summary, relax

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ramify.graph import Method as EngineMethod
    from ramify.summarization.problem import SummaryProblem

__all__ = ["Solution", "solve"]

_NODES = 60  # of branch and bound
_NEAR = 0.005  # gap, relative to the value, from which a summary is good enough
_PROVED = 1e-6  # relative gap at which a summary counts as proved to be best


@dataclass(frozen=True)
class Solution:
    """A summary and what is known of it.

    Attributes
    ----------
    kept : (units,) which units stay
    value : its score
    bound : upper bound on the score of any summary
    certified : whether it is proved to be the best one
    """

    kept: NDArray[np.bool_]
    value: float
    bound: float
    certified: bool


def solve(problem: SummaryProblem, method: Method = Method.AD3, iterations: int = 200) -> Solution:
    """Return a summary that scores high, or the best one.

    Parameters
    ----------
    problem : what is chosen from
    method : how
    iterations : of AD3 or of the subgradient method
    """
    if not problem.num_sentences:
        return _solution(problem, np.zeros(0, bool), 0.0)
    if method in (Method.SEARCH, Method.AD3, Method.AD3_EXACT):
        return _relaxed(problem, method)
    graph = problem.graph()
    result = _engine(method, iterations).solve(graph.problem)
    marginals = graph.marginals(result.marginals)
    own = np.zeros(len(marginals), bool)
    if result.assignment is not None:
        own = result.assignment[: len(own)] > 0
    if method is Method.AD3_PAPER:
        own = nearest_summary(problem, marginals)
    elif method is not Method.ILP:
        starts = (own, nearest_summary(problem, marginals))
        own = best_summary(problem, max(starts, key=problem.value))
    return _solution(problem, own, result.bound)


def _engine(method: Method, iterations: int) -> EngineMethod:
    if method is Method.ILP:
        return ILP()
    if method is Method.LP:
        return LP()
    if method is Method.SUBGRADIENT:
        return Subgradient(max_iterations=iterations)
    return AD3(max_iterations=iterations)


def _relaxed(problem: SummaryProblem, method: Method) -> Solution:
    """Search with a bound first; where these do not meet, AD3 looks for what is better than the summary found.

    A unit with which no summary scores more than that goes, and AD3 gets the rest.
    """
    gap = 0.0 if method is Method.AD3_EXACT else _NEAR
    found = relax(problem, gap)
    kept = found.kept().astype(bool)
    solution = _solution(problem, kept, found.bound)
    value = solution.value
    if method is Method.SEARCH or solution.certified or found.bound <= value + gap * abs(value):
        return solution
    enough = value + _PROVED / 10 * max(1.0, abs(value))  # what is no better than this is not looked for
    rest, left = problem.without(found.stays() <= enough)
    if not rest.num_sentences:
        return _solution(problem, kept, min(found.bound, enough))
    graph = rest.graph()
    result = (AD3(exact=True) if method is Method.AD3_EXACT else AD3(exact=True, max_nodes=_NODES)).solve(graph.problem)
    better = np.zeros(len(kept), bool)
    if result.assignment is not None:
        better[left] = result.assignment[: graph.num_units] > 0
    if problem.value(better) > value:
        kept, value = better, problem.value(better)
    return _solution(problem, kept, min(found.bound, max(result.bound, enough)))


def _solution(problem: SummaryProblem, kept: NDArray[np.bool_], bound: float) -> Solution:
    value = problem.value(kept)
    if value < 0:  # to say nothing is always possible
        kept, value = np.zeros(len(kept), bool), 0.0
    bound = max(bound, value)
    return Solution(kept, value, bound, bound - value <= _PROVED * max(1.0, abs(value)))
