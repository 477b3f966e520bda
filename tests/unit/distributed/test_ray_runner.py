"""Ray: what can be said without it; tests/features/distributed starts one where it is installed."""

from __future__ import annotations

import sys

import pytest

from ramify.distributed import RayRunner
from ramify.errors import InvalidInputError, MissingExtraError
from support.workers import shards


def test_without_ray_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setitem(sys.modules, "ray.data", None)
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    with pytest.raises(
        MissingExtraError, match=r"needs the package 'ray'; install it with: pip install 'ramify\[cluster\]'"
    ):
        next(iter(RayRunner("local:2").run(print, shards(1))))


@pytest.mark.parametrize("name", ["local", "local:0", "local:x", "spark://x", ""])
def test_other_clusters_are_refused(name):
    with pytest.raises(InvalidInputError, match="expects a cluster ray://HOST:PORT, auto or local:N"):
        RayRunner(name)
