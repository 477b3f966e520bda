"""Hill climbing over trees: the approximate search of McDonald & Pereira (2006), as others compare with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ramify.parsing.parse_graph import ParseGraph

__all__ = ["climb"]

_LEAST = 1e-9  # a smaller rise is rounding


def climb(graph: ParseGraph, heads: Sequence[int]) -> tuple[NDArray[np.int32], list[float]]:
    """Change one head at a time, always the one that raises the model's score most, until none does.

    Parameters
    ----------
    graph : candidate arcs, and the factors that say what is a tree and what it scores
    heads : n numbers, the tree to start from, of candidate arcs

    Returns
    -------
    heads : shape (n,), the tree where it ends: no other one that differs in one head scores more
    values : scores of the tree at the start and after each change; without the graph's constant
    """
    problem = graph.graph.problem(graph.scores)
    on = np.zeros(len(graph.heads), dtype=np.int32)
    on[graph.heads == np.asarray(heads)[graph.modifiers - 1]] = 1
    values = [problem.value(on)]
    while True:
        chosen = np.zeros(len(heads) + 1, dtype=np.int64)
        chosen[graph.modifiers[on == 1]] = np.flatnonzero(on)
        rise, best = _LEAST, -1
        for arc in np.flatnonzero(on == 0):
            old = chosen[graph.modifiers[arc]]
            on[[old, arc]] = 0, 1
            gained = problem.value(on) - values[-1]  # the tree factor forbids what is no tree
            on[[old, arc]] = 1, 0
            if gained > rise:
                rise, best = gained, int(arc)
        if best < 0:
            break
        on[[chosen[graph.modifiers[best]], best]] = 0, 1
        values.append(problem.value(on))
    out = np.zeros(len(heads), dtype=np.int32)
    out[graph.modifiers[on == 1] - 1] = graph.heads[on == 1]
    return out, values
