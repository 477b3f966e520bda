"""SparseMAP: the relaxation with a quadratic term, whose marginals are sparse and have gradients."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import inference as _core
from ramify.errors import InvalidInputError
from ramify.inference._coordinates import check_gradient
from ramify.inference._options import COUNT, PENALTY, SECONDS, TOLERANCE, TimedMethod
from ramify.inference.ad3 import AD3, check_start, describe, to_result
from ramify.inference.result import Status
from ramify.options import option

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ramify.graph import Problem
    from ramify.inference.result import Result

__all__ = ["SparseMAP"]


@dataclass(frozen=True, kw_only=True)
class SparseMAP(TimedMethod):
    r"""Marginals that maximise ``<scores, mu> + <part scores, nu> - gamma |mu|^2 / 2`` over the local relaxation.

    Notes
    -----
    With one factor over all variables this is SparseMAP, with several its extension LP-SparseMAP (Niculae & Martins
    2020). `Result.value` is the objective with the quadratic term.
    """

    gamma: float = option(
        PENALTY,
        1.0,
        "Strength of the quadratic term. Towards 0 this is the linear program; above it, marginals spread.",
    )
    max_iterations: int = option(COUNT, 10_000, "Iterations after which the method stops, converged or not.")
    tolerance: float = option(TOLERANCE, 1e-9, "The method stops where both residuals are at most this, as in `AD3`.")
    penalty: float = option(PENALTY, 0.3, "The first quadratic penalty, relative to the mean size of the scores.")
    time_limit: float = option(SECONDS, math.inf, "Most seconds.")

    def _inner(self) -> AD3:
        return AD3(**{name: getattr(self, name) for name in ("max_iterations", "tolerance", "penalty", "time_limit")})

    def _solve(self, problem: Problem, warm_start: Any) -> Result:
        state = check_start("SparseMAP", problem, warm_start)
        arrays = (problem.core, problem.scores, problem.part_scores)
        core, state = _core.solve_ad3(*arrays, self._inner().core_options(self.gamma), state)
        result = to_result(problem, core, state, "")
        if result.status is Status.INFEASIBLE:
            return replace(result, message=describe(problem, core))
        free = np.isfinite(problem.scores)
        value = core.relaxed_value + problem.offset - 0.5 * self.gamma * float(np.sum(result.marginals[free] ** 2))
        return replace(result, value=value, relaxed_value=None, exact=result.status is Status.CONVERGED)

    def backward(
        self, problem: Problem, result: Result, grad_marginals: ArrayLike, grad_part_marginals: ArrayLike | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Carry gradients of a scalar from the marginals to the scores.

        Parameters
        ----------
        problem : what was solved
        result : what `solve` returned for it
        grad_marginals : array of shape (num_coordinates,)
        grad_part_marginals : array of shape (num_parts,); all 0 if not given

        Returns
        -------
        gradients of the scores, shape (num_coordinates,), and of the scores of parts, shape (num_parts,)

        Notes
        -----
        The solution is piecewise linear in the scores; the gradient is that of the piece it lies on.
        """
        if result.state is None:
            raise InvalidInputError(
                "SparseMAP.backward expects the result that solve returned; this one has lost its state, as results do "
                "that were pickled. Solve the problem again."
            )
        state = check_start("SparseMAP.backward", problem, result.state)
        grad_u = check_gradient("SparseMAP.backward", "grad_marginals", grad_marginals, problem.scores.size)
        grad_nu = check_gradient(
            "SparseMAP.backward", "grad_part_marginals", grad_part_marginals, problem.part_scores.size
        )
        if result.status is Status.INFEASIBLE:
            raise InvalidInputError("SparseMAP.backward expects a result with marginals; this problem is infeasible.")
        return _core.sparsemap_vjp(
            problem.core, problem.scores, problem.part_scores, self.gamma, state, grad_u, grad_nu
        )
