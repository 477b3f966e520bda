"""Subgradient dual decomposition, the baseline that AD3 is measured against."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import inference as _core
from ramify.errors import InvalidInputError
from ramify.inference._options import COUNT, PENALTY, SECONDS, TimedMethod
from ramify.inference.ad3 import describe, to_result
from ramify.options import option

if TYPE_CHECKING:
    from ramify.graph import Problem
    from ramify.inference.result import Result

__all__ = ["Subgradient"]


@dataclass(frozen=True, kw_only=True)
class Subgradient(TimedMethod):
    """Projected subgradient steps on the dual, of size ``step / (1 + number of times the dual rose)``.

    Notes
    -----
    The step rule is that of Koo et al. (2010), as Martins et al. (2011) compare with. `Result.marginals` are averages
    over the iterations; there are no part marginals.
    """

    max_iterations: int = option(COUNT, 1000, "Iterations after which the method stops, converged or not.")
    step: float = option(PENALTY, 1.0, "The first step size, relative to the mean size of the scores.")
    check_every: int = option(COUNT, 20, "Iterations between roundings; agreement of all factors is noticed at once.")
    time_limit: float = option(SECONDS, math.inf, "Most seconds.")

    def _solve(self, problem: Problem, warm_start: Any) -> Result:
        duals = np.zeros(problem.core.num_edges) if warm_start is None else warm_start
        if not isinstance(duals, np.ndarray) or duals.shape != (problem.core.num_edges,):
            raise InvalidInputError("Subgradient expects warm_start to be a result of Subgradient on the same graph.")
        core, duals = _core.solve_subgradient(
            problem.core,
            problem.scores,
            problem.part_scores,
            max_iterations=self.max_iterations,
            step=self.step,
            check_every=self.check_every,
            time_limit=self.time_limit,
            start=duals,
        )
        result = to_result(problem, core, duals, describe(problem, core))
        return replace(result, part_marginals=None, relaxed_value=None)
