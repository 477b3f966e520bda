"""Who is told of training: nobody, a function, or a person."""

from __future__ import annotations

import sys

import pytest

from ramify.errors import InvalidInputError
from ramify.learn.progress import Step, reporting
from ramify.parsing import Pruned
from ramify.pipeline.progress import Inner, StepBegun, StepDone

EVENT = Pruned(2.5, 0.99, "dev")


def shown(progress, capsys):
    with reporting(progress) as report:
        report(EVENT)
        report(Step("parser", 1, 2, 10, 20, 100, 1.0))
    out, err = capsys.readouterr()
    assert out == ""
    return err


def test_true_false_auto_and_functions(capsys, monkeypatch):
    line = "pruner: 2.50 heads per word, 99.00% of the gold heads kept (dev)\n"
    assert shown(True, capsys) == line
    assert shown(False, capsys) == ""
    assert shown("auto", capsys) == ""  # no terminal
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert line.strip() in shown("auto", capsys)
    seen = []
    assert shown(seen.append, capsys) == ""
    assert seen[0] is EVENT
    assert len(seen) == 2


@pytest.mark.parametrize("progress", [None, "yes", 1, []])
def test_other_values_are_refused(progress):
    with (
        pytest.raises(InvalidInputError, match="progress expects True, False, 'auto' or a function"),
        reporting(progress),
    ):
        pass


def test_events_of_components():
    step = Step("upos", 1, 3, 10, 20, 100, 1.0)
    assert Inner("upos, fold 2 of 10", step).step.stage == "upos, fold 2 of 10"
    assert Inner("parser", Step("pruner", 1, 1, 1, 1, 1)).step.stage == "pruner"
    assert Inner("parser", EVENT).step is None
    assert str(Inner("parser", EVENT)) == str(EVENT)
    assert (str(StepBegun("upos")), str(StepDone("upos", 1.25))) == ("upos …", "upos: 1.2 s")
    assert str(StepDone("upos", None)) == "upos: already done in an earlier run"
