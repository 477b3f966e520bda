"""Losses on beliefs: their gradients go through belief propagation, and training with them learns."""

from __future__ import annotations

import numpy as np
import pytest

from ramify._core import parsing as _core
from ramify.data import read
from ramify.parsing import Config
from ramify.parsing.corpus import frame_of, load_corpus
from ramify.parsing.state import core_model
from ramify.parsing.training import trainer_options

pytestmark = pytest.mark.engine

ALL = "sibling,any-sibling,grand,grand-sibling,tri-sibling,head-bigram"
KINDS = ["", *ALL.split(","), "sibling,grand", ALL]
THROUGH_BELIEFS = ["l2", "risk", "l2-risk"]


@pytest.fixture(scope="module")
def sentences(sample):
    return list(read(sample))[:40]


def configured(**options):
    values = {"training.epochs": "2", "pruner.bits": "14", "pruner.epochs": "1", "pruner.threshold": "1e-4"}
    values |= {name.replace("__", ".").replace("_", "-"): str(value) for name, value in options.items()}
    return Config().override(values)


class Learner:
    """A C++ trainer with weights that can be set one by one."""

    def __init__(self, sentences, **options):
        config = configured(**options)
        corpus = load_corpus(sentences, "train")
        frame = frame_of(corpus, config)
        model = core_model(config, frame, np.zeros(1 << config.pruner.bits, np.int16), 0.0)
        self.trainer = _core.Trainer(model, trainer_options(config, 1), corpus.core, [])
        self.trainer.train_pruner(np.arange(len(sentences)), 0.1)
        self.trainer.prune()
        self.model = model  # the trainer reads it

    def put(self, keys, weights, time=0.0):
        self.trainer.restore(keys, weights.astype(np.float32), np.zeros(len(keys), np.float32), time)

    def loss(self, sentence):
        return self.trainer.loss_and_gradient(sentence)[0]


def check_gradient(learner, sentence, seed, time=0.0, spread=0.1):
    """Compare with central differences at random weights, along random directions and for single features."""
    rng = np.random.default_rng(seed)
    _, keys, _ = learner.trainer.loss_and_gradient(sentence)
    weights = (spread * rng.standard_normal(len(keys))).astype(np.float32)
    learner.put(keys, weights, time)
    loss, again, gradient = learner.trainer.loss_and_gradient(sentence)
    assert loss > 0
    assert np.all(np.diff(keys.astype(object)) > 0)
    full = dict.fromkeys(keys.tolist(), 0.0) | dict(zip(again.tolist(), gradient.tolist(), strict=True))
    full = np.array([full[key] for key in keys.tolist()])
    largest = np.abs(full).max()
    assert largest > 1e-4
    directions = [rng.standard_normal(len(keys)) / np.sqrt(len(keys)) for _ in range(2)]
    directions += [np.eye(1, len(keys), np.argmax(np.abs(full)))[0], np.eye(1, len(keys), rng.integers(len(keys)))[0]]
    for direction in directions:
        step = 3e-4 / np.abs(direction).max() if np.count_nonzero(direction) > 1 else 1e-4
        up, down = (weights + step * direction).astype(np.float32), (weights - step * direction).astype(np.float32)
        learner.put(keys, up, time)
        above = learner.loss(sentence)
        learner.put(keys, down, time)
        below = learner.loss(sentence)
        moved = up.astype(float) - down.astype(float)  # as it was rounded
        scale = largest * np.linalg.norm(moved)
        assert above - below == pytest.approx(full @ moved, rel=1e-3, abs=1e-4 * scale)


@pytest.mark.parametrize("iterations", [1, 2, 5])
@pytest.mark.parametrize("tree", ["nonprojective", "projective"])
@pytest.mark.parametrize("parts", KINDS)
def test_gradients_through_beliefs(sentences, parts, tree, iterations):
    options = {"model__parts": parts, "model__tree": tree, "inference__bp_iterations": iterations}
    for number, loss in enumerate(["l2", "risk"]):
        learner = Learner(sentences[:6], training__loss=loss, training__temperature_start=0.3, **options)
        check_gradient(learner, 1 + number, seed=iterations)
