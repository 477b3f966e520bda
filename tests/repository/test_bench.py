"""``python -m bench``: which ratios it finds in what scripts print, and which it reports as worse."""

from __future__ import annotations

import importlib.util

import pytest


@pytest.fixture
def bench(pytestconfig, monkeypatch):
    spec = importlib.util.spec_from_file_location("bench_main", pytestconfig.rootpath / "bench" / "__main__.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(__import__("sys").modules, "bench_main", module)  # dataclasses look for it
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("reader", "x\nramify is 31.5 times as fast and needs 1/9.0 of the memory\n", {"line 2.1": 31.5}),
        ("trees", "head (bar: 9x)\n  networkx: 12.3x one call, 45.6x in a batch",
         {"line 2.1": 12.3, "line 2.2": 45.6}),
        ("relax", "   20     8400   1e-03     30.0    50      6.0    5.0  1.00%      2    99   1e-04  2e-03",
         {"line 1.1": 5.0}),
    ],
)  # fmt: skip
def test_ratios(bench, name, text, wanted):
    assert bench.ratios_of(text, bench.SCRIPTS[name].ratio) == wanted


def test_only_clearly_lower_ratios_are_worse(bench):
    kept = {"trees": {"ratios": {"a": 10.0, "b": 10.0}}}
    found = {"trees": {"ratios": {"a": 9.0, "b": 7.0, "new": 1.0}}, "reader": {"error": "no"}}
    assert bench.worse(kept, found) == ["trees, b: 7.0, and was 10.0"]


def test_facts_of_the_machine_name_no_machine(bench):
    import platform

    assert platform.node() not in [str(value) for value in bench.machine().values()]


def test_a_script_that_fails_says_so(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "FOLDER", tmp_path)
    (tmp_path / "bad.py").write_text("raise SystemExit('no data')")
    assert bench.run_script("bad", bench.Script((), "x")) == {"error": "no data"}
