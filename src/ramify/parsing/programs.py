"""The best tree by a linear or an integer program: slow, and independent of our own solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ramify.factors import SiblingFormulation, TreeFormulation
from ramify.inference import ILP, LP
from ramify.parsing.config import Method, Rows
from ramify.trees import max_arborescence
from ramify.trees.projective import max_arborescence as max_projective

if TYPE_CHECKING:
    import numpy.typing as npt

    from ramify.parsing.config import Inference
    from ramify.parsing.parse_graph import ParseGraph

__all__ = ["PROGRAMS", "program_of", "solve_program"]

PROGRAMS = {Method.LINEAR: LP, Method.INTEGER: ILP}


def program_of(options: Inference, time_limit: float) -> LP | ILP:
    """Return the method that the options name, with the rows that they ask for."""
    program: type[LP | ILP] = PROGRAMS[options.method]
    if options.rows is Rows.HULL:
        return program(time_limit=time_limit)
    return program(tree=TreeFormulation.SINGLE_COMMODITY, siblings=SiblingFormulation.DYNAMIC, time_limit=time_limit)


def solve_program(
    graph: ParseGraph, method: LP | ILP, single_root: bool, projective: bool
) -> tuple[npt.NDArray[np.int32], tuple[float, bool]]:
    """Solve a sentence's problem with HiGHS.

    Where the linear program's solution is fractional, the tree is the one with the largest sum of marginals.

    Returns
    -------
    heads, shape (n,); the bound, and whether the tree is proved to be the best
    """
    result = graph.solve(method)
    size = int(graph.modifiers.max()) + 1
    scores = np.full((size, size), -np.inf)
    scores[graph.heads, graph.modifiers] = result.marginals[: len(graph.heads)]
    best = max_projective if projective else max_arborescence
    heads, _ = best(scores, single_root=single_root)
    return np.asarray(heads, dtype=np.int32)[1:], (result.bound + graph.constant, bool(result.certified))
