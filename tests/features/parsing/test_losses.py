"""Losses on beliefs: their gradients go through belief propagation, and training with them learns."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from ramify._core import parsing as _core
from ramify.data import Sentence, read
from ramify.errors import InterruptedTrainingError
from ramify.parsing import Config, Step, train
from ramify.parsing.corpus import core_sentences, frame_of, load_corpus
from ramify.parsing.state import core_model
from ramify.parsing.training import trainer_options

ALL = "sibling,any-sibling,grand,grand-sibling,tri-sibling,head-bigram"
KINDS = ["", *ALL.split(","), "no-cross", "valency", "path", "nonproj", "sibling,grand", "sibling,path,nonproj", ALL]
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
        corpus = load_corpus(sentences, "train", config)
        frame = frame_of(corpus, config)
        model = core_model(config, frame, np.zeros(1 << config.pruner.bits, np.int16), 0.0)
        self.trainer = _core.Trainer(model, trainer_options(config, 1), core_sentences(corpus), [])
        self.trainer.train_pruner(np.arange(len(sentences)), 0.1)
        self.trainer.prune()
        self.kept = "totals" if config.training.optimizer == "automatic" else "squares"
        self.model = model  # the trainer reads it

    def put(self, keys, weights, time=0.0):
        given = {"keys": keys, "weights": weights.astype(np.float32), "time": np.array([time]), "epoch": np.zeros(1)}
        # What else is remembered of each weight, if it is.
        zeros = {name: np.zeros(len(keys) if name == self.kept else 0, np.float32) for name in ("totals", "squares")}
        self.trainer.restore(given | zeros)

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


@pytest.mark.engine
@pytest.mark.parametrize("iterations", [1, 2, 5])
@pytest.mark.parametrize("tree", ["nonprojective", "projective"])
@pytest.mark.parametrize("parts", KINDS)
def test_gradients_through_beliefs(sentences, parts, tree, iterations):
    options = {"model__parts": parts, "model__tree": tree, "inference__bp_iterations": iterations}
    for number, loss in enumerate(["l2", "risk"]):
        learner = Learner(sentences[:6], training__loss=loss, training__temperature_start=0.3, **options)
        check_gradient(learner, 1 + number, seed=iterations)


@pytest.mark.parametrize("beta", [1.0, 3.0, float("inf")])
@pytest.mark.parametrize("tree", ["nonprojective", "projective"])
@pytest.mark.parametrize("parts", KINDS)
def test_gradients_of_the_family(sentences, parts, tree, beta):
    """Where belief propagation has converged, its marginals are the gradient of its log Z, whatever the loops.

    With infinite beta the loss is linear as long as the best tree stays the same.
    """
    options = {"model__parts": parts, "model__tree": tree, "inference__bp_iterations": 500, "training__beta": beta}
    learner = Learner(sentences[:6], **options)
    rng = np.random.default_rng(2)
    _, keys, _ = learner.trainer.loss_and_gradient(1)
    weights = (0.02 * rng.standard_normal(len(keys))).astype(np.float32)
    learner.put(keys, weights)
    loss, again, gradient = learner.trainer.loss_and_gradient(1)
    assert loss > 0
    full = np.zeros(len(keys))
    full[np.searchsorted(keys, again[np.isin(again, keys)])] = gradient[np.isin(again, keys)]
    direction = rng.standard_normal(len(keys))
    step = (1e-2 if np.isfinite(beta) else 1e-4) / np.abs(direction).max()
    ends = [(weights + sign * step * direction).astype(np.float32) for sign in (1, -1)]
    losses = []
    for end in ends:
        learner.put(keys, end)
        losses.append(learner.loss(1))
    moved = ends[0].astype(float) - ends[1].astype(float)
    scale = np.linalg.norm(full) * np.linalg.norm(moved)
    assert losses[0] - losses[1] == pytest.approx(full @ moved, rel=5e-3, abs=1e-4 * scale)


@pytest.mark.engine
def test_gradient_of_the_likelihood(sentences):
    learner = Learner(sentences[:6], training__beta=1, training__gamma=0)
    check_gradient(learner, 1, seed=1)


@pytest.mark.engine
@pytest.mark.parametrize("parts", ["", "sibling", "grand", "grand-sibling", "sibling,grand,grand-sibling"])
@pytest.mark.parametrize("loss", ["family", "l2", "risk"])
def test_gradients_through_dynamic_programs(sentences, parts, loss):
    """Exact inference: of the likelihood too the gradient is the true one, whatever the parts."""
    family = {"training__beta": 1, "training__gamma": 0}
    options = {"model__parts": parts, "model__tree": "projective", "inference__method": "dynamic-program"}
    learner = Learner(sentences[:6], training__loss=loss, training__temperature_start=0.3, **family, **options)
    check_gradient(learner, 1, seed=1)


def test_likelihood_of_projective_models_takes_projective_trees():
    """The arc of the hearing's modifier crosses; it is lifted to the verb, which any tree may have."""
    crossing = Sentence(
        ["A", "hearing", "is", "scheduled", "on", "it", "today"],
        upos=["DET", "NOUN", "AUX", "VERB", "ADP", "PRON", "NOUN"],
        heads=[2, 4, 4, 0, 6, 2, 4],
        deprels=["dep"] * 7,
    )
    lifted = Sentence(crossing.forms, upos=crossing.upos, heads=[2, 4, 4, 0, 6, 4, 4], deprels=["dep"] * 7)
    unpruned = {"pruner__threshold": 0, "pruner__max_heads": 100, "pruner__lengths": "false"}
    options = {"training__beta": 1, "training__gamma": 0, "model__tree": "projective", **unpruned}
    losses = [Learner([gold], **options).trainer.loss_and_gradient(0) for gold in (crossing, lifted)]
    assert losses[0][0] == pytest.approx(losses[1][0])
    np.testing.assert_array_equal(losses[0][1], losses[1][1])
    np.testing.assert_allclose(losses[0][2], losses[1][2])


