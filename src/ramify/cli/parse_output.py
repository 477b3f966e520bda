"""What ``ramify parse`` writes besides heads and labels: probabilities, further trees, reports of failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ramify.data.ranks import ranks_of_scores, set_rank
from ramify.errors import InvalidInputError
from ramify.parsing import ParseStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from ramify.data import Sentence
    from ramify.data.ranks import TreeRank
    from ramify.parsing import ParseResult

__all__ = ["RankedTree", "describe_failure", "keeping_ranks", "ranked", "with_probabilities"]

_OURS = ("ArcProb=", "HeadProbs=")


@dataclass(frozen=True)
class RankedTree:
    """One of the k best trees of a sentence, as a result that can be drawn.

    Attributes
    ----------
    sentence : with this tree
    marginals : probabilities of arcs, if they are known
    rank : place among the k trees
    """

    sentence: Sentence
    marginals: npt.NDArray[np.float64] | None
    rank: TreeRank


def ranked(results: Iterable[ParseResult]) -> Iterator[ParseResult | RankedTree]:
    """Yield every one of the k best trees, with its rank; results that have no more than one as they are."""
    for result in results:
        trees = result.k_best
        if not trees:
            yield result
            continue
        for tree, rank in zip(trees, ranks_of_scores([tree.value for tree in trees]), strict=True):
            sentence = result.sentence.copy()
            sentence.heads = tree.heads
            sentence.deprels = tree.labels
            set_rank(sentence, rank)
            yield RankedTree(sentence, result.marginals, rank)


def keeping_ranks(results: Iterable[ParseResult | RankedTree]) -> Iterator[ParseResult | RankedTree]:
    """Yield trees that are written to a treebank; ranks go into comments, which CoNLL-X does not have."""
    for result in results:
        if isinstance(result, RankedTree) and result.sentence.format != "conllu":
            raise InvalidInputError(
                "--k-best writes ranks into comments, which CoNLL-X does not have; convert the input to CoNLL-U first "
                "(ramify convert IN OUT.conllu), or choose another --format."
            )
        yield result


def with_probabilities(
    results: Iterable[ParseResult | RankedTree], top: int, least: float | None
) -> Iterator[ParseResult | RankedTree]:
    """Put the probability of each arc into MISC (``ArcProb=``), and those of likely heads (``HeadProbs=``).

    Parameters
    ----------
    results : with marginals; their sentences are changed
    top : how many heads for each word, most probable first; 0 is none
    least : all heads that have at least this probability; None is none
    """
    for result in results:
        if result.marginals is not None:
            _write_probabilities(result.sentence, result.marginals, top, least)
        yield result


def _write_probabilities(sentence: Sentence, dense: npt.NDArray[np.float64], top: int, least: float | None) -> None:
    if sentence.format != "conllu":
        raise InvalidInputError(
            "Probabilities are written to column MISC, which CoNLL-X does not have; convert the input to CoNLL-U first "
            "(ramify convert IN OUT.conllu), or choose another --format."
        )
    misc = []
    for word, (old, head) in enumerate(zip(sentence.misc, sentence.heads.tolist(), strict=True), 1):
        items = [] if old == "_" else [item for item in old.split("|") if not item.startswith(_OURS)]
        column = dense[:, word]
        items.append(f"ArcProb={column[head]:.4f}")
        best = np.argsort(-column, kind="stable").tolist()
        shown = [
            h for i, h in enumerate(best) if column[h] > 0 and (i < top or (least is not None and column[h] >= least))
        ]
        if shown:
            items.append("HeadProbs=" + ",".join(f"{h}:{column[h]:.4f}" for h in shown))
        misc.append("|".join(items))
    sentence.misc = misc


def describe_failure(result: ParseResult, number: int) -> str:
    """Say why a sentence has no tree; `number` is its place in the input."""
    name = result.sentence.sent_id
    where = f"sentence {number}" + (f" ({name})" if name else "")
    if result.status is ParseStatus.TOO_LONG:
        return f"{where}: {len(result.sentence):,} words are too many, no tree; see --max-words"
    conflict = "; ".join(map(str, result.conflict)) or "no tree is left after pruning"
    return f"{where}: no tree satisfies all constraints; these contradict one another: {conflict}"
