"""Training of segmenters that has gone wrong."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from ramify.errors import DivergedTrainingError
from ramify.segmentation import Options, Segmenter, training


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"run_pass": lambda self, epoch: (math.nan, 0.1)}, r"segmenter \(epoch 1\) expects finite numbers; the loss"),
        ({"token_weights": lambda self: np.full(1 << 10, 1e9, np.float32)}, "a weight is not finite any more"),
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
        Segmenter.train(sample, options=Options(bits=10, epochs=1))
