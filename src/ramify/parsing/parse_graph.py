"""The factor graph that a sentence becomes, for any inference method and for a look inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify import factors
from ramify.graph import FactorGraph

if TYPE_CHECKING:
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
    def of(cls, facts: _core.ProblemFacts, num_words: int, single_root: bool) -> ParseGraph:
        """Build the graph from the core's description of it."""
        heads, modifiers = facts.heads(), facts.modifiers()
        graph = FactorGraph()
        scores = np.concatenate([facts.arc_scores(), facts.extra_scores()])
        variables = graph.add_variables(len(scores))
        begin = 0
        for group in range(facts.num_groups):
            slots, parts = facts.slots(group), facts.parts(group)
            part_scores = facts.part_scores()[begin : begin + parts[-1]]
            begin += int(parts[-1])
            rows = np.split(variables[facts.variables(group)], slots[1:-1])
            tables = np.split(part_scores, parts[1:-1])
            _add(
                graph,
                facts.family(group),
                rows,
                tables,
                facts.counts(group),
                (heads, modifiers, num_words, single_root),
            )
        return cls(graph, heads, modifiers, scores, facts.constant)


def _add(graph: FactorGraph, family: str, rows: Any, tables: Any, counts: Any, tree: Any) -> None:
    if family in ("Tree", "ProjectiveTree"):
        heads, modifiers, num_words, single_root = tree
        make = getattr(factors, family)
        graph.add(make(rows[0], heads, modifiers, num_words, single_root=single_root))
    elif family in ("GrandSiblings", "GrandTriSiblings"):
        incoming = [row[:count] for row, count in zip(rows, counts, strict=True)]
        arcs = [row[count:] for row, count in zip(rows, counts, strict=True)]
        graph.add(getattr(factors, family)(incoming, arcs, tables))
    elif family == "Pair":
        graph.add(factors.Pair([row[0] for row in rows], [row[1] for row in rows], np.concatenate(tables)))
    elif family in ("ExactlyOne", "AtMostOne", "XorOut", "OrOut", "AndOut", "Imply"):
        graph.add(getattr(factors, family)(rows))
    elif family == "NoCross":
        graph.add(_crossings(rows, tables, counts, *tree[:2]))
    elif family == "HeadBigram":
        graph.add(factors.HeadBigram(np.split(rows[0], np.cumsum(counts)[:-1]), tables[0]))
    else:
        graph.add(getattr(factors, family)(rows, tables))


def _crossings(rows: Any, tables: Any, counts: Any, heads: Any, modifiers: Any) -> factors.NoCross:
    first = [row[:count] for row, count in zip(rows, counts, strict=True)]
    second = [row[count:] for row, count in zip(rows, counts, strict=True)]
    return factors.NoCross(
        first,
        [heads[row] for row in first],
        np.array([modifiers[row[0]] for row in first]),
        second,
        [heads[row] for row in second],
        np.array([modifiers[row[0]] for row in second]),
        np.concatenate(tables),
    )
