"""Examples as training needs them: parts, the gold assignment as indicators, and what wrong states cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.arrays import as_int32
from ramify.errors import InvalidInputError
from ramify.graph import Problem
from ramify.inference.exact import _coordinates
from ramify.learn.structured.parts import Parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ramify.graph import FactorGraph
    from ramify.learn.structured.losses import Costs

__all__ = ["UNKNOWN", "Example", "build_parts", "indicators", "indicators_of_coordinates", "read_assignment"]

UNKNOWN = -1  # gold state of a variable that is not observed


@dataclass(frozen=True)
class Example:
    """An example to learn from.

    Attributes
    ----------
    parts : its graph and features
    assignment : gold states, shape (num_variables,), `UNKNOWN` where a variable is not observed
    gold : which coordinates, and then parts, the gold assignment has; None where some variable is not observed
    costs : of coordinates
    """

    parts: Parts
    assignment: NDArray[np.int32]
    gold: NDArray[np.int64] | None
    costs: NDArray[np.float64]

    @classmethod
    def prepare(cls, number: int, x: Any, parts: Parts, assignment: NDArray[np.int32], costs: Costs) -> Example:
        """Compute all that does not change while a model learns.

        Parameters
        ----------
        number : position of the example, for messages
        x : what the user calls the example
        parts, assignment, costs : see the attributes
        """
        gold = None
        if not np.any(assignment == UNKNOWN):
            on = indicators(parts.graph, assignment)
            gold = np.flatnonzero(np.zeros(0) if on is None else on)
            if on is None or np.isneginf(parts.fixed_scores()[gold]).any():
                raise InvalidInputError(
                    "StructuredModel expects gold assignments that factors and scores allow; that of example "
                    f"{number} is forbidden."
                )
        return cls(parts, assignment, gold, costs.of_coordinates(x, parts, assignment))

    def problem(self, scores: NDArray[np.float64], evidence: dict[int, int] | None = None) -> Problem:
        """Return the graph with scores of coordinates and parts."""
        graph, split = self.parts.graph, self.parts.graph.num_coordinates
        if not evidence:
            return Problem(graph, scores[:split], scores[split:])
        return graph.problem(scores[:split], part_scores=scores[split:], evidence=evidence)

    def observed(self) -> dict[int, int]:
        """Return the gold states that are known, as evidence."""
        return {int(v): int(self.assignment[v]) for v in np.flatnonzero(self.assignment != UNKNOWN)}


def build_parts(who: str, function: Callable[[Any], Parts], x: Any) -> Parts:
    """Call the user's function.

    Parameters
    ----------
    who : beginning of the error message
    function : from an example to its parts
    x : the example
    """
    parts = function(x)
    if not isinstance(parts, Parts):
        raise InvalidInputError(f"{who} expects a function that returns Parts; it returned {type(parts).__name__}.")
    return parts


def read_assignment(number: int, y: Any, graph: FactorGraph, *, partial: bool = False) -> NDArray[np.int32]:
    """Accept states of all variables, in an array of any shape.

    Parameters
    ----------
    number : position of the example, for messages
    y : the states
    graph : whose variables they belong to
    partial : whether `UNKNOWN` is allowed
    """
    states = as_int32(f"StructuredModel expects the states of example {number}", y).ravel()
    if states.size != graph.num_variables:
        raise InvalidInputError(
            f"StructuredModel expects one state for each of the {graph.num_variables} variables of example {number}; "
            f"got {states.size}."
        )
    wrong = np.flatnonzero((states < (UNKNOWN if partial else 0)) | (states >= graph.num_states))
    if wrong.size:
        v = int(wrong[0])
        raise InvalidInputError(
            f"StructuredModel expects states from 0 to {int(graph.num_states[v]) - 1} for variable {v} of example "
            f"{number}{' (or -1: not observed)' if partial else ''}; got {states[v]}."
        )
    return states


def indicators(graph: FactorGraph, assignment: NDArray[np.int32]) -> NDArray[np.float64] | None:
    """Return 0 or 1 for each coordinate and part of an assignment, or None if a factor forbids it."""
    on = indicators_of_coordinates(graph, assignment)
    # A factor whose variables are all given has one assignment left: its best one says which parts that has.
    is_binary = np.repeat(graph.num_states == 2, np.diff(graph.coordinate_offsets))
    given = np.where(on > 0, np.where(is_binary, np.inf, 0.0), -np.inf)
    out = [on]
    for factor in graph.factors:
        best = factor.argmax(given[_coordinates(graph, factor.variables)], np.zeros(factor.scores.size))
        if np.any(best.value == -np.inf):
            return None
        out.append(best.parts)
    return np.concatenate(out)


def indicators_of_coordinates(graph: FactorGraph, assignment: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return 0 or 1 for each coordinate of an assignment."""
    starts = graph.coordinate_offsets[:-1]
    binary = graph.num_states == 2
    on = np.zeros(graph.num_coordinates)
    on[starts[binary]] = assignment[binary]
    on[starts[~binary] + assignment[~binary]] = 1.0
    return on
