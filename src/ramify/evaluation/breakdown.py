"""Where a parser is right and where it is wrong: precision and recall of arcs, by kind of arc."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from ramify.derived import Derived
from ramify.evaluation.alignment import align, sentences_of
from ramify.evaluation.conll18 import arcs_found, universal_label
from ramify.evaluation.corpus import load
from ramify.evaluation.nonprojective import nonprojective_words
from ramify.evaluation.score import ratio, share
from ramify.options import Choice, check_argument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify.evaluation.corpus import Corpus, IntArray, Treebank

__all__ = ["ArcScore", "Dimension", "breakdown"]

_ARC_LENGTHS = ("root", "1", "2", "3-6", "7+")
_SENTENCE_LENGTHS = ("1-10", "11-20", "21-30", "31-40", "41-50", "51+")


class Dimension(str, Enum):
    """What arcs are sorted by."""

    LABEL = "label"
    """Their label."""
    ARC_LENGTH = "arc-length"
    """Words from head to modifier: root, 1, 2, 3-6, 7+."""
    DIRECTION = "direction"
    """Where the head is: root, left or right of the modifier."""
    LENGTH = "length"
    """Words of the gold sentence, in tens."""
    UPOS = "upos"
    """UPOS of the modifier; the gold one where the word is aligned."""
    NONPROJECTIVE = "nonprojective"
    """Whether some word between head and modifier does not descend from the head."""


@dataclass(frozen=True)
class ArcScore:
    """Precision and recall of the arcs of one kind.

    An arc can be right and yet of one kind in the gold tree and of another in the system's (longer, because a
    token between was split), so the right ones are counted on both sides.

    Attributes
    ----------
    gold_correct, gold_total : gold arcs of this kind that the system has, and all of them
    system_correct, system_total : system arcs of this kind that gold has, and all of them
    """

    gold_correct: int
    gold_total: int
    system_correct: int
    system_total: int

    precision = ratio("system_correct", "system_total", "Share of the system's arcs of this kind that are right.")
    recall = ratio("gold_correct", "gold_total", "Share of gold's arcs of this kind that the system has.")
    f1 = Derived[float](
        lambda score: share(2 * score.precision * score.recall, score.precision + score.recall),
        "Harmonic mean of precision and recall.",
    )

    def to_dict(self) -> dict[str, float | int]:
        """Return counts and figures as plain numbers, for JSON."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "gold_correct": self.gold_correct,
            "gold_total": self.gold_total,
            "system_correct": self.system_correct,
            "system_total": self.system_total,
        }


def breakdown(
    gold: Treebank,
    system: Treebank,
    by: Dimension | str,
    *,
    labelled: bool = True,
    subtypes: bool = False,
) -> dict[str, ArcScore]:
    """Score arcs of different kinds apart.

    Parameters
    ----------
    gold, system : paths, open files or iterables of sentences
        The same text; words may be cut differently.
    by : what arcs are sorted by
    labelled : whether an arc must have the right label to be right
    subtypes : whether ``nsubj:pass`` and ``nsubj`` are different labels

    Returns
    -------
    dict of kind to score
        Labels and tags by falling number of gold arcs; lengths from short to long. Kinds that occur
        on neither side are left out.

    Examples
    --------
    >>> files = "tests/data/evaluation/gold.conllu", "tests/data/evaluation/parser.conllu"
    >>> list(breakdown(*files, by="direction"))
    ['root', 'left', 'right']
    """
    dimension = check_argument("breakdown", "by", Choice(Dimension), by)
    ours, theirs = load(gold, "gold"), load(system, "system")
    gold_words, system_words = align(ours, theirs)
    heads, arcs = arcs_found(ours, theirs, gold_words, system_words, subtypes=subtypes)
    right = arcs if labelled else heads
    if dimension is Dimension.LENGTH:
        lengths = np.diff(ours.first_word)
        gold_kinds = _sentence_lengths(lengths[ours.sentence_of_word])
        system_kinds = _sentence_lengths(lengths[sentences_of(theirs.word_start, ours)])
    else:
        gold_kinds, system_kinds = (_kinds(side, dimension, subtypes=subtypes) for side in (ours, theirs))
    if dimension is Dimension.UPOS:
        for g, s in zip(gold_words.tolist(), system_words.tolist(), strict=True):
            system_kinds[s] = gold_kinds[g]
    tables = [
        _count(gold_kinds, gold_words[right]),
        _count(gold_kinds, np.flatnonzero(ours.heads >= 0)),
        _count(system_kinds, system_words[right]),
        _count(system_kinds, np.flatnonzero(theirs.heads >= 0)),
    ]
    kinds = _ordered(dimension, tables[1], tables[3])
    return {kind: ArcScore(*(table.get(kind, 0) for table in tables)) for kind in kinds}


def _kinds(corpus: Corpus, dimension: Dimension, *, subtypes: bool) -> list[str]:
    """Name the kind of every word's arc; N names."""
    if dimension is Dimension.LABEL:
        return list(corpus.deprels) if subtypes else [universal_label(label) for label in corpus.deprels]
    if dimension is Dimension.UPOS:
        return list(corpus.upos)
    if dimension is Dimension.NONPROJECTIVE:
        return ["nonprojective" if crossed else "projective" for crossed in nonprojective_words(corpus).tolist()]
    word_id = corpus.word_id
    if dimension is Dimension.DIRECTION:
        names = np.where(corpus.heads <= 0, "root", np.where(corpus.heads < word_id, "left", "right"))
        return [str(name) for name in names]
    length = np.where(corpus.heads > 0, np.abs(word_id - corpus.heads), 0)
    return [_ARC_LENGTHS[index] for index in np.searchsorted([0, 1, 2, 6], length).tolist()]


def _sentence_lengths(lengths: IntArray) -> list[str]:
    return [_SENTENCE_LENGTHS[index] for index in np.searchsorted([10, 20, 30, 40, 50], lengths).tolist()]


def _count(kinds: list[str], words: IntArray) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words.tolist():
        counts[kinds[word]] = counts.get(kinds[word], 0) + 1
    return counts


def _ordered(dimension: Dimension, gold_totals: dict[str, int], system_totals: dict[str, int]) -> list[str]:
    found = gold_totals.keys() | system_totals.keys()
    fixed: dict[Dimension, Sequence[str]] = {
        Dimension.ARC_LENGTH: _ARC_LENGTHS,
        Dimension.LENGTH: _SENTENCE_LENGTHS,
        Dimension.DIRECTION: ("root", "left", "right"),
        Dimension.NONPROJECTIVE: ("projective", "nonprojective"),
    }
    if dimension in fixed:
        return [kind for kind in fixed[dimension] if kind in found]
    return sorted(found, key=lambda kind: (-gold_totals.get(kind, 0), kind))
