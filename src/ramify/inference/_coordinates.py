"""Arrays over a graph's coordinates that several methods need."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ramify.graph import FactorGraph

__all__ = ["check_gradient", "indicators"]


def indicators(graph: FactorGraph, assignment: NDArray[np.int32]) -> NDArray[np.float64]:
    """Write an assignment as 0 or 1 per coordinate.

    Parameters
    ----------
    graph : whose variables are assigned
    assignment : array of shape (num_variables,)
    """
    out = np.zeros(graph.num_coordinates)
    begin = graph.coordinate_offsets[:-1]
    binary = graph.num_states == 2
    out[begin[binary]] = assignment[binary]
    out[begin[~binary] + assignment[~binary]] = 1.0
    return out


def check_gradient(who: str, name: str, values: ArrayLike | None, size: int) -> NDArray[np.float64]:
    """Return a gradient as a flat array of its own; all 0 if there is none.

    Parameters
    ----------
    who, name : for the message
    values : numbers, `size` of them
    size : expected number
    """
    array = np.zeros(size) if values is None else np.array(values, dtype=np.float64).ravel()
    if array.size != size or not np.isfinite(array).all():
        raise InvalidInputError(f"{who} expects {size} finite numbers as {name}; got {array.size}.")
    return array
