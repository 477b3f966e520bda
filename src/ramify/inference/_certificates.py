"""When a value is proved to be the best, and for which scores such a proof can be trusted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ramify.errors import InvalidInputError
from ramify.inference.result import Result, Status

if TYPE_CHECKING:
    from ramify.graph import Problem

__all__ = ["is_proved", "largest_score", "with_numbers", "within_range"]

_SMALLEST, _LARGEST = 1e-290, 1e300
_OUT_OF_RANGE = (
    "no certificate: the largest score, here {:.3g}, has to be at least {:g}, and the sum of all at most {:g}; "
    "multiply all scores by a constant"
)


def largest_score(problem: Problem) -> float:
    """Return the size of the largest finite score, 0 where there is none.

    Parameters
    ----------
    problem : graph, scores and evidence
    """
    sizes = [np.max(np.abs(s), initial=0.0, where=np.isfinite(s)) for s in (problem.scores, problem.part_scores)]
    return float(max(sizes))


def is_proved(problem: Problem, value: float, bound: float, tolerance: float) -> bool:
    """Whether value and bound agree, up to a share of the largest score and of the value.

    Parameters
    ----------
    problem : what was solved
    value, bound : of an assignment, and of all assignments
    tolerance : the share
    """
    return bool(value > -np.inf and bound - value <= tolerance * (largest_score(problem) + abs(value)))


def within_range(problem: Problem, result: Result) -> Result:
    """Take a certificate away where sums of scores overflow or lose their digits: nothing is proved there.

    Parameters
    ----------
    problem : what was solved
    result : how
    """
    result, largest = with_numbers(problem, result), largest_score(problem)
    count = problem.scores.size + problem.part_scores.size
    if not result.certified or largest == 0.0 or (largest >= _SMALLEST and largest <= _LARGEST / count):
        return result
    status = Status.CONVERGED if result.status is Status.CERTIFIED else result.status
    message = _OUT_OF_RANGE.format(largest, _SMALLEST, _LARGEST)
    return replace(result, certified=False, exact=False, bound=np.inf, status=status, message=message)


def with_numbers(problem: Problem, result: Result) -> Result:
    """Return the result; raise an error where sums of scores overflowed, so that it has no numbers.

    Parameters
    ----------
    problem : what was solved
    result : how
    """
    found = (result.marginals, result.part_marginals, result.log_partition)
    if any(np.isnan(numbers).any() for numbers in found if numbers is not None):
        raise InvalidInputError(
            "Inference expects scores whose sums are finite; the largest has the size "
            f"{largest_score(problem):.3g}. Multiply all scores by a small number."
        )
    return result
