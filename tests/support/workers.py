"""What workers of other processes do in tests: they import it by this name."""

from __future__ import annotations

import os
import time
from pathlib import Path

from ramify.distributed import Shard
from ramify.distributed.work import Receipt


def shards(count):
    return [Shard("corpus", "text", "corpus", 0, -1, 1, str(i)) for i in range(count)]


class DyingWorker:
    """Dies so many times over one of the shards; a file counts."""

    def __init__(self, folder: Path, shard: str, deaths: int) -> None:
        self._arguments = folder, shard, deaths

    def __call__(self, shard: Shard) -> Receipt:
        folder, victim, deaths = self._arguments
        died = sorted(folder.iterdir())
        if shard.output == victim and len(died) < deaths:
            (folder / str(len(died))).touch()
            os._exit(1)
        return Receipt(shard.output, words=1)


class Here:
    """A runner that works in this process, and can stop after so many shards."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self.seen: list[str] = []

    def run(self, work, shards):
        for shard in shards:
            if self.most is not None and len(self.seen) == self.most:
                raise KeyboardInterrupt
            self.seen.append(shard.output)
            yield work(shard)


class ThatWaits:
    """Says the number of its process, and waits until a file ``go`` is there."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __call__(self, shard: Shard) -> Receipt:
        folder = Path(self._folder)
        (folder / f"{os.getpid()}.pid").touch()
        while not (folder / "go").exists():
            time.sleep(0.05)
        return Receipt(shard.output, words=1)
