"""Attachment scores of trees over the same words, as in the CoNLL-X shared task."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from ramify.errors import InvalidInputError
from ramify.evaluation.conll18 import universal_label
from ramify.evaluation.corpus import Corpus, load
from ramify.evaluation.score import ratio
from ramify.options import Choice, check_argument

if TYPE_CHECKING:
    from ramify.evaluation.corpus import BoolArray, IntArray, Treebank

__all__ = ["AttachmentScores", "Punctuation", "attachment_counts", "attachment_scores", "check_same_words"]

_REMEDY = "Use the CoNLL 2018 metrics, which align words, where tokenization differs."


class Punctuation(str, Enum):
    """Which words count."""

    COUNT = "count"
    """All of them."""
    SKIP_FORM = "skip-form"
    """Those whose gold form is not made of Unicode punctuation only: the rule of the CoNLL-X scorer."""
    SKIP_UPOS = "skip-upos"
    """Those whose gold UPOS is not ``PUNCT``."""


@dataclass(frozen=True)
class AttachmentScores:
    """Right heads, labels and trees, as counts and as shares.

    Attributes
    ----------
    num_words, num_sentences : words that count, and all sentences
    heads, labels, arcs : words with the right head, with the right label, with both
    exact_heads, exact_arcs : sentences in which every counted word has the right head; head and label
    roots : sentences whose root words are exactly those of gold, punctuation or not
    """

    num_words: int
    num_sentences: int
    heads: int
    labels: int
    arcs: int
    exact_heads: int
    exact_arcs: int
    roots: int

    uas = ratio("heads", "num_words", "Unlabelled attachment score: share of words with the right head.")
    las = ratio("arcs", "num_words", "Labelled attachment score: share of words with the right head and label.")
    label_accuracy = ratio("labels", "num_words", "Share of words with the right label, whatever their head.")
    unlabelled_exact_match = ratio("exact_heads", "num_sentences", "Share of sentences without a wrong head.")
    labelled_exact_match = ratio("exact_arcs", "num_sentences", "Share of sentences without a wrong head or label.")
    root_accuracy = ratio("roots", "num_sentences", "Share of sentences with the right root words.")

    def to_dict(self) -> dict[str, float | int]:
        """Return shares and totals as plain numbers, for JSON."""
        shares = ("uas", "las", "label_accuracy", "unlabelled_exact_match", "labelled_exact_match", "root_accuracy")
        return {name: getattr(self, name) for name in (*shares, "num_words", "num_sentences")}


def attachment_scores(
    gold: Treebank,
    system: Treebank,
    *,
    punctuation: Punctuation | str = Punctuation.COUNT,
    subtypes: bool = True,
) -> AttachmentScores:
    """Score heads and labels of trees over the same words.

    Parameters
    ----------
    gold, system : paths, open files or iterables of sentences, word for word the same
    punctuation : which words count
    subtypes : whether ``nsubj:pass`` and ``nsubj`` are different labels

    Raises
    ------
    InvalidInputError
        If sentences or words differ, with the first that does.

    Examples
    --------
    >>> scores = attachment_scores("tests/data/evaluation/gold.conllu", "tests/data/evaluation/gold.conllu")
    >>> scores.las, scores.labelled_exact_match
    (1.0, 1.0)
    """
    ours, theirs = load(gold, "gold"), load(system, "system")
    check_same_words(ours, theirs)
    head, label = _right(ours, theirs, subtypes=subtypes)
    counted = _counted(ours, check_argument("Attachment scores", "punctuation", Choice(Punctuation), punctuation))
    root_differs = (ours.heads == 0) != (theirs.heads == 0)
    return AttachmentScores(
        num_words=int(counted.sum()),
        num_sentences=ours.num_sentences,
        heads=int((head & counted).sum()),
        labels=int((label & counted).sum()),
        arcs=int((head & label & counted).sum()),
        exact_heads=_clean_sentences(ours, ~head & counted),
        exact_arcs=_clean_sentences(ours, ~(head & label) & counted),
        roots=_clean_sentences(ours, root_differs),
    )


def attachment_counts(
    gold: Treebank,
    system: Treebank,
    *,
    punctuation: Punctuation | str = Punctuation.COUNT,
    subtypes: bool = True,
    labelled: bool = True,
) -> IntArray:
    """Count right arcs for each sentence, for `compare_counts`.

    Returns
    -------
    (S, 3) array of correct, gold total and system total; the totals are the same
    """
    ours, theirs = load(gold, "gold"), load(system, "system")
    check_same_words(ours, theirs)
    head, label = _right(ours, theirs, subtypes=subtypes)
    counted = _counted(ours, check_argument("Attachment scores", "punctuation", Choice(Punctuation), punctuation))
    right = (head & label if labelled else head) & counted
    sentence = ours.sentence_of_word
    correct = np.bincount(sentence[right], minlength=ours.num_sentences)
    total = np.bincount(sentence[counted], minlength=ours.num_sentences)
    return np.stack([correct, total, total], axis=1)


def check_same_words(gold: Corpus, system: Corpus, *, what: str = "Attachment scores", remedy: str = _REMEDY) -> None:
    """Raise if gold and system, or two annotations under other names, are not word for word the same."""
    if np.array_equal(gold.first_word, system.first_word) and gold.forms == system.forms:
        return
    names = (gold.name, system.name) if what != "Attachment scores" else ("gold", "system")
    need = f"{what} need the same {{}} in {names[0]} and {names[1]}; "
    for sentence in range(min(gold.num_sentences, system.num_sentences)):
        ours, theirs = (side.forms[slice(*side.first_word[sentence : sentence + 2])] for side in (gold, system))
        if ours == theirs:
            continue
        place = need.format("words") + gold.sentence_name(sentence)
        for word, (our_form, their_form) in enumerate(zip(ours, theirs, strict=False), 1):
            if our_form != their_form:
                raise InvalidInputError(
                    f"{place}, word {word}: {names[0]} has {our_form!r}, {names[1]} {their_form!r}. {remedy}"
                )
        raise InvalidInputError(f"{place}: {names[0]} has {len(ours)} words, {names[1]} {len(theirs)}. {remedy}")
    raise InvalidInputError(
        f"{need.format('sentences')}{names[0]} has {gold.num_sentences}, {names[1]} {system.num_sentences}. {remedy}"
    )


def _right(gold: Corpus, system: Corpus, *, subtypes: bool) -> tuple[BoolArray, BoolArray]:
    """Say for each word whether head and label are right; (N,) each. A missing head is never right."""
    ours, theirs = gold.deprels, system.deprels
    if not subtypes:
        ours, theirs = (
            [universal_label(label) for label in ours],
            [universal_label(label) for label in theirs],
        )
    label = np.array([a == b for a, b in zip(ours, theirs, strict=True)], dtype=np.bool_)
    return (gold.heads == system.heads) & (gold.heads >= 0), label


def _counted(gold: Corpus, punctuation: Punctuation) -> BoolArray:
    if punctuation is Punctuation.COUNT:
        return np.ones(gold.num_words, np.bool_)
    if punctuation is Punctuation.SKIP_UPOS:
        return np.array([tag != "PUNCT" for tag in gold.upos], dtype=np.bool_)
    skipped = {form for form in set(gold.forms) if all(unicodedata.category(c).startswith("P") for c in form)}
    return np.array([form not in skipped for form in gold.forms], dtype=np.bool_)


def _clean_sentences(corpus: Corpus, wrong: BoolArray) -> int:
    return int((np.bincount(corpus.sentence_of_word[wrong], minlength=corpus.num_sentences) == 0).sum())
