"""The best tree by a linear or an integer program: slow, and independent of our own solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ramify.inference import ILP, LP
from ramify.parsing.config import Method
from ramify.trees import max_arborescence
from ramify.trees.projective import max_arborescence as max_projective

if TYPE_CHECKING:
    import numpy.typing as npt

    from ramify.parsing.parse_graph import ParseGraph

__all__ = ["PROGRAMS", "solve_program"]

PROGRAMS = {Method.LINEAR: LP, Method.INTEGER: ILP}


def solve_program(
    graph: ParseGraph, method: Method, single_root: bool, projective: bool, time_limit: float
) -> tuple[npt.NDArray[np.int32], tuple[float, bool]]:
    """Solve a sentence's problem with HiGHS.

    Where the linear program's solution is fractional, the tree is the one with the largest sum of marginals.

    Returns
    -------
    heads, shape (n,); the bound, and whether the tree is proved to be the best
    """
    result = graph.solve(PROGRAMS[method](time_limit=time_limit))
    size = int(graph.modifiers.max()) + 1
    scores = np.full((size, size), -np.inf)
    scores[graph.heads, graph.modifiers] = result.marginals[: len(graph.heads)]
    best = max_projective if projective else max_arborescence
    heads, _ = best(scores, single_root=single_root)
    return np.asarray(heads, dtype=np.int32)[1:], (result.bound + graph.constant, bool(result.certified))