def test_gradient_at_a_later_temperature(sentences):
    learner = Learner(sentences[:6], training__loss="l2-risk", training__temperature_end=0.2)
    check_gradient(learner, 1, seed=1, time=11.0)
    late = learner.loss(1)
    state = learner.trainer.state()
    learner.put(state["keys"], state["weights"], 0.0)
    assert learner.loss(1) != pytest.approx(late)  # the first half is for the other loss


@pytest.mark.engine
def test_weights_share_buckets(sentences):
    """Features in one bucket move as one: the bucket's gradient is the sum of theirs."""
    options = {"training__features": "buckets", "training__num_buckets": 50, "training__optimizer": "adagrad"}
    learner = Learner(sentences[:6], training__loss="l2", training__regularization=0, **options)
    learner.trainer.run(np.array([1]))
    state = learner.trainer.state()
    weights, squares = state["weights"], state["squares"]
    assert len(weights) <= 50
    rate = Config().training.rate
    assert np.all(np.abs(weights[squares > 0]) <= rate)  # one step is never longer
    assert np.abs(weights).max() > 0.1 * rate


# -- what the losses are -----------------------------------------------------------------------------------------------


def test_l2_of_equal_trees(sentences):
    """With all weights 0 and arcs only, the loss can be computed from the uniform distribution over trees."""
    short = next(s for s in sentences if 3 <= len(s) <= 5)
    bare = [Sentence(short.forms, upos=short.upos, heads=short.heads, deprels=["dep"] * len(short))]
    learner = Learner(bare, training__loss="l2", pruner__threshold=0, pruner__max_heads=100, pruner__lengths="false")
    assert learner.loss(0) == pytest.approx(brute_force_l2(bare[0].heads.tolist()), rel=1e-9)


@pytest.mark.parametrize("loss", ["l2", "risk"])
@pytest.mark.parametrize("tree", ["nonprojective", "projective"])
def test_losses_are_zero_where_beliefs_are_gold(sentences, loss, tree):
    learner = Learner(
        sentences[:6],
        model__parts="sibling,grand",
        model__tree=tree,
        training__loss=loss,
        training__optimizer="adagrad",
        training__rate=0.05,
        training__temperature_end=0.1,
    )
    for _ in range(10):
        learner.trainer.run(np.array([1]))
    state = learner.trainer.state()
    learner.put(state["keys"], 10 * state["weights"])
    assert learner.loss(1) == pytest.approx(0.0, abs=0.02 if loss == "risk" else 1e-3)
    gradient = learner.trainer.loss_and_gradient(1)[2]
    assert np.abs(gradient).max(initial=0.0) < 0.02


