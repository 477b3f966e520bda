"""The queue: what is done together, what is refused, what happens to errors."""

from __future__ import annotations

import asyncio
import threading

import pytest

from ramify.errors import InvalidInputError
from ramify.serve.jobs import Job, Jobs, OverloadedError
from ramify.serve.metrics import Metrics


class Recorder:
    """Solves items by squaring them, and remembers what came together. It waits until it may go on."""

    def __init__(self):
        self.batches = []
        self.go_on = threading.Event()

    def solve(self, items):
        self.go_on.wait(5)
        self.batches.append(list(items))
        if "bad" in items:
            raise InvalidInputError("bad item")
        return [item * item for item in items]

    def job(self, *items, key="k"):
        return Job(lambda: items, self.solve, list, key)


@pytest.fixture
def recorder():
    return Recorder()


@pytest.fixture
def jobs():
    made = Jobs(4, Metrics())
    yield made
    made.close()


async def _hold(jobs, recorder):
    """Start a job that the worker is busy with."""
    first = asyncio.ensure_future(jobs.run(recorder.job(0, key="first"), 5))
    await asyncio.sleep(0.05)
    return first


def test_jobs_with_one_key_are_done_together(jobs, recorder):
    async def main():
        first = await _hold(jobs, recorder)
        others = [
            jobs.run(recorder.job(*items, key=key), 5) for items, key in (((1, 2), "k"), ((3,), "x"), ((4,), "k"))
        ]
        gathered = asyncio.gather(*others)
        await asyncio.sleep(0.05)
        recorder.go_on.set()
        return await first, await gathered

    assert asyncio.run(main()) == ([0], [[1, 4], [9], [16]])
    assert recorder.batches == [[0], [1, 2, 4], [3]]


def test_one_bad_job_does_not_harm_the_others(jobs, recorder):
    async def main():
        first = await _hold(jobs, recorder)
        others = asyncio.gather(*(jobs.run(recorder.job(item), 5) for item in (2, "bad", 3)), return_exceptions=True)
        await asyncio.sleep(0.05)
        recorder.go_on.set()
        await first
        return await others

    good, bad, also_good = asyncio.run(main())
    assert (good, str(bad), also_good) == ([4], "bad item", [9])


def test_too_many_jobs_are_refused(jobs, recorder):
    async def main():
        first = await _hold(jobs, recorder)
        waiting = [asyncio.ensure_future(jobs.run(recorder.job(1), 5)) for _ in range(4)]
        await asyncio.sleep(0.05)
        with pytest.raises(OverloadedError, match="4 requests are already waiting") as refused:
            await jobs.run(recorder.job(1), 5)
        recorder.go_on.set()
        await asyncio.gather(first, *waiting)
        return refused.value

    error = asyncio.run(main())
    assert (error.status, error.retry_after >= 1) == (429, True)


def test_a_job_that_waited_too_long_is_not_done(jobs, recorder):
    async def main():
        first = await _hold(jobs, recorder)
        with pytest.raises(OverloadedError, match=r"longer than 0\.05 seconds") as late:
            await jobs.run(recorder.job(7), 0.05)
        recorder.go_on.set()
        await first
        await jobs.run(recorder.job(8), 5)
        return late.value.status

    assert asyncio.run(main()) == 503
    assert recorder.batches == [[0], [8]]


def test_closing_finishes_what_waits(recorder):
    jobs = Jobs(4, Metrics())

    async def main():
        first = await _hold(jobs, recorder)
        second = asyncio.ensure_future(jobs.run(recorder.job(5), 5))
        await asyncio.sleep(0.05)
        recorder.go_on.set()
        await asyncio.to_thread(jobs.close)
        with pytest.raises(OverloadedError, match="The server is stopping"):
            await jobs.run(recorder.job(1), 5)
        return await first, await second

    assert asyncio.run(main()) == ([0], [25])
