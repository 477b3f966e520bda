"""Work on shards in processes: every shard is worked on, also when workers die."""

from __future__ import annotations

import pytest

from ramify.distributed import ProcessRunner
from ramify.errors import InvalidInputError, UnsupportedError
from support.workers import DyingWorker, shards


def test_the_work_of_a_dead_worker_is_done_again(tmp_path):
    receipts = list(ProcessRunner(2).run(DyingWorker(tmp_path, "1", 1), shards(4)))
    assert sorted(receipt.shard for receipt in receipts) == ["0", "1", "2", "3"]
    assert len(list(tmp_path.iterdir())) == 1


def test_a_shard_that_kills_every_worker_ends_the_job(tmp_path):
    with pytest.raises(UnsupportedError, match=r"3 workers died while they worked on 0; .*finished shards are kept"):
        list(ProcessRunner(1).run(DyingWorker(tmp_path, "0", 99), shards(1)))


def test_workers_are_at_least_one():
    with pytest.raises(InvalidInputError, match="workers"):
        ProcessRunner(0)
