"""The factor graph of a sentence, which any inference method can solve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ramify.graph import FactorGraph

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ramify._core import parsing as _core
    from ramify.graph import Method
    from ramify.inference import Result

__all__ = ["ParseGraph"]


@dataclass(frozen=True)
class ParseGraph:
    """The candidate arcs of a sentence as variables, and the factors over them.

    Attributes
    ----------
    graph : one binary variable per candidate arc, a tree factor, and factors with the scores of larger parts; where
        parts are paths or non-projective arcs, then come variables that follow from the arcs
    heads, modifiers : the candidate arcs, shape (arcs,)
    scores : of the variables, shape (variables,): arcs with their best labels, then what follows from them
    constant : score of the parts that all trees have in common
    """

    graph: FactorGraph
    heads: npt.NDArray[np.int32]
    modifiers: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]
    constant: float

    def solve(self, method: Method) -> Result:
        """Solve the graph with any method of `ramify.inference`; the value does not include the constant."""
        result: Result = self.graph.solve(method, self.scores)
        return result

    @classmethod
    def of(cls, problem: _core.SentenceProblem) -> ParseGraph:
        """Take over what C++ made of a sentence."""
        graph = FactorGraph.adopt(problem.graph, problem.part_scores())
        return cls(graph, problem.heads(), problem.modifiers(), problem.scores(), problem.constant)
