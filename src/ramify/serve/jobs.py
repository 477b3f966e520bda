"""The work of requests, in a queue of limited length: what can be done together is."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ramify.errors import RamifyError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from ramify.serve.metrics import Metrics

__all__ = ["Job", "Jobs", "OverloadedError"]

_MOST_ITEMS = 64  # sentences that are worked on together


class OverloadedError(RamifyError, RuntimeError):
    """The server is overloaded or is stopping; the client can try again later.

    Attributes
    ----------
    status : of HTTP: 429 if too many requests wait, 503 if one waited too long or the server is stopping
    retry_after : seconds
    """

    def __init__(self, message: str, status: int, retry_after: int) -> None:
        self.status = status
        self.retry_after = retry_after
        super().__init__(message)


@dataclass(eq=False)
class Job:
    """One request's work, in three steps that the worker takes.

    Attributes
    ----------
    prepare : gives items, such as sentences
    solve : gives a result for each item; jobs with the same key are solved in one call
    finish : makes the answer of the results
    key : jobs with equal keys can be solved together; None can never be
    """

    prepare: Callable[[], Sequence[Any]]
    solve: Callable[[Sequence[Any]], Sequence[Any]]
    finish: Callable[[Sequence[Any]], Any]
    key: Hashable = None
    answer: Future[Any] = field(default_factory=Future)
    items: Sequence[Any] = ()


class Jobs:
    """A worker thread, and the queue before it.

    Parameters
    ----------
    limit : how many jobs may wait
    metrics : where batches are counted
    """

    def __init__(self, limit: int, metrics: Metrics) -> None:
        self._limit = limit
        self._metrics = metrics
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._seconds = 0.1  # of a job, by experience
        self._thread = threading.Thread(target=self._work, name="ramify-worker", daemon=True)
        self._thread.start()

    def __len__(self) -> int:
        return len(self._waiting)

    async def run(self, job: Job, time_limit: float) -> Any:
        """Wait for a job's turn and return its answer.

        Parameters
        ----------
        job : what to do
        time_limit : in seconds

        Raises
        ------
        OverloadedError
            Too many jobs wait, or this one waited too long.
        """
        with self._changed:
            if self._closed:
                raise OverloadedError("The server is stopping.", 503, 5)
            if len(self._waiting) >= self._limit:
                wait = max(1, round(self._seconds * self._limit))
                raise OverloadedError(
                    f"{self._limit} requests are already waiting; try again in {wait} seconds.", 429, wait
                )
            self._waiting.append(job)
            self._changed.notify()
        try:
            return await asyncio.wait_for(asyncio.wrap_future(job.answer), time_limit)
        except asyncio.TimeoutError:
            message = f"The request took longer than {time_limit:g} seconds; try again, or send a shorter text."
            raise OverloadedError(message, 503, max(1, round(self._seconds * self._limit))) from None

    def close(self) -> None:
        """Finish what waits, then stop."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        while batch := self._take():
            begun = time.monotonic()
            self._answer(batch)
            each = (time.monotonic() - begun) / len(batch)
            self._seconds += 0.1 * (each - self._seconds)
            self._metrics.batches.observe(len(batch))
            batch = []  # the next one may be long in coming; until then nothing is kept

    def _take(self) -> list[Job]:
        """Wait for jobs; return those that can be done together with the first. None is left when the server stops."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            if not self._waiting:
                return []
            first = self._waiting.popleft()
            batch = [first]
            if first.key is not None:
                same = [job for job in self._waiting if job.key == first.key][: _MOST_ITEMS - 1]
                for job in same:
                    self._waiting.remove(job)
                batch += same
            return batch

    def _answer(self, batch: list[Job]) -> None:
        ready = []
        for job in batch:
            if job.answer.set_running_or_notify_cancel():  # else the client has gone, or has waited too long
                with _failing(job):
                    job.items = job.prepare()
                    ready.append(job)
        while ready:
            together, count = [ready.pop(0)], 0
            count = len(together[0].items)
            while ready and count + len(ready[0].items) <= _MOST_ITEMS:
                count += len(ready[0].items)
                together.append(ready.pop(0))
            _solve(together)


def _solve(jobs: list[Job]) -> None:
    try:
        results = jobs[0].solve([item for job in jobs for item in job.items])
    except Exception as error:
        if len(jobs) == 1:
            jobs[0].answer.set_exception(error)
            return
        for job in jobs:  # one of them is bad; the others are not to suffer
            _solve([job])
        return
    first = 0
    for job in jobs:
        mine = results[first : first + len(job.items)]
        first += len(job.items)
        with _failing(job):
            job.answer.set_result(job.finish(mine))


@contextlib.contextmanager
def _failing(job: Job) -> Iterator[None]:
    """Let an error be the answer of the job: it belongs to the request, not to the worker."""
    try:
        yield
    except Exception as error:
        job.answer.set_exception(error)
