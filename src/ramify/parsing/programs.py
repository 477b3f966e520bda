"""Find the best tree with a linear or an integer program, which is slow, but independent of our own solvers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ramify.factors import SiblingFormulation, TreeFormulation
from ramify.inference import ILP, LP
from ramify.parsing.config import Method
from ramify.trees import max_arborescence
from ramify.trees.projective import max_arborescence as max_projective

if TYPE_CHECKING:
    import numpy.typing as npt

    from ramify.inference import Result
    from ramify.parsing.parse_graph import ParseGraph

__all__ = ["PROGRAMS", "Program", "nearest_tree", "solve_program"]


@dataclass(frozen=True)
class Program:
    """How HiGHS solves a sentence; siblings and grandparents apart, not joint, make a looser relaxation."""

    method: LP | ILP
    apart: bool

    def within(self, time_limit: float) -> LP | ILP:
        """Return the method with a time limit in seconds."""
        return replace(self.method, time_limit=time_limit)


_DYNAMIC = SiblingFormulation.DYNAMIC
PROGRAMS = {
    Method.LINEAR: Program(LP(), apart=False),
    Method.INTEGER: Program(ILP(), apart=False),
    # Martins, Smith & Xing (2009), section 3.
    Method.CONCISE_LINEAR: Program(LP(tree=TreeFormulation.SINGLE_COMMODITY, siblings=_DYNAMIC), apart=True),
    Method.CONCISE_INTEGER: Program(ILP(tree=TreeFormulation.SINGLE_COMMODITY, siblings=_DYNAMIC), apart=True),
}


def solve_program(
    graph: ParseGraph, method: LP | ILP, single_root: bool, projective: bool
) -> tuple[npt.NDArray[np.int32], tuple[float, bool]]:
    """Solve the problem of a sentence with HiGHS.

    If the solution of the linear program is fractional, the tree is the one with the largest sum of marginals.

    Returns
    -------
    heads, shape (n,); the bound, and whether the tree is proved to be the best
    """
    result = graph.solve(method)
    return (
        nearest_tree(graph, result, single_root=single_root, projective=projective),
        (result.bound + graph.constant, bool(result.certified)),
    )


def nearest_tree(
    graph: ParseGraph, result: Result, *, single_root: bool = False, projective: bool = False
) -> npt.NDArray[np.int32]:
    """Return the heads of the tree with the largest sum of a solution's marginals, shape (n,)."""
    size = int(graph.modifiers.max()) + 1
    scores = np.full((size, size), -np.inf)
    scores[graph.heads, graph.modifiers] = result.marginals[: len(graph.heads)]
    heads, _ = (max_projective if projective else max_arborescence)(scores, single_root=single_root)
    return np.asarray(heads, dtype=np.int32)[1:]
