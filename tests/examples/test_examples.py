"""The examples run, and their tables say what the guide says of them."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

pytest.importorskip("scipy", reason="the examples use scipy as an independent solver; install ramify[test]")
pytest.importorskip("sklearn", reason="the examples use scikit-learn as a baseline; install ramify[test]")


@pytest.fixture(scope="module")
def table(pytestconfig):
    """Run an example, and return the numbers of each line of its table by the line's first words."""

    def run(name):
        path = pytestconfig.rootpath / "examples" / f"{name}.py"
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        return {re.split(r"\s{2,}|: ", line)[0]: [float(n) for n in re.findall(r"-?\d+\.\d+", line)] for line in lines}

    return run


def test_chunking_equals_the_labeller(table):
    scores = table("chunking")
    assert abs(scores["StructuredModel"][0] - scores["SequenceLabeller"][0]) <= 1.0
    assert scores["StructuredModel"][0] > 85.0


def test_denoising_beats_the_threshold_and_reaches_the_minimum_cut(table):
    scores = table("denoising")
    assert scores["grid, AD3"][0] > scores["best threshold"][0] + 10.0
    assert scores["grid, AD3"][0] == pytest.approx(scores["grid, maximum flow"][0], abs=0.1)
    assert scores["largest difference of their scores"][0] <= 1e-3


def test_pairs_of_labels_beat_independent_classifiers(table):
    scores = table("multilabel")
    labels_right, all_right = scores["independent logistic regressions"]
    assert scores["all pairs, best set of labels"][1] > all_right + 2.0
    assert scores["all pairs, each label by itself"][0] > labels_right
    assert scores["all pairs, first two labels known"][1] > scores["independent, the other five"][1] + 2.0


def test_assignments_are_as_the_experts(table):
    scores = table("assignment")
    assert scores["AD3, branch and bound"] == scores["HiGHS"]
    assert scores["HiGHS"][1] > 99.0 > scores["greedy choice"][1]
    assert scores["cosine of learned and true weights"][0] > 0.98


def test_examples_are_short(pytestconfig):
    lengths = {path.name: len(path.read_text().splitlines()) for path in pytestconfig.rootpath.glob("examples/*.py")}
    assert len(lengths) == 4
    assert max(lengths.values()) < 100
