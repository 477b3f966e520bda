"""Where the shards of a job are worked on: one interface, and processes of this machine behind it."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ramify.errors import UnsupportedError
from ramify.options import Integer, check_argument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ramify.distributed.shards import Shard
    from ramify.distributed.work import Receipt

__all__ = ["MOST_LOSSES", "ProcessRunner", "Runner"]

MOST_LOSSES = 3  # times that a worker may die over the same shard


class Runner(Protocol):
    """Has shards worked on somewhere, each at least once; work that a dying worker leaves behind is done again."""

    def run(self, work: Callable[[Shard], Receipt], shards: Sequence[Shard]) -> Iterator[Receipt]:
        """Yield the receipts of all shards, in any order."""
        ...


@dataclass(frozen=True)
class ProcessRunner:
    """Works on shards in processes of this machine.

    Parameters
    ----------
    workers : number of processes
    """

    workers: int = 1

    def __post_init__(self) -> None:
        check_argument("ProcessRunner", "workers", Integer(1), self.workers)

    def run(self, work: Callable[[Shard], Receipt], shards: Sequence[Shard]) -> Iterator[Receipt]:
        """Yield the receipts of all shards, in any order."""
        waiting = list(reversed(shards))
        losses: dict[Shard, int] = {}
        while waiting:
            doing: dict[Future[Receipt], Shard] = {}
            try:
                # Not forked: a copy of a process with threads may wait for a lock that nobody holds.
                context = multiprocessing.get_context("spawn")
                with ProcessPoolExecutor(self.workers, mp_context=context) as pool:
                    while waiting or doing:
                        while waiting and len(doing) < self.workers:  # no more, so that a death blames few
                            doing[pool.submit(work, waiting[-1])] = waiting[-1]
                            waiting.pop()  # only now: a broken pool takes nothing
                        done, _ = wait(doing, return_when=FIRST_COMPLETED)
                        for future in done:
                            receipt = future.result()
                            del doing[future]
                            yield receipt
            except BrokenProcessPool:
                for shard in doing.values():
                    _blame(shard, losses)
                waiting += doing.values()


def _blame(shard: Shard, losses: dict[Shard, int]) -> None:
    losses[shard] = losses.get(shard, 0) + 1
    if losses[shard] >= MOST_LOSSES:
        raise UnsupportedError(
            f"{shard.path}: {MOST_LOSSES} workers died while they worked on {shard.output}; perhaps memory is too "
            "small. Use fewer workers or smaller shards; the finished shards are kept."
        )
