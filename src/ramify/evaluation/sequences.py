"""Chunks and entities in label sequences: precision, recall and F1 by the rules of conlleval.

The rules of that scorer of the CoNLL chunking and entity tasks take any mix of IOB1, IOB2 and BIOES, and find
chunks in ill-formed sequences too: a chunk ends where its type changes, whatever the prefixes say. The first
conlleval knew no ``S``, and did not part ``E`` from a ``B`` of the same type; here ``E`` and ``S`` close
their chunk, as they do in the schemes that have them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError
from ramify.evaluation.score import Score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify.evaluation.corpus import IntArray

__all__ = ["Chunk", "ChunkScores", "Scheme", "chunk_counts", "chunk_scores", "find_chunks"]


class Scheme(str, Enum):
    """How chunks are written as labels."""

    IOB1 = "iob1"
    """``I`` inside; ``B`` only where a chunk follows another of its type."""
    IOB2 = "iob2"
    """``B`` begins every chunk."""
    BIOES = "bioes"
    """``B``, ``I``, ``E`` for chunks of several words, ``S`` for those of one."""


@dataclass(frozen=True, order=True)
class Chunk:
    """Words ``first`` to ``last`` (from 0, both included) of one type."""

    first: int
    last: int
    type: str


@dataclass(frozen=True)
class ChunkScores:
    """Scores of chunks, over all types and for each.

    Attributes
    ----------
    overall : all chunks; a chunk is right if its first word, last word and type are
    by_type : type to score, in alphabetical order
    num_words, words_correct : words, and those whose whole label is right
    """

    overall: Score
    by_type: dict[str, Score]
    num_words: int
    words_correct: int

    @property
    def accuracy(self) -> float:
        """Share of words with the right label, ``O`` included."""
        return self.words_correct / self.num_words if self.num_words else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as plain numbers, for JSON."""
        return {
            "accuracy": self.accuracy,
            "num_words": self.num_words,
            "overall": self.overall.to_dict(),
            "by_type": {name: score.to_dict() for name, score in self.by_type.items()},
        }


def chunk_scores(
    gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], *, strict: Scheme | str | None = None
) -> ChunkScores:
    """Score the chunks of predicted label sequences.

    Parameters
    ----------
    gold, predicted : one sequence of labels (``B-PER``, ``O``) per sentence
    strict : count only chunks that are well-formed in this scheme; None takes all, as conlleval does

    Examples
    --------
    >>> scores = chunk_scores([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "I-ORG"]])
    >>> scores.overall.f1, scores.accuracy
    (0.5, 0.75)
    """
    totals = {kind: Counter[str]() for kind in ("correct", "gold", "predicted")}
    num_words = words_correct = 0
    for ours, theirs in _pairs(gold, predicted):
        our_chunks, their_chunks = (
            set(find_chunks(ours, strict=strict)),
            set(find_chunks(theirs, strict=strict)),
        )
        totals["gold"].update(chunk.type for chunk in our_chunks)
        totals["predicted"].update(chunk.type for chunk in their_chunks)
        totals["correct"].update(chunk.type for chunk in our_chunks & their_chunks)
        num_words += len(ours)
        words_correct += sum(a == b for a, b in zip(ours, theirs, strict=True))
    types = sorted(totals["gold"] | totals["predicted"])
    by_type = {name: Score(totals["correct"][name], totals["gold"][name], totals["predicted"][name]) for name in types}
    overall = Score(*(sum(totals[kind].values()) for kind in ("correct", "gold", "predicted")))
    return ChunkScores(overall, by_type, num_words, words_correct)


def chunk_counts(
    gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], *, strict: Scheme | str | None = None
) -> IntArray:
    """Count chunks for each sentence, for `compare_counts`.

    Returns
    -------
    (S, 3) array of correct, gold total and predicted total
    """
    rows = []
    for ours, theirs in _pairs(gold, predicted):
        our_chunks, their_chunks = (
            set(find_chunks(ours, strict=strict)),
            set(find_chunks(theirs, strict=strict)),
        )
        rows.append((len(our_chunks & their_chunks), len(our_chunks), len(their_chunks)))
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def find_chunks(labels: Sequence[str], *, strict: Scheme | str | None = None) -> list[Chunk]:
    """Find the chunks of one sequence, from left to right.

    Examples
    --------
    >>> find_chunks(["I-PER", "B-PER"])
    [Chunk(first=0, last=0, type='PER'), Chunk(first=1, last=1, type='PER')]
    >>> find_chunks(["I-PER", "B-PER"], strict="iob2")
    [Chunk(first=1, last=1, type='PER')]
    """
    chunks = []
    parsed = [_parse(label) for label in labels]
    first = 0
    before = ("O", "")
    for position, (prefix, kind) in enumerate([*parsed, ("O", "")]):
        if before[0] != "O" and _parts(before, (prefix, kind)):
            chunks.append(Chunk(first, position - 1, before[1]))
            first = position
        elif before[0] == "O":
            first = position
        before = (prefix, kind)
    if strict is None:
        return chunks
    scheme = Scheme(strict)
    return [chunk for chunk in chunks if _well_formed(parsed, chunk, scheme)]


def _parts(before: tuple[str, str], here: tuple[str, str]) -> bool:
    """Say whether the chunk that the word before is in ends with that word."""
    return before[0] in "ES" or here[0] in "BSO" or before[1] != here[1]


def _well_formed(parsed: Sequence[tuple[str, str]], chunk: Chunk, scheme: Scheme) -> bool:
    """Say whether a chunk has the prefixes that the scheme would write for it."""
    prefixes = "".join(prefix for prefix, _ in parsed[chunk.first : chunk.last + 1])
    inside = len(prefixes) - 1
    if scheme is Scheme.IOB2:
        return prefixes == "B" + "I" * inside
    if scheme is Scheme.BIOES:
        return prefixes == ("B" + "I" * (inside - 1) + "E" if inside else "S")
    neighbour = chunk.first > 0 and parsed[chunk.first - 1][0] != "O" and parsed[chunk.first - 1][1] == chunk.type
    return prefixes == ("B" if neighbour else "I") + "I" * inside


def _parse(label: str) -> tuple[str, str]:
    prefix, _, kind = label.partition("-")
    if prefix == "O" and not kind:
        return "O", ""
    if prefix not in ("B", "I", "E", "S"):
        raise InvalidInputError(
            f"Chunk labels are O, or B, I, E or S with a type, like B-PER; got {label!r}. "
            "Choose the column that holds such labels."
        )
    return prefix, kind


def _pairs(
    gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]
) -> list[tuple[Sequence[str], Sequence[str]]]:
    if len(gold) != len(predicted):
        raise InvalidInputError(
            f"Chunk scores need the same sentences; gold has {len(gold)}, the prediction {len(predicted)}."
        )
    for number, (ours, theirs) in enumerate(zip(gold, predicted, strict=True), 1):
        if len(ours) != len(theirs):
            raise InvalidInputError(
                f"Chunk scores need one label per word; sentence {number} has {len(ours)} gold labels and "
                f"{len(theirs)} predicted ones."
            )
    return list(zip(gold, predicted, strict=True))