def brute_force_l2(gold):
    n = len(gold)
    total, counts = 0, np.zeros((n + 1, n + 1))
    for heads in np.ndindex(*[n + 1] * n):
        if not is_tree(heads):
            continue
        total += 1
        counts[list(heads), range(1, n + 1)] += 1
    target = np.zeros((n + 1, n + 1))
    target[gold, range(1, n + 1)] = 1
    return 2 * np.square(counts / total - target).sum()  # on and off


def is_tree(heads):
    if sum(head == 0 for head in heads) != 1:
        return False
    for word in range(1, len(heads) + 1):
        for _ in heads:
            word = heads[word - 1] if word else 0
        if word:
            return False
    return True


def test_risk_counts_errors_when_it_is_cold(sentences):
    """At a temperature of almost 0 the risk is the number of wrong heads and labels of the decoder."""
    options = {"training__loss": "risk", "training__temperature_start": 1e-9, "training__temperature_end": 1e-9}
    learner = Learner(sentences[:6], **options)
    _, keys, _ = learner.trainer.loss_and_gradient(1)
    for seed in range(3):
        learner.put(keys, 0.2 * np.random.default_rng(seed).standard_normal(len(keys)))
        loss = learner.loss(1)
        assert loss == pytest.approx(round(loss), abs=1e-6)
        assert 0 < loss <= len(sentences[1])


# -- training ----------------------------------------------------------------------------------------------------------


def assert_same(a, b):
    for name in ("keys", "values", "scale"):
        np.testing.assert_array_equal(getattr(a.weights, name), getattr(b.weights, name), err_msg=name)
    assert a.weights.keys.size > 1000


LEARNING = [
    *[(loss, optimizer) for loss in THROUGH_BELIEFS for optimizer in ("automatic", "adagrad")],
    ("family", "adagrad"),
]


@pytest.mark.parametrize(("loss", "optimizer"), LEARNING)
def test_losses_learn_by_heart(sentences, loss, optimizer):
    options = {"training__loss": loss, "training__optimizer": optimizer, "training__epochs": 6}
    if loss == "family":
        options |= {"training__beta": 1, "training__gamma": 0}
    state = train(
        configured(
            model__parts="sibling,grand",
            inference__method="belief-propagation",
            inference__bp_iterations=2,
            **options,
        ),
        sentences,
        sentences,
    )
    assert state.facts["scores"]["uas"] > 0.95
    assert state.facts["scores"]["las"] > 0.9


def small(**options):
    values = {"training__optimizer": "adagrad", "inference__bp_iterations": 2, "model__parts": "sibling"}
    return configured(**(values | options))


@pytest.mark.engine
@pytest.mark.parametrize("loss", ["family", "l2-risk"])
@pytest.mark.parametrize("batch", [1, 5])
def test_one_thread_equals_two(sentences, batch, loss):
    config = small(training__batch=batch, training__loss=loss, training__regularization=1)
    assert_same(train(config, sentences, threads=1), train(config, sentences, threads=2))


@pytest.mark.parametrize("loss", ["l2", "l2-risk"])
def test_resumed_equals_uninterrupted(sentences, tmp_path, monkeypatch, loss):
    monkeypatch.setattr("ramify.parsing.training.ParserLearner.chunk", 16)
    config = small(training__loss=loss, training__regularization=1)
    whole = train(config, sentences)

    def stop(event):
        if isinstance(event, Step) and event.stage == "parser" and event.epoch == 2:
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(InterruptedTrainingError):
        train(config, sentences, output=tmp_path / "model", progress=stop)
    assert_same(train(config, sentences, output=tmp_path / "model", resume=True), whole)


@pytest.mark.engine
def test_batches_sum_gradients(sentences):
    """A sentence twice in a batch has twice the gradient, which AdaGrad's first step does not see."""
    options = {"training__optimizer": "adagrad", "training__batch": 2, "model__parts": "sibling"}
    single, double = (Learner(sentences[:6], training__loss="l2", **options) for _ in range(2))
    single.trainer.run(np.array([1]))
    double.trainer.run(np.array([1, 1]))
    once, twice = single.trainer.state(), double.trainer.state()
    np.testing.assert_array_equal(once["keys"], twice["keys"])
    np.testing.assert_allclose(twice["squares"], 4 * once["squares"], rtol=1e-5)
