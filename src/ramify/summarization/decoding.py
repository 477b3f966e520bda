"""Ways to solve a summary problem: a relaxation with a search from its marginals, or exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ramify.inference import AD3, ILP, LP, Subgradient
from ramify.summarization.config import Method
from ramify.summarization.rounding import best_summary, nearest_summary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ramify.graph import Method as EngineMethod
    from ramify.summarization.problem import SummaryProblem

__all__ = ["Solution", "solve"]

_NODES = 60  # of branch and bound, after which the search takes over
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
    if not problem.num_sentences or method is Method.SEARCH:
        kept = best_summary(problem)
        return _solution(problem, kept, float("inf") if problem.num_sentences else 0.0)
    graph = problem.graph()
    result = _engine(method, iterations).solve(graph.problem)
    units = graph.num_units
    if method in (Method.ILP, Method.AD3_EXACT) or (method is Method.AD3 and result.certified):
        kept = np.zeros(units, bool) if result.assignment is None else result.assignment[:units] > 0
    elif method is Method.AD3_PAPER:
        kept = nearest_summary(problem, graph.marginals(result.marginals))
    else:
        kept = best_summary(problem, graph.marginals(result.marginals))
        if result.assignment is not None:
            own = result.assignment[:units] > 0
            kept = own if problem.value(own) > problem.value(kept) else kept
    return _solution(problem, kept, result.bound)


def _engine(method: Method, iterations: int) -> EngineMethod:
    if method is Method.ILP:
        return ILP()
    if method is Method.LP:
        return LP()
    if method is Method.SUBGRADIENT:
        return Subgradient(max_iterations=iterations)
    if method is Method.AD3_EXACT:
        return AD3(exact=True)
    if method is Method.AD3_PAPER:
        return AD3(max_iterations=iterations)
    return AD3(max_iterations=iterations, exact=True, max_nodes=_NODES)


def _solution(problem: SummaryProblem, kept: NDArray[np.bool_], bound: float) -> Solution:
    value = problem.value(kept)
    if value < 0:  # to say nothing is always possible
        kept, value = np.zeros(len(kept), bool), 0.0
    bound = max(bound, value)
    return Solution(kept, value, bound, bound - value <= _PROVED * max(1.0, abs(value)))
