"""Chunks and entities in label sequences: precision, recall and F1 by the rules of conlleval.

The rules of that scorer of the CoNLL chunking and entity tasks take any mix of IOB1, IOB2 and BIOES, and find
chunks in ill-formed sequences too: a chunk ends where its type changes, whatever the prefixes say. The first
conlleval knew no ``S``, and did not part ``E`` from a ``B`` of the same type; here ``E`` and ``S`` close their
chunk, as they do in the schemes that have them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.data import LabelScheme, Span, encode_spans, find_spans
from ramify.errors import InvalidInputError
from ramify.evaluation.score import Score
from ramify.options import Choice, check_argument

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ramify.evaluation.corpus import IntArray

__all__ = ["ChunkScores", "chunk_counts", "chunk_scores", "label_scores"]


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
    gold_labels: Sequence[Sequence[str]],
    predicted_labels: Sequence[Sequence[str]],
    *,
    strict: LabelScheme | str | None = None,
) -> ChunkScores:
    """Score the chunks of predicted label sequences.

    Parameters
    ----------
    gold_labels, predicted_labels : one sequence of labels (``B-PER``, ``O``) per sentence
    strict : count only chunks that are well-formed in this scheme; None takes all, as conlleval does

    Examples
    --------
    >>> scores = chunk_scores([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "I-ORG"]])
    >>> scores.overall.f1, scores.accuracy
    (0.5, 0.75)
    """
    correct, gold_total, predicted_total = Counter[str](), Counter[str](), Counter[str]()
    num_words = words_correct = 0
    for ours, theirs in _pairs(gold_labels, predicted_labels):
        our_chunks, their_chunks = _chunks(ours, strict), _chunks(theirs, strict)
        correct.update(chunk.type for chunk in our_chunks & their_chunks)
        gold_total.update(chunk.type for chunk in our_chunks)
        predicted_total.update(chunk.type for chunk in their_chunks)
        num_words += len(ours)
        words_correct += sum(a == b for a, b in zip(ours, theirs, strict=True))
    by_type = {
        name: Score(correct[name], gold_total[name], predicted_total[name])
        for name in sorted(gold_total | predicted_total)
    }
    overall = Score(correct.total(), gold_total.total(), predicted_total.total())
    return ChunkScores(overall, by_type, num_words, words_correct)


def label_scores(gold_labels: Sequence[Sequence[str]], predicted_labels: Sequence[Sequence[str]]) -> ChunkScores:
    """Score labels that mark no spans, such as tags: every word is a chunk of its own, and its label is the type.

    Parameters
    ----------
    gold_labels, predicted_labels : one sequence of labels per sentence

    Examples
    --------
    >>> scores = label_scores([["DET", "NOUN", "VERB"]], [["DET", "NOUN", "NOUN"]])
    >>> scores.by_type["NOUN"].precision, round(scores.accuracy, 2)
    (0.5, 0.67)
    """

    def alone(labels: Sequence[Sequence[str]]) -> list[list[str]]:
        return [[f"S-{label}" for label in sequence] for sequence in labels]

    return chunk_scores(alone(gold_labels), alone(predicted_labels))


def chunk_counts(
    gold_labels: Sequence[Sequence[str]],
    predicted_labels: Sequence[Sequence[str]],
    *,
    strict: LabelScheme | str | None = None,
) -> IntArray:
    """Count chunks for each sentence, for `compare_counts`.

    Returns
    -------
    (S, 3) array of correct, gold total and predicted total
    """
    rows = []
    for ours, theirs in _pairs(gold_labels, predicted_labels):
        our_chunks, their_chunks = _chunks(ours, strict), _chunks(theirs, strict)
        rows.append((len(our_chunks & their_chunks), len(our_chunks), len(their_chunks)))
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _chunks(labels: Sequence[str], strict: LabelScheme | str | None) -> set[Span]:
    """Find chunks; if strict, those only whose labels are what the scheme would write for them."""
    spans = find_spans(labels)
    if strict is None:
        return set(spans)
    written = encode_spans(spans, len(labels), check_argument("Chunk scores", "strict", Choice(LabelScheme), strict))
    return {span for span in spans if list(labels[span.start : span.end]) == written[span.start : span.end]}


def _pairs(
    gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]
) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    if len(gold) != len(predicted):
        raise InvalidInputError(
            f"Chunk scores need the same sentences; gold has {len(gold)}, the prediction {len(predicted)}."
        )
    lengths = ((len(ours), len(theirs)) for ours, theirs in zip(gold, predicted, strict=True))
    for number, (mine, other) in enumerate(lengths, 1):
        if mine != other:
            raise InvalidInputError(
                f"Chunk scores need one label per word; sentence {number} has {mine} gold labels and "
                f"{other} predicted ones."
            )
    return zip(gold, predicted, strict=True)
