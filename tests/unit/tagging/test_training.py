"""Training of taggers: signals, divergence, models that are there already."""

from __future__ import annotations

import functools
import math
import signal
from types import SimpleNamespace

import numpy as np
import pytest

from ramify.errors import DivergedTrainingError, InterruptedTrainingError, InvalidInputError
from ramify.tagging import Tagger, task, training
from ramify.tagging.model_files import TaggerFiles
from support.models import check_resuming, stop_after


def test_divergence_stops_training(sentences, tmp_path, monkeypatch):
    class Broken:
        def __init__(self, *arguments, **options):
            self._trainer = core.Trainer(*arguments, **options)

        def __getattr__(self, name):
            return getattr(self._trainer, name)

        def run(self, chunk):
            self._trainer.run(chunk)
            return SimpleNamespace(loss=math.nan)

    core = training._core
    monkeypatch.setattr(training, "_core", SimpleNamespace(**vars(core) | {"Trainer": Broken}))
    with pytest.raises(DivergedTrainingError, match=r"tagger of upos \(epoch 1\) expects finite numbers; the loss"):
        Tagger.train(train=sentences, output=tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_weights_too_large_for_a_file_stop_training(sentences):
    with pytest.raises(DivergedTrainingError, match="a weight is no longer finite"):
        Tagger.train(train=sentences[:20], options={"training.epochs": "1", "training.max-step": "1000000"})


@pytest.mark.parametrize("name", ["model", "model.zip"])
def test_models_are_not_overwritten_unasked(sentences, tmp_path, name):
    options = {"training.epochs": "1"}
    Tagger.train(train=sentences[:20], options=options, output=tmp_path / name)
    with pytest.raises(InvalidInputError, match=r"There is a model at .* already"):
        Tagger.train(train=sentences[:20], options=options, output=tmp_path / name)
    Tagger.train(train=sentences[:20], options=options, output=tmp_path / name, overwrite=True)


@pytest.mark.parametrize("where", ["load", "save"])
def test_signals(sentences, tmp_path, monkeypatch, where):
    owner = task if where == "load" else TaggerFiles
    original = getattr(owner, where)

    def interrupted(*arguments):
        signal.raise_signal(signal.SIGTERM)
        return original(*arguments)

    monkeypatch.setattr(owner, where, interrupted)
    with pytest.raises(InterruptedTrainingError) as caught:
        Tagger.train(train=sentences[:20], options={"training.epochs": "1"}, output=tmp_path / "model")
    whole = where == "save"
    assert ("the model is complete" if whole else "start it again") in str(caught.value)
    assert (tmp_path / "model").exists() is whole


def test_chunks_change_nothing(sentences, monkeypatch):
    options = {"training.epochs": "2", "training.batch": "3"}
    one = Tagger.train(train=sentences, options=options)
    monkeypatch.setattr(training.TaggerLearner, "chunk", 1)
    two = Tagger.train(train=sentences, options=options)
    np.testing.assert_array_equal(one._state.weights.values, two._state.weights.values)
    np.testing.assert_array_equal(one._state.weights.keys, two._state.weights.keys)


OPTIONS = [
    {"training.batch": "3", "training.dropout": "0.2"},
    {"training.refit": "true", "training.patience": "1"},
    {"training.steps": "automatic", "training.features": "supported", "model.order": "2"},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("steps", [[1], [3], [2, 2], [3, 1, 1]])
def test_resumed_equals_uninterrupted(sentences, tmp_path, monkeypatch, options, steps):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setattr(training.TaggerLearner, "chunk", 30)  # two steps an epoch
    settings = {"train": sentences[:60], "dev": sentences[60:80], "options": {"training.epochs": "3"} | options}
    check_resuming(functools.partial(Tagger.train, **settings), tmp_path, map(stop_after, steps))


def test_checkpoints_serve_their_own_run_only(sentences, tmp_path):
    target = tmp_path / "model"
    options = {"training.epochs": "2"}
    with pytest.raises(InterruptedTrainingError):
        Tagger.train(train=sentences[:40], options=options, output=target, progress=stop_after(1))
    for changed in ({"train": sentences[1:40]}, {"options": {"training.epochs": "3"}}):
        with pytest.raises(InvalidInputError, match="checkpoint of another run"):
            Tagger.train(**{"train": sentences[:40], "options": options} | changed, output=target, resume=True)
    with pytest.raises(InvalidInputError, match="contains an interrupted training run"):
        Tagger.train(train=sentences[:40], options=options, output=target)
