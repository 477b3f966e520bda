"""The factor graph that a sentence becomes, for any inference method and for a look inside."""

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
    constant : what every tree scores besides: parts that leave no choice
    """

    graph: FactorGraph
    heads: npt.NDArray[np.int32]
    modifiers: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]
    constant: float

    def solve(self, method: Method) -> Result:
        """Solve it with any method of `ramify.inference`; its value lacks the constant."""
        result: Result = self.graph.solve(method, self.scores)
        return result

    @classmethod
    def of(cls, problem: _core.SentenceProblem) -> ParseGraph:
        """Take over what C++ made of a sentence."""
        graph = FactorGraph.adopt(problem.graph, problem.part_scores())
        return cls(graph, problem.heads(), problem.modifiers(), problem.scores(), problem.constant)
