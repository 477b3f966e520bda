"""A problem as one linear program, built from all factors' polytopes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import factors as _core_factors
from ramify._core import programs as _core
from ramify.errors import UnsupportedError
from ramify.factors import Capability, ConsecutiveSiblings, SiblingFormulation, Tree, TreeFormulation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ramify.graph import Problem

__all__ = ["Bounds", "Cut", "LinearProgram", "tree_cuts"]


@dataclass(frozen=True)
class Bounds:
    """Costs and bounds of the columns; shape (num_columns,) each."""

    cost: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


@dataclass(frozen=True)
class Cut:
    """Sum of columns that must be at least one.

    Attributes
    ----------
    columns : integer array of shape (num_columns,)
    """

    columns: NDArray[np.int32]


@dataclass(frozen=True)
class LinearProgram:
    """Rows ``row_lower <= A x <= row_upper``, A compressed by rows; maximise ``cost @ x``.

    Attributes
    ----------
    num_coordinates, num_parts : int
        Columns: coordinates of variables, parts, auxiliaries.
    bounds : costs and bounds of the columns
    starts, columns, values : the rows
    row_lower, row_upper : arrays of shape (num_rows,)
    factor_rows : integer array of shape (num_factors + 1,), first row of each factor
    """

    num_coordinates: int
    num_parts: int
    bounds: Bounds
    starts: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    row_lower: NDArray[np.float64]
    row_upper: NDArray[np.float64]
    factor_rows: NDArray[np.int32]

    @classmethod
    def build(
        cls,
        problem: Problem,
        tree: TreeFormulation,
        siblings: SiblingFormulation = SiblingFormulation.AUTOMATON,
        *,
        skip_unknown: bool = False,
    ) -> LinearProgram:
        """Collect the rows of all factors, trees and siblings in the formulation asked for.

        Parameters
        ----------
        problem : graph, scores and evidence
        tree : how to write trees
        siblings : how to write consecutive siblings
        skip_unknown : leave factors out that have no rows, instead of refusing them
        """
        factors = problem.graph.factors
        replacements = [_replacement(factor, tree, siblings, skip_unknown) for factor in factors]
        rows = _core.program_rows(problem.core, replacements)
        bounds = _bounds(problem, rows.auxiliary_upper())
        starts, columns, values = rows.starts(), rows.columns(), rows.values()
        lower, upper, factor_rows = rows.lower(), rows.upper(), rows.factor_rows()
        sizes = problem.scores.size, problem.part_scores.size
        return cls(*sizes, bounds, starts, columns, values, lower, upper, factor_rows)


def _replacement(factor: Any, tree: TreeFormulation, siblings: SiblingFormulation, skip_unknown: bool) -> list[Any]:
    if Capability.CONSTRAINTS not in factor.capabilities:
        if skip_unknown:
            nothing = np.zeros(0, dtype=np.int32)
            return [_core_factors.one_head_constraints(nothing, nothing, 0, False)] * factor.num_factors
        raise UnsupportedError(
            f"{type(factor).__name__} has no constraints, so LP and ILP cannot take it; use AD3 or BeliefPropagation."
        )
    chosen = tree if isinstance(factor, Tree) else siblings if isinstance(factor, ConsecutiveSiblings) else None
    if chosen in (None, TreeFormulation.MULTI_COMMODITY, SiblingFormulation.AUTOMATON):
        return []
    return [factor._rows(f, chosen) for f in range(factor.num_factors)]


def _bounds(problem: Problem, auxiliary_upper: NDArray[np.float64]) -> Bounds:
    scores = np.concatenate([problem.scores, problem.part_scores, np.zeros(auxiliary_upper.size)])
    ones = np.ones(problem.scores.size + problem.part_scores.size)
    upper = np.where(np.isneginf(scores), 0.0, np.concatenate([ones, auxiliary_upper]))
    return Bounds(np.where(np.isfinite(scores), scores, 0.0), np.isposinf(scores).astype(np.float64), upper)


def tree_cuts(problem: Problem, point: NDArray[np.float64], tolerance: float) -> list[Cut]:
    """Find sets of words that all trees lead into and the point does not.

    Parameters
    ----------
    problem : whose Tree factors are looked at
    point : array of shape (num_coordinates,)
    tolerance : smallest violation
    """
    offsets = problem.graph.coordinate_offsets
    out = []
    for factor in problem.graph.factors:
        if not isinstance(factor, Tree):
            continue
        for f in range(factor.num_factors):
            begin, end = factor._slots.offsets[f : f + 2]
            columns = offsets[factor.variables[begin:end]]
            heads, modifiers, num_words = factor.arcs(f)
            x = np.where(point[columns] > 1e-9, point[columns], 0.0)
            sets = _core.violated_cuts(heads, modifiers, num_words, x, tolerance).reshape(-1, num_words + 1) != 0
            out += [Cut(columns[~s[heads] & s[modifiers]].astype(np.int32)) for s in sets]
    return out
