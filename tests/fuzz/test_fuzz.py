"""The fuzzer: that it notices every bad end, and that its first cases have a good one."""

from __future__ import annotations

import time

import pytest

from fuzz.runner import Watch

BAD_ENDS = [
    ("dies", "died with -11", "ctypes.string_at(0)"),
    ("hangs", "no answer within 1 s", "time.sleep(3600.0)"),
    ("raises", "StopIteration", "next("),
    ("lies", "a certificate is wrong", ""),
]


@pytest.mark.parametrize(("end", "problem", "call"), BAD_ENDS)
def test_bad_ends_are_noticed(end, problem, call):
    """One case of each, with the calls that led to it; the next one is run by a new worker."""
    watch = Watch(seed=7, seconds=300.0, limit=1.0, only=(end,))
    outcome = watch.run(first=0, cases=1)
    (finding,) = outcome.findings
    assert problem in finding.problem
    assert call in finding.calls
    assert f"seed 7, case 0 ({end})" in finding.text(7)


def test_first_cases():
    outcome = Watch(seed=0, seconds=300.0, only=("right graph", "wrong graph", "wrong factor", "wrong tree")).run(0, 40)
    assert [finding.text(0) for finding in outcome.findings] == []
    assert outcome.cases.total() == 40
    assert 0 < outcome.refused.total() < outcome.called.total()
    assert f"{40:9,} cases" in outcome.table()


def test_time_is_over_also_where_cases_are_short():
    begin = time.monotonic()
    Watch(seed=0, seconds=5.0, only=("penalties",)).run()
    assert time.monotonic() - begin < 60.0  # it went on for ever
