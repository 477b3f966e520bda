"""Training of segmenters: divergence, signals, models that are there already."""

from __future__ import annotations

import functools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from ramify.errors import DivergedTrainingError, InvalidInputError
from ramify.segmentation import Segmenter, training
from support.models import check_resuming, stop_after


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


@pytest.mark.parametrize("stops", [[("segmenter", 1)], [("segmenter", 2), ("segmenter", 1)], [("sentence ends", 3)]])
def test_resumed_equals_uninterrupted(sample, tmp_path, monkeypatch, stops):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    settings = {"train": sample, "dev": sample, "options": {"bits": 14, "epochs": 4}}
    reports = [stop_after(steps, stage=stage) for stage, steps in stops]
    check_resuming(functools.partial(Segmenter.train, **settings), tmp_path, reports)


def test_models_are_not_overwritten_unasked(sample, tmp_path):
    options = {"bits": 10, "epochs": 1}
    Segmenter.train(sample, options=options, output=tmp_path / "model")
    with pytest.raises(InvalidInputError, match=r"There is a model at .* already"):
        Segmenter.train(sample, options=options, output=tmp_path / "model")
    Segmenter.train(sample, options=options, output=tmp_path / "model", overwrite=True)
