"""Steps, averages and penalties of the C++ learner, against numpy and finite differences."""

import math

import numpy as np
import pytest

from oracles.learner import NumpyLearner
from ramify.errors import InvalidInputError
from ramify.learn.penalties import regularizer
from support.learners import Batch, learner, optimizer, random_batch, weights_of

WIDTH = 40
CLOSE = {"rtol": 2e-4, "atol": 2e-6}  # the learner's weights have single precision


def learn_twice(rng, taught, reference, *, epochs=3, batches=5, size=4):
    """Teach both the same."""
    for _ in range(epochs):
        for _ in range(batches):
            batch = random_batch(rng, size, WIDTH)
            batch.teach(taught)
            features = batch.dense(WIDTH)
            reference.batch([g * row for g, row in zip(batch.gradient, features, strict=True)], batch.losses)
        taught.end_epoch()
        reference.epoch += 1


@pytest.mark.engine
@pytest.mark.parametrize("averaged", [True, False])
@pytest.mark.parametrize("decay", [0.0, 0.5])
@pytest.mark.parametrize("method", ["AUTOMATIC", "ADAGRAD", "SGD"])
def test_steps(method, decay, averaged):
    taught = learner(optimizer(method, 0.3, decay, averaged=averaged), batch=4)
    reference = NumpyLearner(WIDTH, method=method, rate=0.3, decay=decay)
    learn_twice(np.random.default_rng(1), taught, reference)
    np.testing.assert_allclose(weights_of(taught, WIDTH), reference.w, **CLOSE)
    mean = reference.average() if averaged else reference.w
    np.testing.assert_allclose(weights_of(taught, WIDTH, averaged=True), mean, **CLOSE)


def test_damping():
    taught = learner(optimizer("ADAGRAD", 0.3, damping=0.1), batch=4)
    reference = NumpyLearner(WIDTH, method="ADAGRAD", rate=0.3, damping=0.1)
    learn_twice(np.random.default_rng(2), taught, reference)
    np.testing.assert_allclose(weights_of(taught, WIDTH), reference.w, **CLOSE)


def test_perceptron_steps_have_one_length():
    taught = learner(optimizer(rate=0.25), beta=math.inf)
    batch = Batch([[3, 5]], [-1.0], [0.0])
    batch.teach(taught)
    np.testing.assert_allclose(weights_of(taught, 6), [0, 0, 0, 0.25, 0, 0.25])
    other = learner(optimizer(rate=0.25), beta=math.inf, gamma=1.0)
    batch.teach(other)
    assert not weights_of(other, 6).any()  # no loss, no step


@pytest.mark.engine
@pytest.mark.parametrize("method", ["ADAGRAD", "SGD"])
def test_l2(method):
    """Between gradients that touch everything, the lazy penalty is the one that is taken step by step."""
    taught = learner(optimizer(method, 0.3, averaged=False), l2=2.0, batch=4)
    taught.set_num_examples(4)  # so that a look at all weights follows every batch
    reference = NumpyLearner(WIDTH, method=method, rate=0.3, strength=2.0, size=4)
    learn_twice(np.random.default_rng(3), taught, reference)
    np.testing.assert_allclose(weights_of(taught, WIDTH), reference.w, **CLOSE)


def test_l2_goes_to_the_minimum():
    """(log(1 + exp(-w)) + lambda / 2 w^2) / 1 has its minimum where lambda w = 1 / (1 + exp(w))."""
    taught = learner(optimizer("SGD", 0.1, averaged=False), l2=0.5)
    for _ in range(500):
        w = weights_of(taught, 1)[0]
        Batch([[0]], [-1 / (1 + math.exp(w))], [math.log1p(math.exp(-w))]).teach(taught)
    w = weights_of(taught, 1)[0]
    assert 0.5 * w == pytest.approx(1 / (1 + math.exp(w)), abs=0.03)


def test_gradient_by_finite_differences():
    """With steps of one, the weights move by minus the gradient of the loss by the weights."""
    rng = np.random.default_rng(4)
    batch = random_batch(rng, 5, WIDTH)
    features, gold = batch.dense(WIDTH), 2

    def loss(w):
        scores = features @ w
        return np.log(np.exp(scores).sum()) - scores[gold]

    taught = learner(optimizer("SGD", 1.0, averaged=False))
    parts = Batch(batch.columns, [], [], batch.values)
    scores = taught.scores(parts.rows, parts.keys, parts.flat_values, False)
    p = np.exp(scores) / np.exp(scores).sum()
    p[gold] -= 1
    value = np.array([loss(np.zeros(WIDTH))])
    taught.update(np.array([0, 5]), parts.rows, parts.keys, parts.flat_values, p, value)
    small = 1e-6 * np.eye(WIDTH)
    slopes = [(loss(step) - loss(-step)) / 2e-6 for step in small]
    np.testing.assert_allclose(-weights_of(taught, WIDTH), slopes, atol=1e-6)
    np.testing.assert_allclose(
        taught.scores(parts.rows, parts.keys, parts.flat_values, False), features @ weights_of(taught, WIDTH), atol=1e-6
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": 0.0}, "rate expects a number above 0"),
        ({"rate": math.nan}, "rate expects a number above 0"),
        ({"decay": -0.5}, "decay expects a number of at least 0"),
        ({"damping": 0.0}, "damping expects a number above 0"),
    ],
)
def test_wrong_optimizers(options, message):
    with pytest.raises(InvalidInputError, match=message):
        optimizer(**options)


def test_wrong_combinations():
    with pytest.raises(InvalidInputError, match="automatic step expects no L2 penalty"):
        learner(optimizer(), l2=1.0)
    with pytest.raises(InvalidInputError, match="num_buckets expects at least 1"):
        learner(optimizer(), features="BUCKETS")
    with pytest.raises(InvalidInputError, match="batch expects at least 1"):
        learner(optimizer(), batch=0)
    with pytest.raises(InvalidInputError, match="l2 expects a number of at least 0"):
        regularizer(l2=-1.0)
