"""Is one system better than another, or was it luck? Paired tests on per-sentence counts.

Sentences are the units: what the two systems did to one sentence stays together. Approximate randomization
asks how often a difference as large arises if it does not matter which system made which output; the paired
bootstrap asks how much the difference varies over texts like this one.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from ramify.errors import InvalidInputError
from ramify.evaluation.conll18 import METRICS, sentence_counts
from ramify.evaluation.corpus import load
from ramify.options import Choice, check_argument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from ramify.evaluation.corpus import Treebank

    FloatArray = NDArray[np.float64]

__all__ = [
    "Comparison",
    "Interval",
    "SignificanceTest",
    "compare",
    "compare_counts",
    "compare_scores",
    "mean_interval",
    "percentile_interval",
    "resamples",
]

_CELLS_AT_ONCE = 4_000_000  # random numbers held in memory


class SignificanceTest(str, Enum):
    """How the p-value is found."""

    RANDOMIZATION = "randomization"
    BOOTSTRAP = "bootstrap"


@dataclass(frozen=True)
class Interval:
    """A figure with its bootstrap confidence interval (percentiles)."""

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        """Return the three numbers, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Comparison:
    """What a paired test found.

    Attributes
    ----------
    metric : name of the figure that was compared
    test, samples, seed, confidence : how
    system_a, system_b : figure of each
    difference : figure of b minus figure of a
    p_value : two-sided, never 0: (1 + samples as extreme) / (1 + samples)
    """

    metric: str
    test: SignificanceTest
    samples: int
    seed: int
    confidence: float
    system_a: Interval
    system_b: Interval
    difference: Interval
    p_value: float

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON."""
        return asdict(self) | {"test": self.test.value}


class ComparisonOptions(TypedDict, total=False):
    """How systems are compared; `compare_counts` says what each option means."""

    metric: str
    test: SignificanceTest | str
    samples: int
    seed: int
    confidence: float
    progress: Callable[[int], None] | None


def compare(
    gold: Treebank,
    system_a: Treebank,
    system_b: Treebank,
    **how: Unpack[ComparisonOptions],
) -> Comparison:
    """Test whether two systems differ on one gold treebank.

    Parameters
    ----------
    gold, system_a, system_b : paths, open files or iterables of sentences
        The same text; words may be cut differently in all three.
    **how : metric, one of those of CoNLL 2018 (by default ``"LAS"``); test, samples, seed, confidence and progress, as
        those of `compare_counts`

    Examples
    --------
    >>> gold = "tests/data/evaluation/gold.conllu"
    >>> compare(gold, gold, gold).p_value
    1.0
    """
    metric = how.setdefault("metric", "LAS")
    if metric not in METRICS:
        raise InvalidInputError(f"compare knows the metrics {', '.join(METRICS)}; got {metric!r}.")
    ours = load(gold, "gold")
    counts_a = sentence_counts(ours, load(system_a, "system a"))[metric]
    counts_b = sentence_counts(ours, load(system_b, "system b"))[metric]
    return compare_counts(counts_a[:, :3], counts_b[:, :3], **how)


def compare_counts(
    counts_a: NDArray[Any],
    counts_b: NDArray[Any],
    **how: Unpack[ComparisonOptions],
) -> Comparison:
    """Test whether two systems differ, for any metric that is an F1 of summed counts.

    Parameters
    ----------
    counts_a, counts_b : (S, 3) correct, gold total and system total of each of S sentences
    metric : a name for the result
    test : how the p-value is found, ``"randomization"`` by default; the intervals are bootstrap intervals with either
    samples, seed : number of random samples, 10,000 by default, and what they start from
    confidence : of the intervals, 0.95 by default
    progress : called now and then with the number of samples made since the last call

    Examples
    --------
    >>> import numpy as np
    >>> good, bad = np.array([[9, 10, 10]] * 50), np.array([[5, 10, 10]] * 50)
    >>> compare_counts(bad, good, samples=999).p_value
    0.001
    """
    a, b = (_counts(counts) for counts in (counts_a, counts_b))
    _check_same_shape("compare_counts", a, b, "(S, 3)")
    how.setdefault("metric", "F1")
    return _compared(a, b, _f1, **how)


def compare_scores(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    **how: Unpack[ComparisonOptions],
) -> Comparison:
    """Test whether two systems differ, for any metric that is a mean of scores, such as ROUGE.

    Parameters
    ----------
    scores_a, scores_b : (S,) a score for each of S inputs
    **how : metric, test, samples, seed, confidence and progress, as those of `compare_counts`

    Examples
    --------
    >>> compare_scores([0.1] * 50, [0.2] * 50, samples=999).p_value
    0.001
    """
    a, b = (_with_ones("compare_scores", scores) for scores in (scores_a, scores_b))
    _check_same_shape("compare_scores", a, b, "(S,)")
    how.setdefault("metric", "score")
    return _compared(a, b, _mean, **how)


def mean_interval(scores: ArrayLike, *, samples: int = 10_000, seed: int = 0, confidence: float = 0.95) -> Interval:
    """Return a mean with its bootstrap confidence interval.

    Parameters
    ----------
    scores : (S,) a score for each of S inputs
    samples, seed, confidence : as in `compare_counts`
    """
    a = _with_ones("mean_interval", scores)
    _check_sampling(samples, confidence)
    rng = np.random.default_rng(seed)
    means = np.concatenate([_mean(weights @ a) for weights in resamples(len(a), samples, rng)])
    return percentile_interval(float(_mean(a.sum(axis=0))), means, confidence)


def _compared(
    a: FloatArray,
    b: FloatArray,
    figure: Callable[[FloatArray], FloatArray],
    metric: str,
    test: SignificanceTest | str = SignificanceTest.RANDOMIZATION,
    samples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """Compare a figure of the sums over rows of (S, k) numbers."""
    _check_sampling(samples, confidence)
    test = check_argument("A significance test", "test", Choice(SignificanceTest), test)
    report = progress or (lambda _: None)
    value_a, value_b = figure(a.sum(axis=0)), figure(b.sum(axis=0))
    observed = float(value_b - value_a)
    # Two streams, so that the intervals do not depend on the test.
    bootstrap_rng, swap_rng = (np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2))
    both = np.concatenate([a, b], axis=1)
    parts = []
    for weights in resamples(len(a), samples, bootstrap_rng):
        parts.append(weights @ both)
        report(len(weights))
    sums = np.concatenate(parts)
    boot_a, boot_b = figure(sums[:, : a.shape[1]]), figure(sums[:, a.shape[1] :])
    if test is SignificanceTest.BOOTSTRAP:
        # Moved to the null hypothesis, where the difference is 0.
        extreme = _as_extreme(boot_b - boot_a - observed, observed)
    else:
        extreme = 0
        for swap in _swaps(len(a), samples, swap_rng):
            moved = swap @ (b - a)
            extreme += _as_extreme(figure(b.sum(axis=0) - moved) - figure(a.sum(axis=0) + moved), observed)
            report(len(swap))
    return Comparison(
        metric=metric,
        test=test,
        samples=samples,
        seed=seed,
        confidence=confidence,
        system_a=percentile_interval(float(value_a), boot_a, confidence),
        system_b=percentile_interval(float(value_b), boot_b, confidence),
        difference=percentile_interval(observed, boot_b - boot_a, confidence),
        p_value=(extreme + 1) / (samples + 1),
    )


def _mean(sums: FloatArray) -> FloatArray:
    """Mean of (..., 2) summed scores and their number."""
    mean: FloatArray = sums[..., 0] / sums[..., 1]
    return mean


def _f1(sums: FloatArray) -> FloatArray:
    """F1 of (..., 3) summed counts."""
    total = sums[..., 1] + sums[..., 2]
    return np.divide(2 * sums[..., 0], total, out=np.zeros_like(total), where=total > 0)


def _as_extreme(differences: FloatArray, observed: float) -> int:
    # Sums of integers are exact and only the division rounds, so ties need this much and no more.
    return int((np.abs(differences) >= abs(observed) - 1e-12).sum())


def percentile_interval(value: float, samples: FloatArray, confidence: float) -> Interval:
    """Return a figure with the middle part of its bootstrap samples."""
    low, high = np.quantile(samples, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    return Interval(value, low, high)


def _batches(num_sentences: int, samples: int) -> Iterator[int]:
    size = max(1, _CELLS_AT_ONCE // num_sentences)
    for done in range(0, samples, size):
        yield min(size, samples - done)


def resamples(num_sentences: int, samples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Draw S of S sentences with replacement; yield how often each came, (batch, S)."""
    for batch in _batches(num_sentences, samples):
        drawn = rng.integers(num_sentences, size=(batch, num_sentences))
        drawn += np.arange(batch)[:, None] * num_sentences
        counts = np.bincount(drawn.ravel(), minlength=batch * num_sentences)
        yield counts.reshape(batch, num_sentences).astype(np.float64)


