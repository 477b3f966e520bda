"""Weights by feature: growth, supported ones, buckets, templates, files and checkpoints."""

import numpy as np
import pytest

from ramify._core import learn as core
from ramify.errors import InvalidInputError
from support.learners import Batch, learner, optimizer, random_batch, weights_of

NO_VALUES = np.empty(0, np.float32)
ALL = [("AUTOMATIC", True), ("AUTOMATIC", False), ("ADAGRAD", True), ("ADAGRAD", False), ("SGD", True)]


def taught(seed=0, templates=(0,), *, count=20, **options):
    rng = np.random.default_rng(seed)
    made = learner(optimizer(**options))
    for _ in range(count):
        for template in templates:
            random_batch(rng, 1, template=template).teach(made)
    return made


@pytest.mark.engine
def test_growth():
    """More weights than the first table holds, each found again."""
    made = learner(optimizer("SGD", 1.0, averaged=False))
    size = 200_000
    gradient = np.arange(1, size + 1, dtype=np.float64)
    keys = core.feature_keys(7, np.arange(size, dtype=np.uint64))
    made.update(np.array([0, size]), np.arange(size + 1), keys, NO_VALUES, -gradient, np.ones(1))
    assert made.num_weights == size
    np.testing.assert_array_equal(made.weights(keys, False), gradient)
    assert not weights_of(made, 100, template=8).any()


def test_keys_are_different():
    keys = np.concatenate([core.feature_keys(t, np.arange(10_000, dtype=np.uint64)) for t in range(5)])
    assert len(np.unique(keys >> np.uint64(12))) == len(keys)
    assert set((keys % core.MOST_TEMPLATES).tolist()) == set(range(5))


@pytest.mark.engine
def test_supported():
    made = learner(optimizer("SGD", 1.0), features="SUPPORTED")
    made.support(core.feature_keys(0, np.array([1, 3], np.uint64)))
    Batch([[0, 1, 2, 3]], [-1.0], [1.0]).teach(made)
    np.testing.assert_array_equal(weights_of(made, 4), [0, 1, 0, 1])
    assert made.num_weights == 2


@pytest.mark.engine
def test_buckets():
    """Features in one bucket move as one: the bucket's gradient is the sum of theirs."""
    made = learner(optimizer("SGD", 1.0), features="BUCKETS", num_buckets=7)
    columns = np.arange(1000, dtype=np.uint64)
    Batch([columns.tolist()], [-1.0], [1.0]).teach(made)
    assert made.num_weights == 7
    buckets = core.feature_keys(0, columns) % np.uint64(7)
    np.testing.assert_array_equal(weights_of(made, 1000), np.bincount(buckets.astype(int))[buckets.astype(int)])
    for ask in (lambda: made.template_norms(False), lambda: made.drop_template(0)):
        with pytest.raises(InvalidInputError, match="shared by features of several templates"):
            ask()


@pytest.mark.engine
@pytest.mark.parametrize("averaged", [False, True])
def test_templates(averaged):
    made = taught(templates=(0, 2, 5))
    counts, squares = made.template_norms(averaged)
    for template in range(6):
        weights = weights_of(made, 40, template, averaged=averaged)
        assert counts[template] == np.count_nonzero(weights)
        assert squares[template] == pytest.approx((weights**2).sum())
    kept = weights_of(made, 40, 0, averaged=averaged)
    size = made.num_weights
    made.drop_template(5)
    assert made.num_weights == size - counts[5]
    assert len(made.template_norms(averaged)[0]) == 3
    assert not weights_of(made, 40, 5, averaged=averaged).any()
    np.testing.assert_array_equal(weights_of(made, 40, 0, averaged=averaged), kept)


@pytest.mark.engine
@pytest.mark.parametrize(("method", "averaged"), ALL)
def test_resuming_is_exact(method, averaged):
    def batches():
        rng = np.random.default_rng(5)
        return [random_batch(rng, 3) for _ in range(20)]

    def fresh():
        return learner(optimizer(method, 0.3, 0.5, averaged=averaged), batch=3)

    whole, broken = fresh(), fresh()
    for i, batch in enumerate(batches()):
        batch.teach(whole)
        batch.teach(broken)
        if i == 9:
            whole.end_epoch()
            broken.end_epoch()
            state, broken = broken.state(), fresh()
            broken.restore(state)
    assert whole.time == broken.time == 60
    for name, array in whole.state().items():
        np.testing.assert_array_equal(array, broken.state()[name])


