"""Training of segmenters: divergence, signals, models that are there already."""

from __future__ import annotations

import math
import signal
from types import SimpleNamespace

import numpy as np
import pytest

from ramify.errors import DivergedTrainingError, InterruptedTrainingError, InvalidInputError
from ramify.learn.progress import Step
from ramify.segmentation import Segmenter, training


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"run_pass": lambda self, epoch: (math.nan, 0.1)}, r"segmenter \(epoch 1\) expects finite numbers; the loss"),
        ({"token_weights": lambda self: np.full(1 << 10, 1e9, np.float32)}, "a weight is no longer finite"),
    ],
)
def test_divergence_stops_training(sample, monkeypatch, broken, message):
    core = training._core
    inner = core.Trainer

    class Trainer:
        def __init__(self, *arguments):
            self._trainer = inner(*arguments)

        def __getattr__(self, name):
            return getattr(self._trainer, name)

    for name, method in broken.items():
        setattr(Trainer, name, method)
    monkeypatch.setattr(training, "_core", SimpleNamespace(**vars(core) | {"Trainer": Trainer}))
    with pytest.raises(DivergedTrainingError, match=message):
        Segmenter.train(sample, options={"bits": 10, "epochs": 1})


def stop_after(stage, steps):
    """Return a report that sends this process a signal after so many steps of a stage."""
    seen = 0

    def report(event):
        nonlocal seen
        if isinstance(event, Step) and event.stage == stage:
            seen += 1
            if seen == steps:
                signal.raise_signal(signal.SIGTERM)

    return report


@pytest.mark.parametrize("stops", [[("segmenter", 1)], [("segmenter", 2), ("segmenter", 1)], [("sentence ends", 3)]])
def test_resumed_equals_uninterrupted(sample, tmp_path, monkeypatch, stops):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    settings = {"train": sample, "dev": sample, "options": {"bits": 14, "epochs": 4}}
    Segmenter.train(**settings, output=tmp_path / "whole.zip")
    target = tmp_path / "model.zip"
    for number, stop in enumerate(stops):
        with pytest.raises(
            InterruptedTrainingError, match=r"the progress is saved in .*run the same command with --resume"
        ):
            Segmenter.train(**settings, output=target, resume=number > 0, progress=stop_after(*stop))
        assert not target.exists()
    events = []
    Segmenter.train(**settings, output=target, resume=True, progress=events.append)
    assert str(events[1]).startswith("resumed after ")
    assert target.read_bytes() == (tmp_path / "whole.zip").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.zip", "whole.zip"]


def test_models_are_not_overwritten_unasked(sample, tmp_path):
    options = {"bits": 10, "epochs": 1}
    Segmenter.train(sample, options=options, output=tmp_path / "model")
    with pytest.raises(InvalidInputError, match=r"There is a model at .* already"):
        Segmenter.train(sample, options=options, output=tmp_path / "model")
    Segmenter.train(sample, options=options, output=tmp_path / "model", overwrite=True)
