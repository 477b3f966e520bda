"""How sure the parser is of every sentence of a file, found out in the background."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from ramify.errors import RamifyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from ramify.annotation.reparse import Reparser
    from ramify.data import Sentence

__all__ = ["Scan"]

_AT_ONCE = 16


class Scan:
    """Probabilities of the heads that sentences have in the file; computed in a thread of its own, and kept.

    Parameters
    ----------
    read : gives the sentence with a number, or None if there is none that can be parsed
    count : how many sentences there are
    reparser : the parser
    """

    def __init__(self, read: Callable[[int], Sentence | None], count: int, reparser: Reparser) -> None:
        self._read = read
        self._reparser = reparser
        self._sure: list[npt.NDArray[np.float32] | None] = [None] * count
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._changes = 0
        self._wanted = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin."""
        self._wanted = True
        self.wake()

    def wake(self) -> None:
        """Go on after sentences were forgotten, if `start` was called before."""
        if self._wanted and (self._thread is None or not self._thread.is_alive()):
            self._stop.clear()
            self._thread = threading.Thread(target=self.run, name="ramify-scan", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop and wait."""
        self._wanted = False
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def __len__(self) -> int:
        return len(self._sure)

    @property
    def num_known(self) -> int:
        """How many sentences have been looked at."""
        return sum(sure is not None for sure in self._sure)

    def of(self, number: int) -> npt.NDArray[np.float32] | None:
        """Return the probability of each word's head; None if it is not known yet, empty if there is none."""
        return self._sure[number] if number < len(self._sure) else None

    def replace(self, first: int, count: int, by: int) -> None:
        """Forget sentences that have changed.

        Parameters
        ----------
        first, count : which ones
        by : how many stand there now
        """
        with self._lock:
            self._changes += 1
            self._sure[first : first + count] = [None] * by

    def know(self, number: int, sure: npt.NDArray[np.float32]) -> None:
        """Remember what somebody else has computed."""
        self._sure[number] = sure

    def forget(self) -> None:
        """Forget everything, because there is another parser."""
        with self._lock:
            self._changes += 1
            self._sure = [None] * len(self._sure)

    def run(self) -> None:
        """Look at all sentences that are not known."""
        while not self._stop.is_set():
            with self._lock:
                wanted = [i for i, sure in enumerate(self._sure) if sure is None][:_AT_ONCE]
                asked, changes = [(i, self._sentence(i)) for i in wanted], self._changes
            if not wanted:
                return
            found = self._parse([sentence for _, sentence in asked if sentence is not None])
            values = [next(found) if sentence is not None else np.zeros(0, np.float32) for _, sentence in asked]
            with self._lock:
                for (i, _), sure in zip(asked, values, strict=True):
                    if changes == self._changes and self._sure[i] is None:  # else they are looked at again
                        self._sure[i] = sure

    def _sentence(self, number: int) -> Sentence | None:
        try:
            return self._read(number)
        except (RamifyError, IndexError):
            return None

    def _parse(self, sentences: Sequence[Sentence]) -> Iterator[npt.NDArray[np.float32]]:
        results = self._reparser.parser.parse(sentences, marginals=True, max_words=self._reparser.max_words)
        for sentence, result in zip(sentences, results, strict=True):
            dense = result.marginals
            if dense is None or not result.found:
                yield np.zeros(0, np.float32)
                continue
            heads = np.where(sentence.heads >= 0, sentence.heads, result.heads)
            yield dense[heads, np.arange(1, len(sentence) + 1)].astype(np.float32)