def test_restoring_forgets_what_was_there():
    made, other = taught(1), taught(2, templates=(3,))
    state = made.state()
    other.restore(state)
    assert other.num_weights == made.num_weights
    np.testing.assert_array_equal(other.state()["weights"], state["weights"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: state.pop("time"), "expects an array 'time'"),
        (lambda state: state.update(time=np.zeros(2)), "expects 1 numbers in 'time'; got 2"),
        (lambda state: state.update(weights=state["weights"][1:]), "numbers in 'weights'"),
        (lambda state: state.update(weights=state["weights"].astype(np.float64)), "expects an array 'weights'"),
        (lambda state: state.update(keys=state["keys"].astype(np.int8)), "'keys' is another"),
        (lambda state: state.update(epoch="soon"), "'epoch' is another"),
        (lambda state: state.update({3: np.zeros(1)}), "expects arrays with names"),
    ],
)
def test_wrong_states(change, message):
    made = taught()
    state, before = made.state(), made.state()["weights"]
    change(state)
    with pytest.raises(InvalidInputError, match=message):
        made.restore(state)
    np.testing.assert_array_equal(made.state()["weights"], before)


@pytest.mark.engine
def test_frozen_weights():
    made = taught(count=50)
    keys, weights, scale = made.freeze(1000, 0.0)
    frozen = core.FrozenWeights(keys, weights, scale, 0)
    batch = random_batch(np.random.default_rng(6), 8)
    exact = made.scores(batch.rows, batch.keys, batch.flat_values, True)
    rounded = frozen.scores(batch.rows, batch.keys, batch.flat_values)
    np.testing.assert_allclose(rounded, exact, atol=6 * 3 * scale)
    assert np.abs(weights).max() == 32767
    assert np.all(np.diff(keys.astype(object)) > 0)


def test_freezing_keeps_the_largest():
    made = taught(count=50)
    all_weights = np.abs(weights_of(made, 40, averaged=True))
    _, weights, scale = made.freeze(10, 0.0)
    np.testing.assert_allclose(np.sort(np.abs(weights) * scale), np.sort(all_weights)[-10:], atol=scale)
    limit = np.sort(all_weights)[-5] - 1e-9
    assert len(made.freeze(1000, limit)[0]) == 5
    assert len(learner(optimizer()).freeze(10, 0.0)[0]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"examples": [0, 2]}, "examples expects offsets that ascend from 0 to 1"),
        ({"rows": [0, 1]}, "rows expects offsets that ascend from 0 to 2"),
        ({"rows": []}, "rows expects offsets"),
        ({"rows": [1, 2]}, "rows expects offsets"),
        ({"examples": [0, -1, 1], "losses": [1.0, 1.0]}, "examples expects offsets"),
        ({"values": [1.0]}, "values expects 2 numbers; got 1"),
        ({"values": [1.0, np.nan]}, "values expects finite numbers"),
        ({"gradient": [1.0, 1.0]}, "gradient expects 1 numbers; got 2"),
        ({"gradient": [np.inf]}, "gradient expects finite numbers"),
        ({"gradient": [1e200]}, "gradient times values expects numbers below 1e15"),
        ({"losses": [np.nan]}, "losses expects finite numbers"),
        ({"losses": [1.0, 1.0]}, "losses expects 1 numbers; got 2"),
        ({"examples": [0, 1, 1], "losses": [1.0, 1.0]}, "number of examples of a batch expects numbers from 0 to 1"),
    ],
)
def test_wrong_updates(arguments, message):
    given = {"examples": [0, 1], "rows": [0, 2], "values": [], "gradient": [1.0], "losses": [1.0]} | arguments
    made = learner(optimizer())
    with pytest.raises(InvalidInputError, match=message):
        made.update(
            np.array(given["examples"], np.int64),
            np.array(given["rows"], np.int64),
            core.feature_keys(0, np.array([1, 2], np.uint64)),
            np.array(given["values"], np.float32),
            np.array(given["gradient"]),
            np.array(given["losses"]),
        )
    assert made.num_weights == 0


def test_wrong_templates():
    for number in (-1, core.MOST_TEMPLATES):
        with pytest.raises(InvalidInputError, match="template expects numbers from 0 to 4095"):
            core.feature_keys(number, np.zeros(1, np.uint64))
        with pytest.raises(InvalidInputError, match="template expects numbers from 0 to 4095"):
            taught().drop_template(number)
