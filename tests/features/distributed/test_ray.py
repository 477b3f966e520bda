"""A local Ray cluster: the bytes of one process, a killed actor costs no row, and nothing listens beyond loopback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    find_spec("ray") is None or not Path("/proc/net/tcp").exists(),
    reason="needs Ray and Linux: pip install 'ramify[cluster]'",
)
_LISTENS = "0A"
_SCRIPT = """
import sys
from ramify.distributed import RayRunner
from support.workers import ThatWaits, shards
for receipt in RayRunner("local:2").run(ThatWaits(sys.argv[1]), shards(4)):
    print(receipt.shard, receipt.words)
"""


def listening():
    """Return the addresses on which some process of this machine listens, as (address, port) in hexadecimal."""
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    return {row[1] for row in rows if row[3] == _LISTENS}


def test_an_actor_is_killed_and_nothing_is_lost(pytestconfig, tmp_path):
    before = listening()
    environment = os.environ | {"PYTHONPATH": str(pytestconfig.rootpath / "tests")}
    job = subprocess.Popen(
        [sys.executable, "-c", _SCRIPT, tmp_path], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("*.pid")):
        assert job.poll() is None, job.stderr.read()
        assert time.monotonic() < deadline, "no actor began"
        time.sleep(0.1)
    # 127.0.0.1 as the kernel writes it, also within an address of IPv6
    mine = listening() - before
    assert [address for address in mine if "0100007F" not in address.split(":")[0][-8:]] == []
    assert len(mine) >= 2
    os.kill(int(next(tmp_path.glob("*.pid")).stem), signal.SIGKILL)
    (tmp_path / "go").touch()
    out, err = job.communicate(timeout=180)
    assert job.returncode == 0, err
    assert sorted(line for line in out.splitlines() if "raylet" not in line) == ["0 1", "1 1", "2 1", "3 1"]
