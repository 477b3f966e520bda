"""What ``ramify parse`` writes besides heads and labels: probabilities, further trees, reports of failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ramify.errors import InvalidInputError
from ramify.parsing import ParseStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ramify.data import Sentence
    from ramify.parsing import ParseResult

__all__ = ["describe_failure", "expand_k_best", "write_probabilities"]

_OURS = ("ArcProb=", "HeadProbs=")


def write_probabilities(result: ParseResult, top: int) -> None:
    """Put the probability of each arc into MISC (``ArcProb=``), and those of the most likely heads (``HeadProbs=``).

    Parameters
    ----------
    result : with marginals; its sentence is changed
    top : how many heads a word; 0 is none
    """
    sentence, dense = result.sentence, result.marginals
    if dense is None:
        return
    if sentence.format != "conllu":
        raise InvalidInputError("--marginals writes to column MISC, which CoNLL-X does not have; convert to CoNLL-U.")
    misc = []
    for word, (old, head) in enumerate(zip(sentence.misc, sentence.heads.tolist(), strict=True), 1):
        items = [] if old == "_" else [item for item in old.split("|") if not item.startswith(_OURS)]
        items.append(f"ArcProb={dense[head, word]:.4f}")
        if top:
            best = np.argsort(-dense[:, word], kind="stable")[:top]
            items.append(
                "HeadProbs=" + ",".join(f"{h}:{dense[h, word]:.4f}" for h in best.tolist() if dense[h, word] > 0)
            )
        misc.append("|".join(items))
    sentence.misc = misc


def expand_k_best(results: Iterable[ParseResult]) -> Iterator[Sentence]:
    """Yield every one of the k best trees as a sentence, with its rank and score as comments."""
    for result in results:
        if not result.k_best:
            yield result.sentence
        for rank, tree in enumerate(result.k_best, 1):
            sentence = result.sentence.copy()
            sentence.heads = tree.heads
            sentence.deprels = tree.labels
            if sentence.format == "conllu":
                sentence.set_metadata("tree_rank", str(rank))
                sentence.set_metadata("tree_score", f"{tree.value:.6f}")
            yield sentence


def describe_failure(result: ParseResult, number: int) -> str:
    """Say why a sentence has no tree; `number` is its place in the input."""
    name = result.sentence.sent_id
    where = f"sentence {number}" + (f" ({name})" if name else "")
    if result.status is ParseStatus.TOO_LONG:
        return f"{where}: {len(result.sentence):,} words are too many, no tree; see --max-words"
    conflict = "; ".join(map(str, result.conflict)) or "no tree is left after pruning"
    return f"{where}: no tree satisfies all constraints; these contradict one another: {conflict}"
