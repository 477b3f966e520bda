"""Belief propagation against dynamic programs on projective models: seconds by length, and search error."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.factors import ConsecutiveSiblings, Pair, ProjectiveTree
from ramify.inference import BeliefPropagation
from ramify.reproduce.trials import UNPRUNED
from ramify.trees import projective
from ramify.trees.projective import GrandparentParts, GrandSiblingParts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ramify.data import Sentence
    from ramify.parsing import Parser
    from ramify.parsing.parse_graph import ParseGraph

__all__ = ["ITERATIONS", "LENGTHS", "exponent", "folded_parts", "search_by_length"]

ITERATIONS = (1, 2, 3, 5, 10)
LENGTHS = ((1, 10), (11, 20), (21, 30), (31, 40))
_NUM_EACH = 10  # sentences of each length
_TOLERANCE = 1e-3  # as in the parser


@dataclass(frozen=True, eq=False)
class _FoldedGrand(GrandparentParts):
    """Scores of arcs are in the larger parts already: what is timed is the program alone."""

    def _fold(self) -> NDArray[np.float64]:
        return np.asarray(self.grand)


@dataclass(frozen=True, eq=False)
class _FoldedGrandSibling(GrandSiblingParts):
    """Likewise."""

    def _fold(self) -> NDArray[np.float64]:
        return np.asarray(self.grandsib)


def folded_parts(graph: ParseGraph) -> tuple[GrandparentParts | GrandSiblingParts, float]:
    """Return the table of the dynamic program for a graph with grandparents, and siblings or not.

    The second number is what every tree scores besides in the graph's factors.
    """
    size = int(graph.modifiers.max()) + 1
    arc = np.full((size, size), -np.inf)
    arc[graph.heads, graph.modifiers] = graph.scores
    grand = np.zeros((size, size, size))
    sibling = np.full((size, size, size), -np.inf)
    constant = 0.0
    siblings = False
    for factor in graph.graph.factors:
        if isinstance(factor, Pair):
            first, second = np.asarray(factor.variables).reshape(-1, 2).T
            # The arc into the head comes first or last.
            swapped = graph.modifiers[first] != graph.heads[second]
            above, below = np.where(swapped, second, first), np.where(swapped, first, second)
            grand[graph.heads[above], graph.heads[below], graph.modifiers[below]] = factor.scores
        elif isinstance(factor, ConsecutiveSiblings):
            siblings = True
            constant += _add_siblings(graph, factor, sibling)
    if not siblings:
        return _FoldedGrand(arc, grand + arc), constant
    table = sibling + np.where(np.eye(size, dtype=bool), 0.0, arc)[:, None, :]
    stops = np.where(np.eye(size, dtype=bool), 0.0, grand)  # [g, h, h] is no grandparent but a last modifier
    return _FoldedGrandSibling(arc, table[None] + stops[:, :, None, :]), constant


def _add_siblings(graph: ParseGraph, factor: ConsecutiveSiblings, sibling: NDArray[np.float64]) -> float:
    """Fill in the scores of neighbours; returns what sides without modifiers score, which the others take back."""
    constant = 0.0
    scores = np.split(factor.scores, factor.part_offsets[1:-1])
    for arcs, own in zip(np.split(factor.variables, factor.slot_offsets[1:-1]), scores, strict=True):
        head = int(graph.heads[arcs[0]])
        words = [head, *(int(m) for m in graph.modifiers[arcs]), head]
        table = np.full((len(words), len(words)), -np.inf)
        table[np.triu_indices(len(words), 1)] = own
        none = table[0, -1]
        constant += none
        for i, s in enumerate(words[:-1]):
            for j in range(i + 1, len(words)):
                if i > 0 or j < len(words) - 1:
                    sibling[head, s, words[j]] = table[i, j] - (none if i == 0 else 0.0)
    return constant


def search_by_length(parser: Parser, sentences: list[Sentence]) -> dict[str, Any]:
    """Measure some sentences of every length, with all candidates and with those that the pruner leaves."""
    chosen = [
        sentence
        for low, high in LENGTHS
        for sentence in [s for s in sentences if low <= len(s) <= high][:_NUM_EACH]
    ]
    unpruned = parser.with_options(UNPRUNED)
    return {
        "all candidates": [_measure(unpruned, sentence) for sentence in chosen],
        "pruned": [_measure(parser, sentence) for sentence in chosen],
    }


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the processor, the least of three runs, and the answer."""
    seconds = []
    for _ in range(3):
        began = time.process_time()
        answer = work()
        seconds.append(time.process_time() - began)
    return min(seconds), answer


def _measure(parser: Parser, sentence: Sentence) -> dict[str, Any]:
    graph = parser.factor_graph(sentence, loose=True)
    single_root = next(f.single_root for f in graph.graph.factors if isinstance(f, ProjectiveTree))
    parts, constant = folded_parts(graph)
    problem = graph.graph.problem(graph.scores)
    viterbi, (_, best) = _timed(lambda: projective.max_arborescence(parts, single_root=single_root))

    def likely(marginals: NDArray[np.float64]) -> NDArray[np.int32]:
        dense = np.full((len(sentence) + 1, len(sentence) + 1), -np.inf)
        dense[graph.heads, graph.modifiers] = marginals
        return projective.max_arborescence(dense, single_root=single_root)[0]

    def exact() -> NDArray[np.int32]:
        marginals, _ = projective.marginals(parts, single_root=single_root)
        return likely(np.asarray(marginals.arc)[graph.heads, graph.modifiers])

    def propagate(iterations: int) -> NDArray[np.int32]:
        method = BeliefPropagation(max_iterations=iterations, tolerance=_TOLERANCE)
        return likely(method.solve(problem).marginals)

    seconds, true = _timed(exact)

    def gap(heads: NDArray[np.int32]) -> float:
        on = (graph.heads == heads[graph.modifiers]).astype(np.int32)
        return float(best + constant - problem.value(on))

    out: dict[str, Any] = {"words": len(sentence), "Viterbi": viterbi, "MBR": [seconds, gap(true), 0]}
    for iterations in ITERATIONS:
        seconds, heads = _timed(lambda: propagate(iterations))  # noqa: B023 - called at once
        out[str(iterations)] = [seconds, gap(heads), int((heads != true).sum())]
    return out


def exponent(words: Sequence[int], seconds: Sequence[float]) -> float:
    """Return k of the fit seconds ∝ words^k, over sentences of more than ten words: shorter ones are all start-up."""
    long = np.asarray(words) > 10
    logs = np.log(np.asarray(words)[long]), np.log(np.asarray(seconds)[long])
    return float(np.polyfit(*logs, 1)[0])
