"""How far two annotators agree on the trees of the same words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError
from ramify.evaluation.attachment import check_same_words
from ramify.evaluation.conll18 import universal_label
from ramify.evaluation.corpus import load
from ramify.evaluation.significance import Interval, percentile_interval, resamples

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ramify.evaluation.corpus import Corpus, Treebank

    FloatArray = NDArray[np.float64]

__all__ = ["Agreement", "LabelAgreement", "agreement"]


@dataclass(frozen=True)
class LabelAgreement:
    """Agreement on one label.

    Attributes
    ----------
    label : the relation
    count_a, count_b, both : words with this label in A, in B, and in both
    f1 : twice the words of both, divided by the words of A plus the words of B
    kappa : Cohen's kappa of the question whether a word has this label
    heads : of the words with this label in both, the share with the same head; None if there are no such words
    """

    label: str
    count_a: int
    count_b: int
    both: int
    f1: Interval
    kappa: Interval
    heads: Interval | None


@dataclass(frozen=True)
class Agreement:
    """Agreement of two annotators, with bootstrap intervals over sentences.

    Attributes
    ----------
    num_sentences, num_words : what was compared
    uas : share of words with the same head
    las : share of words with the same head and label
    label_accuracy : share of words with the same label
    kappa : Cohen's kappa of the labels: agreement beyond that of chance, given how often both use each label
    by_label : for every label of A or B, the most frequent first
    samples, seed, confidence : of the intervals
    """

    num_sentences: int
    num_words: int
    uas: Interval
    las: Interval
    label_accuracy: Interval
    kappa: Interval
    by_label: tuple[LabelAgreement, ...]
    samples: int
    seed: int
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON."""
        return asdict(self)


def agreement(
    a: Treebank,
    b: Treebank,
    *,
    subtypes: bool = True,
    samples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    progress: Callable[[int], None] | None = None,
) -> Agreement:
    """Compare two annotations of the same words.

    Parameters
    ----------
    a, b : paths, open files or iterables of sentences, word for word the same
    subtypes : whether ``nsubj:pass`` and ``nsubj`` are different labels
    samples, seed : number of bootstrap samples, and what they start from
    confidence : of the intervals
    progress : called now and then with the number of samples made since the last call

    Examples
    --------
    >>> result = agreement("tests/data/evaluation/gold.conllu", "tests/data/evaluation/gold.conllu")
    >>> result.las.value, result.kappa.value
    (1.0, 1.0)
    """
    ours, theirs = load(a, "A"), load(b, "B")
    check_same_words(ours, theirs, what="Figures of agreement", remedy="Bring the files to the same words first.")
    if not ours.num_words:
        raise InvalidInputError("agreement expects at least one sentence; both treebanks are empty.")
    if samples < 1 or not 0 < confidence < 1:
        raise InvalidInputError(
            f"agreement expects at least one sample and a confidence between 0 and 1; got {samples} and {confidence}."
        )
    labels, counts = _counts(ours, theirs, subtypes=subtypes)
    drawn = []
    for weights in resamples(ours.num_sentences, samples, np.random.default_rng(seed)):
        drawn.append(_figures(weights @ counts, len(labels)))
        if progress:
            progress(len(weights))
    total = counts.sum(axis=0)
    values, sampled = _figures(total, len(labels)), {key: np.concatenate([d[key] for d in drawn]) for key in drawn[0]}

    def interval(name: str, label: int | None = None) -> Interval:
        value, column = values[name], sampled[name]
        if label is not None:
            value, column = value[label], column[:, label]
        known = column[~np.isnan(column)]
        if not known.size:
            which = "a figure" if label is None else f"the label {labels[label]!r}"
            raise InvalidInputError(f"agreement expects more samples than {samples}: none says more of {which}.")
        return percentile_interval(float(value), known, confidence)

    same, only_a, only_b = (total[4 + i * len(labels) :][: len(labels)] for i in range(3))
    order = sorted(range(len(labels)), key=lambda i: (-(only_a[i] + only_b[i]), labels[i]))
    by_label = tuple(
        LabelAgreement(
            label=labels[i],
            count_a=int(only_a[i]),
            count_b=int(only_b[i]),
            both=int(same[i]),
            f1=interval("f1", i),
            kappa=interval("kappas", i),
            heads=interval("heads", i) if same[i] else None,
        )
        for i in order
    )
    return Agreement(
        num_sentences=ours.num_sentences,
        num_words=ours.num_words,
        uas=interval("uas"),
        las=interval("las"),
        label_accuracy=interval("label_accuracy"),
        kappa=interval("kappa"),
        by_label=by_label,
        samples=samples,
        seed=seed,
        confidence=confidence,
    )


def _counts(a: Corpus, b: Corpus, *, subtypes: bool) -> tuple[list[str], FloatArray]:
    """Count for each sentence: words, heads, labels and arcs in common; per label both, A, B, common heads."""
    names_a, names_b = (
        corpus.deprels if subtypes else [universal_label(label) for label in corpus.deprels] for corpus in (a, b)
    )
    labels = sorted({*names_a, *names_b})
    number = {label: i for i, label in enumerate(labels)}
    label_a, label_b = (np.array([number[name] for name in names]) for names in (names_a, names_b))
    head, label = (a.heads == b.heads) & (a.heads >= 0), label_a == label_b
    sentence = a.sentence_of_word

    def per_sentence(which: NDArray[np.bool_]) -> FloatArray:
        return np.bincount(sentence[which], minlength=a.num_sentences)[:, None].astype(np.float64)

    def per_label(column: NDArray[np.int64], which: NDArray[np.bool_]) -> FloatArray:
        cells = (sentence * len(labels) + column)[which]
        return np.bincount(cells, minlength=a.num_sentences * len(labels)).reshape(-1, len(labels)).astype(np.float64)

    every = np.ones(a.num_words, np.bool_)
    columns = [per_sentence(every), per_sentence(head), per_sentence(label), per_sentence(head & label)]
    columns += [per_label(label_a, label), per_label(label_a, every), per_label(label_b, every)]
    return labels, np.concatenate([*columns, per_label(label_a, head & label)], axis=1)


def _figures(sums: FloatArray, num_labels: int) -> dict[str, FloatArray]:
    """Return every figure from (..., 4 + 4 L) sums; those of labels are (..., L), NaN where they do not occur."""
    words, heads, labels, arcs = (sums[..., i] for i in range(4))
    both, in_a, in_b, with_head = (sums[..., 4 + i * num_labels :][..., :num_labels] for i in range(4))
    n = words[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = (n - in_a - in_b + 2 * both) / n
        by_chance = (in_a * in_b + (n - in_a) * (n - in_b)) / n**2
        return {
            "uas": heads / words,
            "las": arcs / words,
            "label_accuracy": labels / words,
            "kappa": _kappa(labels / words, (in_a * in_b).sum(axis=-1) / words**2),
            "f1": 2 * both / (in_a + in_b),
            "kappas": np.where(in_a + in_b > 0, _kappa(observed, by_chance), np.nan),
            "heads": with_head / both,
        }


def _kappa(observed: FloatArray, by_chance: FloatArray) -> FloatArray:
    """Return Cohen's kappa; where both always use the same label, so that chance explains it all, they agree: 1."""
    return np.where(by_chance == 1, 1.0, (observed - by_chance) / (1 - by_chance))