def _swaps(num_sentences: int, samples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Toss a coin for each sentence; yield (batch, S) of 0 and 1."""
    for batch in _batches(num_sentences, samples):
        yield rng.integers(2, size=(batch, num_sentences), dtype=np.uint8).astype(np.float64)


def _counts(counts: ArrayLike) -> FloatArray:
    return np.asarray(counts, np.float64)


def _with_ones(who: str, scores: ArrayLike) -> FloatArray:
    array = np.asarray(scores, np.float64)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise InvalidInputError(
            f"{who} expects an array of shape (S,) with S >= 1 finite scores; got shape {array.shape}."
        )
    return np.stack([array, np.ones_like(array)], axis=1)


def _check_same_shape(who: str, a: FloatArray, b: FloatArray, expected: str) -> None:
    if a.shape != b.shape or a.ndim != 2 or (expected == "(S, 3)" and a.shape[1] != 3) or not len(a):
        shapes = [array.shape if expected == "(S, 3)" else array.shape[:1] for array in (a, b)]
        raise InvalidInputError(
            f"{who} expects two arrays of the same shape {expected} with S >= 1 sentences; "
            f"got shapes {shapes[0]} and {shapes[1]}."
        )


def _check_sampling(samples: int, confidence: float) -> None:
    if samples < 1:
        raise InvalidInputError(f"A paired test needs at least one sample; got samples={samples}.")
    if not 0 < confidence < 1:
        raise InvalidInputError(f"The confidence must lie between 0 and 1, like 0.95; got {confidence}.")
