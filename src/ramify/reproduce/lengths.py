"""Choose sentences by their length, measure the time that they take, and fit how it grows with the length."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ramify.data import Sentence

__all__ = ["LENGTHS", "exponent", "length_of", "some_of_each_length", "timed"]

T = TypeVar("T")
LENGTHS = ((1, 10), (11, 20), (21, 30), (31, 40))


def some_of_each_length(sentences: Sequence[Sentence], most: int) -> list[Sentence]:
    """Return the first few sentences of each range of lengths."""
    return [s for low, high in LENGTHS for s in [s for s in sentences if low <= len(s) <= high][:most]]


def length_of(words: int) -> str:
    """Return the name of the range that a number of words is in."""
    return next((f"{low}–{high}" for low, high in LENGTHS if low <= words <= high), "more")


def timed(work: Callable[[], T], runs: int = 3) -> tuple[float, T]:
    """Return the processor seconds of the fastest of some runs, in this thread, and the answer."""
    seconds = []
    for _ in range(runs):
        began = time.thread_time()
        answer = work()
        seconds.append(time.thread_time() - began)
    return min(seconds), answer


def exponent(words: Sequence[int], seconds: Sequence[float]) -> float | None:
    """Fit seconds ∝ words^k and return k. Sentences of up to ten words are left out, as they are all start-up."""
    chosen = [(w, s) for w, s in zip(words, seconds, strict=True) if w > 10]
    if len({w for w, _ in chosen}) < 2:
        return None
    lengths, times = np.log(np.array(chosen)).T
    return float(np.polyfit(lengths, times, 1)[0])
