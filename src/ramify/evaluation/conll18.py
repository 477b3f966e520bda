"""The metrics of the CoNLL 2018 shared task, with the figures of its official script to the last digit.

Every metric is first counted for each gold sentence, then summed: the sums are the official figures, the
counts are what significance tests resample.

Two things the official script refuses and this module takes: a tree with several roots, and a system file
without heads (its arcs count as wrong, so that taggers can be scored).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from ramify.data.universal import RELATIONS
from ramify.errors import InvalidInputError
from ramify.evaluation.alignment import align, same_spans, sentences_of
from ramify.evaluation.corpus import MISSING, ROOT, Corpus, load
from ramify.evaluation.score import Score

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ramify.evaluation.corpus import BoolArray, IntArray, Treebank

__all__ = ["METRICS", "Evaluation", "arcs_found", "evaluate", "sentence_counts", "universal_label"]

METRICS = (
    *("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"),
    *("UAS", "LAS", "CLAS", "MLAS", "BLEX"),
)

_FUNCTION_LABELS = frozenset({"aux", "case", "cc", "clf", "cop", "det", "mark"})
_CONTENT_LABELS = frozenset(RELATIONS) - _FUNCTION_LABELS - {"punct"}
_UNIVERSAL_FEATURES = frozenset(
    {
        "Abbr",
        "Animacy",
        "Aspect",
        "Case",
        "Definite",
        "Degree",
        "Evident",
        "Foreign",
        "Gender",
        "Mood",
        "NumType",
        "Number",
        "Person",
        "Polarity",
        "Polite",
        "Poss",
        "PronType",
        "Reflex",
        "Tense",
        "VerbForm",
        "Voice",
    }
)
_NOT_ALIGNED = -3  # stands for a system head that is no gold word


@dataclass(frozen=True)
class Evaluation:
    """The thirteen CoNLL 2018 scores; ``evaluation["LAS"]`` is ``evaluation.las``.

    Attributes
    ----------
    tokens, sentences, words : segmentation, by characters covered
    upos, xpos, ufeats, alltags, lemmas : tags and lemmas of aligned words; features are the universal ones
    uas, las : heads, and heads with labels, subtypes aside
    clas : LAS of content words only
    mlas : CLAS, and the word's tags and its function words must be right too
    blex : CLAS, and the word's lemma must be right too
    """

    tokens: Score
    sentences: Score
    words: Score
    upos: Score
    xpos: Score
    ufeats: Score
    alltags: Score
    lemmas: Score
    uas: Score
    las: Score
    clas: Score
    mlas: Score
    blex: Score

    def __getitem__(self, metric: str) -> Score:
        if metric not in METRICS:
            raise InvalidInputError(f"Evaluation knows the metrics {', '.join(METRICS)}; got {metric!r}.")
        score: Score = getattr(self, metric.lower())
        return score

    def items(self) -> Iterator[tuple[str, Score]]:
        """Yield metrics and their scores in the official order."""
        for metric, field in zip(METRICS, fields(self), strict=True):
            yield metric, getattr(self, field.name)

    def to_dict(self) -> dict[str, dict[str, float | int | None]]:
        """Return all figures as plain numbers, for JSON."""
        return {metric: score.to_dict() for metric, score in self.items()}


def evaluate(gold: Treebank, system: Treebank) -> Evaluation:
    """Score a system's treebank against gold with the CoNLL 2018 metrics.

    Parameters
    ----------
    gold, system : paths, open files or iterables of sentences
        The same text; sentences, tokens and words may be cut differently.

    Raises
    ------
    InvalidInputError
        If the texts differ, with the place where they part.

    Examples
    --------
    >>> evaluation = evaluate("tests/data/evaluation/gold.conllu", "tests/data/evaluation/parser.conllu")
    >>> round(evaluation.las.f1, 4) <= evaluation.uas.f1
    True
    """
    counts = sentence_counts(load(gold, "gold"), load(system, "system"))
    scores = []
    for metric in METRICS:
        correct, gold_total, system_total, aligned = counts[metric].sum(axis=0).tolist()
        unaligned = metric in ("Tokens", "Sentences", "Words")
        scores.append(Score(correct, gold_total, system_total, None if unaligned else aligned))
    return Evaluation(*scores)


def sentence_counts(gold: Corpus, system: Corpus) -> dict[str, IntArray]:
    """Count every metric for each gold sentence.

    What the system proposes belongs to the gold sentence in which its first character lies.

    Returns
    -------
    dict of metric to (S, 4): correct, gold total, system total, aligned words
    """
    _check_gold_heads(gold)
    pairs = align(gold, system)
    gold_words, system_words = pairs
    right = _right_words(gold, system, gold_words, system_words)
    gold_content = _is_one_of(gold, _CONTENT_LABELS)
    system_content = _is_one_of(system, _CONTENT_LABELS)
    tally = _Tally(gold)
    counts = {
        "Tokens": tally.spans(gold.token_start, gold.token_end, system.token_start, system.token_end),
        "Sentences": tally.spans(gold.sentence_start, gold.sentence_end, system.sentence_start, system.sentence_end),
    }
    every_gold, every_system = np.ones(gold.num_words, np.bool_), np.ones(system.num_words, np.bool_)
    for metric, correct in right.items():
        content = metric in ("CLAS", "MLAS", "BLEX")
        counts[metric] = tally.words(
            gold,
            system,
            gold_words,
            correct,
            gold_content if content else every_gold,
            system_content if content else every_system,
        )
    return {metric: counts[metric] for metric in METRICS}


class _Tally:
    """Counts per gold sentence."""

    def __init__(self, gold: Corpus) -> None:
        self._gold = gold
        self._gold_sentence = gold.sentence_of_word

    def _per_sentence(self, sentences: IntArray) -> IntArray:
        return np.bincount(sentences, minlength=self._gold.num_sentences)

    def spans(self, starts: IntArray, ends: IntArray, system_starts: IntArray, system_ends: IntArray) -> IntArray:
        """Count shared spans; (S, 4)."""
        shared, _ = same_spans(starts, ends, system_starts, system_ends)
        of_gold = sentences_of(starts, self._gold)
        correct = self._per_sentence(of_gold[shared])
        system_total = self._per_sentence(sentences_of(system_starts, self._gold))
        return np.stack([correct, self._per_sentence(of_gold), system_total, np.zeros_like(correct)], axis=1)

    def words(
        self,
        gold: Corpus,
        system: Corpus,
        gold_words: IntArray,
        correct: BoolArray,
        gold_counts: BoolArray,
        system_counts: BoolArray,
    ) -> IntArray:
        """Count aligned words that are right, among those that count; (S, 4)."""
        aligned = gold_counts[gold_words]
        sentence_of_pair = self._gold_sentence[gold_words]
        return np.stack(
            [
                self._per_sentence(sentence_of_pair[aligned & correct]),
                self._per_sentence(self._gold_sentence[gold_counts]),
                self._per_sentence(sentences_of(system.word_start[system_counts], gold)),
                self._per_sentence(sentence_of_pair[aligned]),
            ],
            axis=1,
        )


def _right_words(gold: Corpus, system: Corpus, gold_words: IntArray, system_words: IntArray) -> dict[str, BoolArray]:
    """Say for each metric and each aligned pair of words whether the system is right; (A,) each."""
    upos = _agree(gold.upos, system.upos, gold_words, system_words)
    xpos = _agree(gold.xpos, system.xpos, gold_words, system_words)
    feats = _agree(_mapped(gold.feats, _universal), _mapped(system.feats, _universal), gold_words, system_words)
    # Where gold has no lemma, any is right.
    no_lemma = np.array([lemma == "_" for lemma in gold.lemmas], dtype=np.bool_)[gold_words]
    lemma = no_lemma | _agree(gold.lemmas, system.lemmas, gold_words, system_words)
    uas, las = arcs_found(gold, system, gold_words, system_words)
    mlas = las & upos & feats
    mlas &= _same_function_words(gold, system, gold_words, system_words, mlas)
    return {
        "Words": np.ones(gold_words.size, np.bool_),
        "UPOS": upos,
        "XPOS": xpos,
        "UFeats": feats,
        "AllTags": upos & xpos & feats,
        "Lemmas": lemma,
        "UAS": uas,
        "LAS": las,
        "CLAS": las,
        "MLAS": mlas,
        "BLEX": las & lemma,
    }


def arcs_found(
    gold: Corpus, system: Corpus, gold_words: IntArray, system_words: IntArray, *, subtypes: bool = False
) -> tuple[BoolArray, BoolArray]:
    """Say for each aligned pair of words whether the head is right, and head and label; (A,) each."""
    head = gold.parent[gold_words] == _to_gold(system, gold_words, system_words)[system.parent[system_words]]
    if subtypes:
        label = _agree(gold.deprels, system.deprels, gold_words, system_words)
    else:
        ours, theirs = _mapped(gold.deprels, universal_label), _mapped(system.deprels, universal_label)
        label = _agree(ours, theirs, gold_words, system_words)
    return head, head & label


def universal_label(label: str) -> str:
    """Return a label without its subtype: ``nsubj`` for ``nsubj:pass``."""
    return label.split(":", 1)[0]


def _universal(feats: str) -> str:
    kept = (feature for feature in feats.split("|") if feature.split("=", 1)[0] in _UNIVERSAL_FEATURES)
    return "|".join(sorted(kept))


def _mapped(column: list[str], function: Callable[[str], str]) -> list[str]:
    """Apply a function to a column that has few different values."""
    results = {value: function(value) for value in set(column)}
    return [results[value] for value in column]


def _agree(ours: list[str], theirs: list[str], our_words: IntArray, their_words: IntArray) -> BoolArray:
    pairs = zip(our_words.tolist(), their_words.tolist(), strict=True)
    return np.array([ours[g] == theirs[s] for g, s in pairs], dtype=np.bool_)


def _to_gold(system: Corpus, gold_words: IntArray, system_words: IntArray) -> IntArray:
    """Map system words, and ROOT and MISSING as indices from the end, to gold words; (N + 2,)."""
    to_gold = np.full(system.num_words + 2, _NOT_ALIGNED)
    to_gold[system_words] = gold_words
    to_gold[ROOT], to_gold[MISSING] = ROOT, _NOT_ALIGNED
    return to_gold


def _is_one_of(corpus: Corpus, labels: frozenset[str]) -> BoolArray:
    return np.array([label in labels for label in _mapped(corpus.deprels, universal_label)], dtype=np.bool_)


def _same_function_words(
    gold: Corpus, system: Corpus, gold_words: IntArray, system_words: IntArray, candidates: BoolArray
) -> BoolArray:
    """Say for each candidate pair whether both words have the same function words with the same tags."""
    identity: Iterable[int] = range(gold.num_words)
    ours = _function_words(gold, identity)
    theirs = _function_words(system, _to_gold(system, gold_words, system_words)[:-2].tolist())
    same = np.zeros(gold_words.size, np.bool_)
    none: list[_FunctionWord] = []
    for pair in np.flatnonzero(candidates).tolist():
        same[pair] = ours.get(int(gold_words[pair]), none) == theirs.get(int(system_words[pair]), none)
    return same


if TYPE_CHECKING:
    _FunctionWord = tuple[int, str, str, str]


def _function_words(corpus: Corpus, to_gold: Iterable[int]) -> dict[int, list[_FunctionWord]]:
    """List the function words of every head that has some: gold word, label, tag, features."""
    to_gold = list(to_gold)
    labels, feats = _mapped(corpus.deprels, universal_label), _mapped(corpus.feats, _universal)
    parent = corpus.parent.tolist()
    result: dict[int, list[_FunctionWord]] = {}
    for word in np.flatnonzero(_is_one_of(corpus, _FUNCTION_LABELS) & (corpus.parent >= 0)).tolist():
        entry = (to_gold[word], labels[word], corpus.upos[word], feats[word])
        result.setdefault(parent[word], []).append(entry)
    return result


def _check_gold_heads(gold: Corpus) -> None:
    missing = np.flatnonzero(gold.parent == MISSING)
    if missing.size:
        raise InvalidInputError(
            f"Evaluation needs a head for every gold word; {gold.word_name(int(missing[0]))} has none "
            f"({missing.size} words in all). Use a gold file with trees."
        )
