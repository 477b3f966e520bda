"""How well a text is segmented: the first three of the CoNLL 2018 metrics, which need no trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ramify.evaluation.alignment import align
from ramify.evaluation.corpus import load
from ramify.evaluation.score import Score

if TYPE_CHECKING:
    from ramify.evaluation.corpus import IntArray, Treebank

__all__ = ["SegmentationScores", "score_segmentation"]


class SegmentationScores(NamedTuple):
    """Precision, recall and F1 of tokens, sentences and words, by the characters that they cover."""

    tokens: Score
    sentences: Score
    words: Score


def score_segmentation(gold: Treebank, system: Treebank) -> SegmentationScores:
    """Score sentences, tokens and words; the figures are those of `ramify.evaluation.evaluate`.

    Parameters
    ----------
    gold, system : paths, open files or iterables of sentences; the same text, heads are not needed

    Examples
    --------
    >>> scores = score_segmentation("tests/data/evaluation/gold.conllu", "tests/data/evaluation/pipeline.conllu")
    >>> scores.tokens.f1 >= scores.words.f1
    True
    """
    ours, theirs = load(gold, "gold"), load(system, "system")
    aligned = len(align(ours, theirs)[0])
    return SegmentationScores(
        tokens=_spans(ours.token_start, ours.token_end, theirs.token_start, theirs.token_end),
        sentences=_spans(ours.sentence_start, ours.sentence_end, theirs.sentence_start, theirs.sentence_end),
        words=Score(aligned, ours.num_words, theirs.num_words, None),
    )


def _spans(gold_start: IntArray, gold_end: IntArray, start: IntArray, end: IntArray) -> Score:
    gold = set(zip(gold_start.tolist(), gold_end.tolist(), strict=True))
    system = set(zip(start.tolist(), end.tolist(), strict=True))
    return Score(len(gold & system), len(gold_start), len(start), None)
