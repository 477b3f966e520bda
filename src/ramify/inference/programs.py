"""Linear and integer programs, solved by HiGHS."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ramify.errors import InvalidInputError
from ramify.factors import SiblingFormulation, Tree, TreeFormulation
from ramify.inference._certificates import is_proved, within_range
from ramify.inference._coordinates import indicators
from ramify.inference._highs import Answer, Deadline, Model
from ramify.inference._options import SECONDS, TOLERANCE, Options
from ramify.inference._program import LinearProgram, tree_cuts
from ramify.inference.explanation import explain_infeasibility
from ramify.inference.result import Result, Status
from ramify.options import Member, Number, option

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ramify.graph import FactorGraph, Problem

__all__ = ["ILP", "LP"]

_INTEGRAL = 1e-6  # how close to 0 or 1 a column has to be
_PROVED = 1e-6  # share of the largest score, and of the value, by which the bound of a certificate may be higher
_VIOLATED = 1e-6  # by how much a cut has to be broken


@dataclass(frozen=True, kw_only=True)
class LP(Options):
    """Linear program over all factors' polytopes: the local relaxation, solved to optimality by HiGHS.

    Where each factor's rows are its convex hull, this is the problem whose optimum AD3 converges to. The value is the
    relaxed objective, and a bound of the best assignment; where the solution is integral, it is that assignment.
    """

    tree: TreeFormulation = option(
        Member(TreeFormulation),
        TreeFormulation.CUTS,
        "How a `Tree` is written. Multi-commodity flow and cuts are its convex hull; single-commodity flow is looser.",
    )
    siblings: SiblingFormulation = option(
        Member(SiblingFormulation),
        SiblingFormulation.AUTOMATON,
        "How `ConsecutiveSiblings` are written; dynamic constraints are looser.",
    )
    time_limit: float = option(SECONDS, math.inf, "Most seconds.")
    tolerance: float = option(Number(1e-10, 1e-2), 1e-7, "How far rows, bounds and reduced costs may be off.")

    def solve(self, problem: Problem, warm_start: Any = None) -> Result:
        """Answer a problem; a warm start is not used.

        Parameters
        ----------
        problem : graph, scores and evidence
        warm_start : ignored
        """
        deadline = Deadline(self.time_limit)
        program = LinearProgram.build(problem, self.tree, self.siblings)
        model = Model(program, integral=False, tolerance=self.tolerance)
        answer, rounds = _run(problem, model, self.tree, deadline)
        if answer.x is None:
            return _empty(problem, answer, deadline, rounds)
        coordinates, parts = _split(answer.x, program)
        assignment = _integral_assignment(problem.graph, coordinates)
        value = -math.inf if assignment is None else problem.value(assignment)
        bound = answer.bound + problem.offset
        certified = answer.status is Status.CONVERGED and is_proved(problem, value, bound, _PROVED)
        result = Result(
            marginals=coordinates,
            part_marginals=parts,
            value=value if certified else answer.value + problem.offset,
            bound=max(bound, value) if certified else bound,
            exact=certified,
            certified=certified,
            assignment=assignment if certified else None,
            status=Status.CERTIFIED if certified else answer.status,
            iterations=answer.iterations,
            seconds=deadline.spent,
            message=_rounds(rounds),
        )
        return within_range(problem, result)


@dataclass(frozen=True, kw_only=True)
class ILP(Options):
    """Integer program over all factors' rows: the best assignment itself, by HiGHS's branch and bound.

    Notes
    -----
    ``warm_start`` takes a `Result` of any method on the same graph: its assignment, or its marginals rounded, is where
    the search starts, if it is legal.
    """

    tree: TreeFormulation = option(
        Member(TreeFormulation),
        TreeFormulation.SINGLE_COMMODITY,
        "How a `Tree` is written; the best assignment does not depend on it, the time does. With cuts the search "
        "starts again whenever a best solution has a cycle: faster where the relaxation is nearly integral, slower "
        "elsewhere.",
    )
    siblings: SiblingFormulation = option(
        Member(SiblingFormulation), SiblingFormulation.AUTOMATON, "How `ConsecutiveSiblings` are written."
    )
    time_limit: float = option(
        SECONDS, math.inf, "Most seconds; the best assignment found so far is returned with its bound."
    )
    gap: float = option(TOLERANCE, 0.0, "Relative gap between value and bound at which to stop.")
    tolerance: float = option(Number(1e-10, 1e-2), 1e-7, "How far rows, bounds and reduced costs may be off.")

    starts_from_results: ClassVar[bool] = True

    def solve(self, problem: Problem, warm_start: Any = None) -> Result:
        """Answer a problem.

        Parameters
        ----------
        problem : graph, scores and evidence
        warm_start : a `Result` of any method, or an assignment of shape (num_variables,), optional
        """
        deadline = Deadline(self.time_limit)
        program = LinearProgram.build(problem, self.tree, self.siblings)
        model = Model(program, integral=True, tolerance=self.tolerance, gap=self.gap)
        start = _start(problem, warm_start)
        if self.tree is TreeFormulation.CUTS:
            _tighten(problem, program, model, self.tolerance, deadline)
        if start is not None:
            model.set_start(indicators(problem.graph, start))
        answer, rounds = _run(problem, model, self.tree, deadline)
        if answer.x is None:
            return _repaired(problem, _empty(problem, answer, deadline, rounds), answer.near, start)
        coordinates, parts = _split(answer.x, program)
        assignment = _rounded(problem.graph, coordinates)
        value = problem.value(assignment)
        bound = max(answer.bound + problem.offset, value)
        certified = answer.status is Status.CONVERGED and is_proved(problem, value, bound, _PROVED)
        result = Result(
            marginals=indicators(problem.graph, assignment),
            part_marginals=np.round(parts),
            value=value,
            bound=value if certified else bound,
            exact=certified,
            certified=certified,
            assignment=assignment,
            status=Status.CERTIFIED if certified else answer.status,
            iterations=answer.iterations,
            seconds=deadline.spent,
            message=_rounds(rounds),
        )
        return within_range(problem, result)


def _run(problem: Problem, model: Model, tree: TreeFormulation, deadline: Deadline) -> tuple[Answer, int]:
    """Solve; where trees are cut out of a larger polytope, add what is violated and go on until nothing is."""
    cutting = tree is TreeFormulation.CUTS and any(isinstance(factor, Tree) for factor in problem.graph.factors)
    rounds = 0
    while True:
        answer = model.run(deadline.left)
        if not cutting or answer.x is None:
            return answer, rounds
        cuts = tree_cuts(problem, answer.x[: problem.scores.size], _VIOLATED)
        if not cuts:
            return answer, rounds
        if answer.status is not Status.CONVERGED or deadline.left == 0.0:
            # The point is no tree, yet the bound of the larger polytope holds.
            point = answer.x[: problem.scores.size]
            return Answer(Status.TIME_LIMIT, None, -math.inf, answer.bound, answer.iterations, point), rounds
        rounds += 1
        model.add_cuts(cuts)


def _tighten(problem: Problem, program: LinearProgram, model: Model, tolerance: float, deadline: Deadline) -> None:
    """Give the integer program the cuts that its relaxation needs: they are found there faster."""
    relaxed = Model(program, integral=False, tolerance=tolerance)
    while deadline.left > 0.0:
        answer = relaxed.run(deadline.left)
        if answer.x is None:
            return
        cuts = tree_cuts(problem, answer.x[: problem.scores.size], _VIOLATED)
        if not cuts:
            return
        relaxed.add_cuts(cuts)
        model.add_cuts(cuts)


def _split(x: NDArray[np.float64], program: LinearProgram) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x = np.clip(x, 0.0, 1.0) + 0.0  # no negative zeros
    end = program.num_coordinates + program.num_parts
    return x[: program.num_coordinates], x[program.num_coordinates : end]


def _empty(problem: Problem, answer: Answer, deadline: Deadline, rounds: int) -> Result:
    """Make a result without a point: nothing is feasible, or nothing was found in time."""
    infeasible = answer.status is Status.INFEASIBLE
    conflict = explain_infeasibility(problem) if infeasible else None
    return Result(
        marginals=np.zeros(problem.scores.size),
        part_marginals=np.zeros(problem.part_scores.size),
        value=-math.inf,
        bound=-math.inf if infeasible else answer.bound + problem.offset,
        status=answer.status,
        iterations=answer.iterations,
        seconds=deadline.spent,
        message=_rounds(rounds) if conflict is None else conflict.message,
    )


def _repaired(
    problem: Problem, result: Result, point: NDArray[np.float64] | None, start: NDArray[np.int32] | None
) -> Result:
    """Give a result without an assignment the best legal one at hand: the start, or trees near a point."""
    found = [] if start is None else [start]
    if point is not None:
        found.append(_nearest_trees(problem, point))
    values = [problem.value(assignment) for assignment in found]
    if not values or max(values) == -math.inf:
        return result
    best = found[int(np.argmax(values))]
    marginals = indicators(problem.graph, best)
    return replace(result, value=max(values), assignment=best, marginals=marginals, part_marginals=None)


def _nearest_trees(problem: Problem, point: NDArray[np.float64]) -> NDArray[np.int32]:
    assignment = _rounded(problem.graph, point)
    gain = np.where(np.isinf(problem.scores), problem.scores, point)
    for factor in problem.graph.factors:
        if isinstance(factor, Tree):
            assignment[factor.variables] = factor.argmax(
                gain[problem.graph.coordinate_offsets[factor.variables]]
            ).states
    return assignment


def _rounds(rounds: int) -> str:
    return f"{rounds} rounds of cuts" if rounds else ""


def _rounded(graph: FactorGraph, coordinates: NDArray[np.float64]) -> NDArray[np.int32]:
    """Nearest state of each variable, shape (num_variables,)."""
    begin = graph.coordinate_offsets[:-1]
    out = (coordinates[begin] > 0.5).astype(np.int32)
    for v in np.flatnonzero(graph.num_states > 2):
        out[v] = np.argmax(coordinates[begin[v] : begin[v] + graph.num_states[v]])
    return out


def _integral_assignment(graph: FactorGraph, coordinates: NDArray[np.float64]) -> NDArray[np.int32] | None:
    if np.any(np.abs(coordinates - np.round(coordinates)) > _INTEGRAL):
        return None
    return _rounded(graph, coordinates)


def _start(problem: Problem, warm_start: Any) -> NDArray[np.int32] | None:
    if warm_start is None:
        return None
    given = warm_start
    if isinstance(warm_start, Result):
        if warm_start.marginals.shape != problem.scores.shape:
            raise InvalidInputError(
                f"ILP expects warm_start to be a result of the same graph, with {problem.scores.size} marginals; "
                f"got {warm_start.marginals.size}."
            )
        if warm_start.status is Status.INFEASIBLE:
            return None
        given = warm_start.assignment
        if given is None:
            return _rounded(problem.graph, warm_start.marginals)
    array = np.asarray(given)
    right = array.shape == (problem.graph.num_variables,) and (not array.size or array.dtype.kind in "ui")
    if not right or np.any(array < 0) or np.any(array >= problem.graph.num_states):
        raise InvalidInputError(
            f"ILP expects warm_start to be a Result or an integer assignment of shape "
            f"({problem.graph.num_variables},); got {type(warm_start).__name__}."
        )
    return array.astype(np.int32)
