"""AD3: the linear relaxation by alternating directions, and the integer optimum by branch and bound around it."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import inference as _core
from ramify.errors import InvalidInputError
from ramify.inference._certificates import within_range
from ramify.inference._options import COUNT, PENALTY, SECONDS, TOLERANCE, TimedMethod
from ramify.inference.explanation import explain_infeasibility
from ramify.inference.result import Result, Status
from ramify.options import Flag, Integer, Number, option

if TYPE_CHECKING:
    from ramify.graph import Problem

__all__ = ["AD3"]

_STATUS = {
    _core.Ad3Status.CERTIFIED: Status.CERTIFIED,
    _core.Ad3Status.CONVERGED: Status.CONVERGED,
    _core.Ad3Status.ITERATION_LIMIT: Status.ITERATION_LIMIT,
    _core.Ad3Status.TIME_LIMIT: Status.TIME_LIMIT,
    _core.Ad3Status.INFEASIBLE: Status.INFEASIBLE,
    _core.Ad3Status.CUT_OFF: Status.CONVERGED,
}


@dataclass(frozen=True, kw_only=True)
class AD3(TimedMethod):
    """Alternating directions dual decomposition (Martins et al. 2011), a solver of the local linear relaxation.

    Notes
    -----
    `Result.bound` is the best dual value: an upper bound of every assignment's objective. `Result.value` is that of the
    best assignment that roundings gave, −inf where none was feasible; `Result.relaxed_value` is the objective of the
    marginals. A factor whose inputs have not moved is not solved again.
    """

    max_iterations: int = option(COUNT, 1000, "Iterations after which the method stops, converged or not.")
    tolerance: float = option(
        TOLERANCE,
        1e-6,
        "The method stops where the primal and the dual residual, root mean squares over the factors' coordinates, "
        "are at most this.",
    )
    exact: bool = option(
        Flag(),
        False,
        "Whether branch and bound goes on around the relaxation until the assignment is proved optimal or the time is "
        "over.",
    )
    time_limit: float = option(SECONDS, math.inf, "Most seconds of the whole call.")
    penalty: float = option(PENALTY, 0.5, "The first quadratic penalty, relative to the mean size of the scores.")
    adapt_penalty: bool = option(
        Flag(), True, "Whether the penalty changes so that the two residuals stay of similar size."
    )
    relaxation: float = option(
        Number(0, 2, above=True, below=True),
        1.6,
        "How far each step goes beyond the factors' solutions; 1 is the plain method.",
    )
    acceleration: int = option(
        Integer(0, 1000),
        20,
        "How many earlier steps an extrapolation uses (Anderson acceleration, about three times fewer iterations), at "
        "16 bytes for each coordinate of a factor and step; 0 is none.",
    )
    check_every: int = option(
        COUNT,
        5,
        "Iterations between looks at the clock. Dual bounds and roundings come as often at first, later after an "
        "eighth of the iterations so far.",
    )
    idle: float = option(
        TOLERANCE,
        0.0,
        "A factor is solved again where an input has moved by more than this since it was solved. Little work is saved "
        "at 0, where scores are zero and nothing stands quite still; all factors are solved once more before the end.",
    )
    node_iterations: int = option(COUNT, 60, "Iterations of branch and bound at every node but the root.")
    max_nodes: int = option(COUNT, 10_000_000, "Most nodes of branch and bound.")

    def _solve(self, problem: Problem, warm_start: Any) -> Result:
        """Solve the relaxation, or with ``exact`` the problem itself."""
        state = check_start("AD3", problem, warm_start)
        arrays = (problem.core, problem.scores, problem.part_scores)
        nodes = 0
        if self.exact:
            core, nodes, state = _core.solve_exact(
                *arrays, self.core_options(), self.node_iterations, self.max_nodes, state
            )
        else:
            core, state = _core.solve_ad3(*arrays, self.core_options(), state)
        message = describe(problem, core) or (f"{nodes} nodes" if nodes else "")
        return to_result(problem, core, state, message)

    def core_options(self, quadratic: float = 0.0) -> _core.Ad3Options:
        """Return the options as C++ takes them; for methods built on this one.

        Parameters
        ----------
        quadratic : strength of the quadratic term of `SparseMAP`
        """
        own: dict[str, Any] = {made.name: getattr(self, made.name) for made in fields(self)}
        for name in ("exact", "node_iterations", "max_nodes"):
            del own[name]
        return _core.Ad3Options(**own, quadratic=quadratic, cutoff=-np.inf)


def check_start(who: str, problem: Problem, warm_start: Any) -> _core.Ad3State:
    """Return an AD3 state to start from, an empty one if there is none.

    Parameters
    ----------
    who : the method, for the error message
    problem : what will be solved
    warm_start : None, or the state of an earlier result
    """
    if warm_start is None:
        return _core.Ad3State()
    if not isinstance(warm_start, _core.Ad3State) or not warm_start.is_of(problem.core):
        raise InvalidInputError(
            f"{who} expects a result of the same method on the same graph; got one of another, "
            f"or none at all ({type(warm_start).__name__})."
        )
    return warm_start


def describe(problem: Problem, core: _core.Ad3Result) -> str:
    """Say in words why a problem has no solution, or no assignment was found; empty otherwise.

    Parameters
    ----------
    problem : what was solved
    core : the engine's result
    """
    if core.status == _core.Ad3Status.INFEASIBLE:
        conflict = explain_infeasibility(problem)
        if conflict is not None:
            return conflict.message
    if core.conflict_group >= 0:
        family = type(problem.graph.factors[core.conflict_group]).__name__
        return (
            f"{family} (group {core.conflict_group}, factor {core.conflict_factor}) allows nothing under this evidence"
        )
    if core.conflict_variable >= 0:
        name = problem.graph.name_of(core.conflict_variable) or f"variable {core.conflict_variable}"
        return f"{name} has no state left"
    if core.status == _core.Ad3Status.INFEASIBLE:
        return "the factors contradict each other: the dual bound fell below every assignment's value"
    return "no feasible assignment was found" if core.value == -np.inf else ""


def to_result(problem: Problem, core: _core.Ad3Result, state: Any, message: str) -> Result:
    """Put the engine's result into the common form.

    Parameters
    ----------
    problem : what was solved
    core : the engine's result
    state : warm start for the next call
    message : see `Result`
    """
    status = _STATUS[core.status]
    assignment = core.assignment()
    has_factors = problem.core.num_slots > 0
    result = Result(
        marginals=core.marginals(),
        part_marginals=core.part_marginals() if problem.part_scores.size else np.zeros(0),
        value=core.value + problem.offset,
        bound=core.bound + problem.offset,
        relaxed_value=core.relaxed_value + problem.offset,
        certified=status is Status.CERTIFIED,
        exact=status is Status.CERTIFIED,
        assignment=assignment if assignment.size or not problem.graph.num_variables else None,
        status=status,
        iterations=core.iterations,
        primal_residual=core.primal_residual,
        dual_residual=core.dual_residual,
        active_factors=core.active_factors() / problem.core.num_factors if has_factors else None,
        active_messages=core.active_slots() / problem.core.num_slots if has_factors else None,
        message=message,
        state=state,
    )
    return within_range(problem, result)
