"""The one place that talks to HiGHS."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np

from ramify.inference.result import Status

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ramify.inference._program import Cut, LinearProgram

__all__ = ["Answer", "Deadline", "Model"]


class Deadline:
    """How much is left of a time limit."""

    def __init__(self, seconds: float) -> None:
        self._start = time.perf_counter()
        self._end = self._start + seconds

    @property
    def left(self) -> float:
        """Seconds until the limit."""
        return max(0.0, self._end - time.perf_counter())

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._start


@dataclass(frozen=True)
class Answer:
    """What HiGHS found.

    Attributes
    ----------
    status : CONVERGED, INFEASIBLE, TIME_LIMIT or ITERATION_LIMIT
    x : array of shape (num_columns,), or None where there is no feasible point
    value : objective at x
    bound : proved upper bound of the objective
    iterations : of the simplex method
    near : array of shape (num_coordinates,), a point that is nearly feasible, where x is None
    """

    status: Status
    x: NDArray[np.float64] | None
    value: float
    bound: float
    iterations: int
    near: NDArray[np.float64] | None = None


_LARGEST_COST = 16  # as a power of two: with larger ones, the tolerances would drown in rounding
_STATUSES = {
    highspy.HighsModelStatus.kOptimal: Status.CONVERGED,
    highspy.HighsModelStatus.kModelEmpty: Status.CONVERGED,
    highspy.HighsModelStatus.kInfeasible: Status.INFEASIBLE,
    highspy.HighsModelStatus.kUnboundedOrInfeasible: Status.INFEASIBLE,  # all columns are bounded
    highspy.HighsModelStatus.kTimeLimit: Status.TIME_LIMIT,
}


class Model:
    """A linear or integer program inside HiGHS, to which rows can be added between runs.

    Parameters
    ----------
    program : the rows and columns
    integral : whether coordinates of variables must be 0 or 1; parts and auxiliaries follow by themselves
    tolerance : how far rows and bounds, and reduced costs, may be off
    gap : relative gap at which an integer program is solved
    """

    def __init__(self, program: LinearProgram, *, integral: bool, tolerance: float = 1e-7, gap: float = 0.0) -> None:
        self._highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self._integral = integral
        self._bounds = program.bounds
        self._unit = unit_of(program.bounds.cost)
        self._slack = 0.0
        if integral:
            # HiGHS takes a reduced cost within its tolerance for zero, in every column, and its bound does not say so.
            # Larger costs make that less, and what is left of it is added to the bound.
            scored = np.count_nonzero(program.bounds.cost)
            self._unit /= 2.0 ** min(int(scored).bit_length(), _LARGEST_COST)
            self._slack = tolerance * self._unit * scored
        self._rows = [_Rows(program.row_lower, program.row_upper, program.starts, program.columns, program.values)]
        options: dict[str, Any] = {
            "output_flag": False,
            "parallel": "off",
            "primal_feasibility_tolerance": tolerance,
            "dual_feasibility_tolerance": tolerance,
            "mip_rel_gap": gap,
            "mip_abs_gap": 0.0,
        }
        for name, value in options.items():
            self._highs.setOptionValue(name, value)
        kinds = np.zeros(program.bounds.cost.size, dtype=np.int32)
        kinds[: program.num_coordinates] = int(integral)
        self._highs.passModel(
            program.bounds.cost.size,
            program.row_lower.size,
            program.values.size,
            int(highspy.MatrixFormat.kRowwise),
            int(highspy.ObjSense.kMaximize),
            0.0,
            program.bounds.cost / self._unit,
            program.bounds.lower,
            program.bounds.upper,
            program.row_lower,
            program.row_upper,
            program.starts,
            program.columns,
            program.values,
            kinds,
        )

    def set_start(self, coordinates: NDArray[np.float64]) -> None:
        """Give a first solution, as 0 or 1 per coordinate; HiGHS ignores it if it breaks a row."""
        self._highs.setSolution(coordinates.size, np.arange(coordinates.size, dtype=np.int32), coordinates)

    def add_cuts(self, cuts: list[Cut]) -> None:
        """Add rows that say that each cut's columns sum to at least one."""
        starts = np.cumsum([0] + [cut.columns.size for cut in cuts[:-1]]).astype(np.int32)
        columns = np.concatenate([cut.columns for cut in cuts])
        lower, upper, values = np.ones(len(cuts)), np.full(len(cuts), highspy.kHighsInf), np.ones(columns.size)
        self._highs.addRows(len(cuts), lower, upper, columns.size, starts, columns, values)
        self._rows.append(_Rows(lower, upper, np.append(starts, np.int32(columns.size)), columns, values))

    def run(self, seconds: float) -> Answer:
        """Solve, or go on after rows were added; stop after so many seconds."""
        # HiGHS counts the time of all runs of an object for linear programs, of each run for integer ones.
        before = 0.0 if self._integral else self._highs.getRunTime()
        self._highs.setOptionValue("time_limit", before + seconds)
        self._highs.run()
        return self._answer(self._highs.getModelStatus(), self._highs.getInfo())

    def _answer(self, model_status: Any, info: Any) -> Answer:
        status = _STATUSES.get(model_status, Status.ITERATION_LIMIT)
        iterations = max(int(info.simplex_iteration_count), 0)
        if status is Status.INFEASIBLE:
            return Answer(status, None, -np.inf, -np.inf, iterations)
        solution = self._highs.getSolution()
        # 2: a feasible primal point is there.
        feasible = model_status == highspy.HighsModelStatus.kModelEmpty or info.primal_solution_status == 2
        x = np.array(solution.col_value) if feasible else None
        value = float(np.dot(self._bounds.cost, x)) if x is not None else -np.inf
        return Answer(status, x, value, max(self._bound(status, info, solution), value), iterations)

    def _bound(self, status: Status, info: Any, solution: Any) -> float:
        if self._integral and self._bounds.cost.size:
            return float(info.mip_dual_bound) * self._unit + self._slack
        # A dual solution, even a bad one, proves a bound; HiGHS's own value is right up to its tolerances only.
        return self._dual_bound(np.array(solution.row_dual)) if status is Status.CONVERGED else np.inf

    def _dual_bound(self, duals: NDArray[np.float64]) -> float:
        """Weak duality: ``max cost @ x`` is at most ``y @ A x + (cost - y A) @ x``, each at its largest."""
        duals = duals * self._unit
        terms, costs, begin = [], self._bounds.cost.copy(), 0
        for rows in self._rows:
            y = duals[begin : begin + rows.lower.size]
            begin += rows.lower.size
            y = np.where((y > 0) & np.isposinf(rows.upper) | (y < 0) & np.isneginf(rows.lower), 0.0, y)
            limit = np.where(y > 0, rows.upper, rows.lower)
            terms.append(y * np.where(y == 0.0, 0.0, limit))
            weights = rows.values * np.repeat(y, np.diff(rows.starts))
            costs -= np.bincount(rows.columns, weights=weights, minlength=costs.size)
        terms.append(costs * np.where(costs > 0, self._bounds.upper, self._bounds.lower))
        every = np.concatenate(terms)
        return float(every.sum() + 4 * np.finfo(float).eps * np.abs(every).sum())


@dataclass(frozen=True)
class _Rows:
    """Rows as HiGHS has them: those of the program, or some that were added later."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    starts: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]


def unit_of(scores: NDArray[np.float64]) -> float:
    """Return the power of two at most as large as the largest finite score: dividing by it rounds nothing.

    Parameters
    ----------
    scores : array of any shape; infinite ones do not count
    """
    largest = float(np.max(np.abs(scores), initial=0.0, where=np.isfinite(scores)))
    return 2.0 ** float(np.clip(np.frexp(largest)[1] - 1, -1000, 1000)) if largest > 0.0 else 1.0
