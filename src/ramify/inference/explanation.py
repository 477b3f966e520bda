"""Why a problem has no solution: a small set of factors and evidence that cannot all hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ramify.factors import TreeFormulation
from ramify.inference._highs import Deadline, Model
from ramify.inference._options import SECONDS
from ramify.inference._program import Bounds, LinearProgram
from ramify.inference.result import Status
from ramify.options import check_argument

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ramify.graph import FactorGraph, Problem

__all__ = ["Conflict", "explain_infeasibility"]


@dataclass(frozen=True)
class Conflict:
    """Factors and evidence that no assignment satisfies together.

    Attributes
    ----------
    factors : pairs (group, index within the group), in the order of the graph
    variables : variables whose evidence, or score of minus infinity, is needed for the conflict
    minimal : whether the conflict goes away when any of them is left out; False where time ran out
    message : the same in words
    """

    factors: tuple[tuple[int, int], ...]
    variables: tuple[int, ...]
    minimal: bool
    message: str


def explain_infeasibility(problem: Problem, *, time_limit: float = 5.0) -> Conflict | None:
    """Name a small set of factors and evidence that contradict each other; None if none is found.

    Parameters
    ----------
    problem : graph, scores and evidence, as `FactorGraph.problem` puts them together
    time_limit : float
        In seconds; after that, a set that may not be minimal, or None where even the first check takes longer.

    Notes
    -----
    Junker (2004), QuickXplain: a conflict of k out of n elements takes about 2 k log(n / k) feasibility problems.
    Factors without `constraints` (those written in Python) are taken as free.

    Examples
    --------
    >>> from ramify import FactorGraph
    >>> from ramify.factors import ExactlyOne
    >>> g = FactorGraph()
    >>> x = g.add_variables(3)
    >>> _ = g.add(ExactlyOne(x))
    >>> explain_infeasibility(g.problem(evidence={0: 1, 2: 1}))
    Conflict(factors=((0, 0),), variables=(0, 2), minimal=True, message='No assignment satisfies all of these: ...')
    """
    seconds = check_argument("explain_infeasibility", "time_limit", SECONDS, time_limit)
    search = _Search(problem, Deadline(seconds))
    elements = search.elements()
    if not search.infeasible(elements):
        return None
    found = np.sort(search.shrink(np.zeros(0, dtype=np.int64), elements, has_background_changed=False))
    factors = tuple(search.factor_of(int(e)) for e in found[found < search.num_factors])
    variables = tuple(int(search.evident[e - search.num_factors]) for e in found[found >= search.num_factors])
    minimal = not search.out_of_time
    return Conflict(factors, variables, minimal, _message(problem, factors, variables, minimal))


class _Search:
    """Feasibility of subsets: elements 0 … num_factors − 1 are factors, the others variables with evidence."""

    def __init__(self, problem: Problem, deadline: Deadline) -> None:
        self.deadline = deadline
        self.graph = problem.graph
        self.num_factors = problem.graph.num_factors
        self.out_of_time = False
        self._program = LinearProgram.build(problem, TreeFormulation.SINGLE_COMMODITY, skip_unknown=True)
        forced = np.flatnonzero(~np.isfinite(problem.scores))
        self.evident = np.unique(np.searchsorted(problem.graph.coordinate_offsets, forced, side="right") - 1)
        counts = [factor.num_factors for factor in problem.graph.factors]
        self._group_begin = np.cumsum([0, *counts])
        parts = [np.diff(factor.part_offsets) for factor in problem.graph.factors]
        self._factor_of_part = np.repeat(np.arange(self.num_factors), np.concatenate([np.zeros(0, np.int64), *parts]))
        widths = np.diff(problem.graph.coordinate_offsets)
        self._variable_of = np.repeat(np.arange(problem.graph.num_variables), widths)

    def elements(self) -> NDArray[np.int64]:
        """Everything that could be in conflict; a factor that forbids nothing has no part in one, and is soon out."""
        return np.arange(self.num_factors + self.evident.size)

    def factor_of(self, element: int) -> tuple[int, int]:
        group = int(np.searchsorted(self._group_begin, element, side="right")) - 1
        return group, element - int(self._group_begin[group])

    def shrink(
        self, background: NDArray[np.int64], elements: NDArray[np.int64], has_background_changed: bool
    ) -> NDArray[np.int64]:
        """Return a smallest part of the elements that is in conflict with the background."""
        if has_background_changed and self.infeasible(background):
            return elements[:0]
        if elements.size <= 1 or self.out_of_time:
            return elements
        half = elements.size // 2
        first, second = elements[:half], elements[half:]
        needed = self.shrink(np.concatenate([background, first]), second, has_background_changed=True)
        rest = self.shrink(np.concatenate([background, needed]), first, has_background_changed=needed.size > 0)
        return np.concatenate([rest, needed])

    def infeasible(self, elements: NDArray[np.int64]) -> bool:
        """Whether the elements are in conflict by themselves; False where time runs out."""
        program = self._restricted(elements)
        for integral in (False, True):
            if self.deadline.left == 0.0:
                self.out_of_time = True
                return False
            answer = Model(program, integral=integral).run(self.deadline.left)
            if answer.status is Status.INFEASIBLE:
                return True
            self.out_of_time = self.out_of_time or answer.status is not Status.CONVERGED
        return False

    def _restricted(self, elements: NDArray[np.int64]) -> LinearProgram:
        program = self._program
        has_factor = np.zeros(self.num_factors, dtype=bool)
        has_factor[elements[elements < self.num_factors]] = True
        has_variable = np.zeros(self.graph.num_variables, dtype=bool)
        has_variable[self.evident[elements[elements >= self.num_factors] - self.num_factors]] = True
        free = np.zeros(program.bounds.cost.size, dtype=bool)
        free[: program.num_coordinates] = ~has_variable[self._variable_of]
        free[program.num_coordinates : program.num_coordinates + program.num_parts] = ~has_factor[self._factor_of_part]
        bounds = Bounds(
            np.zeros(free.size), np.where(free, 0.0, program.bounds.lower), np.where(free, 1.0, program.bounds.upper)
        )
        rows_per_factor = np.diff(program.factor_rows)
        keep = np.concatenate([np.ones(program.factor_rows[0], dtype=bool), np.repeat(has_factor, rows_per_factor)])
        lengths = np.diff(program.starts)
        entries = np.repeat(keep, lengths)
        starts = np.concatenate([[0], np.cumsum(lengths[keep])]).astype(np.int32)
        return replace(
            program,
            bounds=bounds,
            starts=starts,
            columns=program.columns[entries],
            values=program.values[entries],
            row_lower=program.row_lower[keep],
            row_upper=program.row_upper[keep],
        )


def _message(problem: Problem, factors: tuple[tuple[int, int], ...], variables: tuple[int, ...], minimal: bool) -> str:
    names = [_name_factor(problem.graph, group, index) for group, index in factors]
    names += [_name_evidence(problem, variable) for variable in variables]
    shown = names[:20] + ([f"and {len(names) - 20} more"] if len(names) > 20 else [])
    hint = "" if minimal else " (Time ran out before the smallest such set was found.)"
    return f"No assignment satisfies all of these: {'; '.join(shown)}.{hint}"


def _name_factor(graph: FactorGraph, group: int, index: int) -> str:
    factor = graph.factors[group]
    begin, end = factor._slots.offsets[index : index + 2]
    variables = factor.variables[begin:end].tolist()
    names = [graph.name_of(v) or f"variable {v}" for v in variables[:10]]
    if not any(graph.name_of(v) for v in variables[:10]):
        names = [f"variables {variables[0]}" if variables else "no variables", *map(str, variables[1:10])]
    shown = ", ".join(names + (["…"] if len(variables) > 10 else []))
    return f"{type(factor).__name__} {index} (group {group}) over {shown}"


def _name_evidence(problem: Problem, variable: int) -> str:
    graph: FactorGraph = problem.graph
    name = graph.name_of(variable) or f"variable {variable}"
    begin, end = graph.coordinate_offsets[variable : variable + 2]
    own = problem.scores[begin:end]
    if own.size == 1:
        return f"{name} is {'on' if own[0] > 0 else 'off'}"
    states = ", ".join(str(s) for s in np.flatnonzero(~np.isneginf(own)))
    return f"{name} is in one of the states {states}" if states else f"{name} has no state"
