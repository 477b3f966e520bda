"""Penalties of the C++ learner against dense numpy: nothing lazy, nothing scaled, nothing in a table."""

import math

import numpy as np
import pytest

from oracles.proximal import DenseProxGrad
from ramify._core import learn as core
from ramify.errors import InvalidInputError
from ramify.learn.penalties import regularizer
from support.learners import learner, optimizer, weights_of

TEMPLATES, WIDTH = 8, 12
CLOSE = {"rtol": 3e-4, "atol": 3e-6}  # the learner's weights have single precision
SINGLE = [[m] for m in range(TEMPLATES)]
NO_VALUES = np.empty(0, np.float32)


def group_set(groups=SINGLE, weights=(), size="ONE", strength=0.0, budget=None):
    budget = -1 if budget is None else budget
    return core.GroupSet(groups, np.array(weights, float), getattr(core.GroupSize, size), strength, budget)


def features(rng, example):
    """Some features of each template, of later templates fewer: column numbers by template."""
    del example
    return [rng.choice(WIDTH, size=1 + (TEMPLATES - m) // 3, replace=False) for m in range(TEMPLATES)]


def learn_twice(rng, taught, dense, *, count=60, shares=None, seen=lambda: None):
    """Teach both the same random gradients, of some of the templates each."""
    for example in range(count):
        columns = features(rng, example)
        present = rng.random(TEMPLATES) < (0.6 if shares is None else shares)
        keys, flat = [], []
        for m in np.flatnonzero(present):
            keys.append(core.feature_keys(int(m), columns[m].astype(np.uint64)))
            flat += [int(m) * WIDTH + int(c) for c in columns[m]]
        values = rng.normal(size=len(flat)).round(2).astype(np.float32)
        gradient = np.zeros(TEMPLATES * WIDTH)
        gradient[flat] = values
        all_keys = np.concatenate([np.empty(0, np.uint64), *keys])
        taught.update(np.array([0, 1]), np.array([0, len(flat)]), all_keys, values, np.ones(1), np.ones(1))
        dense.example(gradient)
        seen()


def both(*, method="SGD", sets=(), every=5, size=30, beta=1.0, budget=None, **penalties):
    sets = [{"groups": SINGLE} | chosen for chosen in sets]
    options = {"sets": [group_set(**chosen) for chosen in sets], "every": every} | penalties
    if budget is not None:
        options["budget"] = budget
    taught = learner(optimizer(method, 0.5), beta=beta, **options)
    taught.set_num_examples(size)
    templates = np.repeat(np.arange(TEMPLATES), WIDTH)
    dense = DenseProxGrad(templates, rate=0.5, sets=sets, every=every, size=size, budget=budget, **penalties)
    return taught, dense


def all_weights(taught, *, averaged=False):
    return np.concatenate([weights_of(taught, WIDTH, m, averaged=averaged) for m in range(TEMPLATES)])


NESTED = ({"groups": SINGLE, "strength": 4.0}, {"groups": [[0, 1, 2], [3, 4, 5, 6]], "strength": 3.0})
OVERLAPPING = ({"groups": [[0, 1], [2, 3]], "strength": 4.0}, {"groups": [[1, 2], [3, 4, 5]], "strength": 6.0})
CASES = {
    "group": {"sets": ({"strength": 5.0},)},
    "every example": {"sets": ({"strength": 9.0},), "every": 1},
    "budget": {"sets": ({"budget": 3},)},
    "budget, log2": {"sets": ({"budget": 3, "size": "LOG2"},)},
    "budget, sqrt": {"sets": ({"budget": 3, "size": "SQRT", "weights": [1, 2, 3, 1, 2, 3, 1, 2]},)},
    "no budget at all": {"sets": ({"budget": 0},)},
    "weights": {"sets": ({"strength": 5.0, "weights": [0.5, 0.5, 1, 1, 2, 2, 4, 4]},)},
    "l1": {"l1": 5.0},
    "elastic net": {"l1": 3.0, "l2": 2.0},
    "sparse group": {"l1": 2.0, "sets": ({"strength": 4.0},)},
    "sparse group and l2": {"l1": 2.0, "l2": 1.0, "sets": ({"strength": 4.0},)},
    "nested": {"sets": NESTED},
    "overlapping": {"sets": OVERLAPPING},
    "budgets of two sets": {"sets": tuple({"groups": s["groups"], "budget": 2} for s in OVERLAPPING)},
    "one budget of two sets": {"sets": OVERLAPPING, "budget": 3},
    "groups of some templates": {"sets": ({"groups": [[0], [3, 5]], "budget": 1},)},
}


@pytest.mark.engine
@pytest.mark.parametrize("options", CASES.values(), ids=CASES)
def test_algorithm_1(options):
    """Weights, averages, and what is held in memory, at every moment."""
    taught, dense = both(**options)

    def compare():
        np.testing.assert_allclose(all_weights(taught), dense.w, **CLOSE)
        np.testing.assert_allclose(all_weights(taught, averaged=True), dense.average(), **CLOSE)
        assert taught.num_weights == dense.held.sum()
        assert taught.most_weights == dense.most

    learn_twice(np.random.default_rng(7), taught, dense, seen=compare)
    assert taught.num_weights < TEMPLATES * WIDTH or options == CASES["elastic net"]


@pytest.mark.engine
def test_budget_holds():
    """After every step at most so many templates are left; before it, gradients may bring others back."""
    taught, dense = both(sets=({"budget": 2},), every=4)
    live = []

    def count():
        live.append(np.count_nonzero(taught.template_norms(False)[0]))

    learn_twice(np.random.default_rng(8), taught, dense, seen=count)
    assert set(live[3::4]) == {2}
    assert max(live) > 4


@pytest.mark.engine
@pytest.mark.parametrize("value", [0.5, 0.95, 1.0, 1.85])
def test_templates_that_are_equal_do_not_exceed_the_budget(value):
    """As where a treebank says the same in two columns: half of these values, by 3.7, times 3.7, is rounded down."""
    half = float(np.float32(value)) / 2
    assert half / 3.7 * 3.7 < half
    taught = learner(optimizer("SGD", 0.5), sets=[group_set(weights=[3.7] * TEMPLATES, budget=5)], every=1)
    taught.set_num_examples(1)
    keys = np.concatenate([core.feature_keys(m, np.zeros(1, np.uint64)) for m in range(TEMPLATES)])
    values = np.full(TEMPLATES, value, np.float32)
    taught.update(np.array([0, 1]), np.array([0, len(keys)]), keys, values, np.ones(1), np.ones(1))
    assert np.count_nonzero(taught.template_norms(False)[0]) == 0  # none of them is better than the others


@pytest.mark.engine
def test_sparseptron_does_not_depend_on_its_rate():
    """Martins et al. (2011), footnote 7: the perceptron with budgets is the same up to a factor."""
    found = []
    for rate in (1.0, 0.25):
        taught = learner(optimizer(rate=rate), beta=math.inf, sets=[group_set(budget=3)], every=5)
        taught.set_num_examples(30)
        dense = DenseProxGrad(
            np.repeat(np.arange(TEMPLATES), WIDTH), rate=rate, sets=[{"groups": SINGLE, "budget": 3}], every=5
        )
        learn_twice(np.random.default_rng(9), taught, dense)
        np.testing.assert_allclose(all_weights(taught), dense.w, **CLOSE)
        found.append(all_weights(taught) / rate)
    np.testing.assert_allclose(*found, **CLOSE)


@pytest.mark.engine
def test_tiny_scales():
    """After many steps a small scale is multiplied into the weights, and nothing else changes."""
    taught, dense = both(sets=({"strength": 25.0, "groups": [[0, 1, 2, 3, 4, 5]]},), every=1)
    learn_twice(np.random.default_rng(10), taught, dense, count=300, shares=1.0)
    for _ in range(3):
        learn_twice(np.random.default_rng(11), taught, dense, count=20, shares=0.0)
        learn_twice(np.random.default_rng(12), taught, dense, count=1)
    np.testing.assert_allclose(all_weights(taught), dense.w, **CLOSE)
    np.testing.assert_allclose(all_weights(taught, averaged=True), dense.average(), **CLOSE)


@pytest.mark.engine
def test_scores_are_sums_of_weights():
    taught, dense = both(sets=({"budget": 3},))
    learn_twice(np.random.default_rng(13), taught, dense)
    keys = np.concatenate([core.feature_keys(m, np.arange(WIDTH, dtype=np.uint64)) for m in range(TEMPLATES)])
    for averaged in (False, True):
        weights = all_weights(taught, averaged=averaged)
        score = taught.scores(np.array([0, keys.size]), keys, NO_VALUES, averaged)
        np.testing.assert_allclose(score, [weights.sum()], rtol=1e-6)
    counts, squares = taught.template_norms(True)
    by_template = weights.reshape(TEMPLATES, WIDTH)[: len(counts)]
    np.testing.assert_array_equal(counts, np.count_nonzero(by_template, axis=1))
    np.testing.assert_allclose(squares, (by_template**2).sum(axis=1))
    frozen_keys, frozen, scale = taught.freeze(1000, 0.0)
    assert len(frozen_keys) == np.count_nonzero(weights)
    np.testing.assert_allclose(np.sort(frozen * scale), np.sort(weights[weights != 0]), atol=scale)


@pytest.mark.engine
@pytest.mark.parametrize("method", ["AUTOMATIC", "ADAGRAD", "SGD"])
def test_resuming_is_exact(method):
    options = {"method": method, "sets": ({"budget": 3, "size": "LOG2"},), "l1": 0.5}
    whole, dense = both(**options)
    broken, _ = both(**options)
    learn_twice(np.random.default_rng(14), whole, dense, count=33)
    learn_twice(np.random.default_rng(14), broken, dense, count=33)
    state, (broken, _) = broken.state(), both(**options)
    broken.restore(state)
    learn_twice(np.random.default_rng(15), whole, dense, count=33)
    learn_twice(np.random.default_rng(15), broken, dense, count=33)
    for name, array in whole.state().items():
        np.testing.assert_array_equal(array, broken.state()[name])
    assert whole.most_weights == broken.most_weights


@pytest.mark.engine
def test_path():
    """Budgets may change on the way."""
    taught, dense = both(sets=({"budget": 6},))
    for budget in (6, 4, 2):
        taught.set_budgets(np.array([budget]))
        dense.sets[0]["budget"] = budget
        learn_twice(np.random.default_rng(budget), taught, dense, count=20)
        np.testing.assert_allclose(all_weights(taught), dense.w, **CLOSE)
        assert np.count_nonzero(taught.template_norms(False)[0]) == budget


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: group_set([[0, 1], [1]]), "groups of a set expect template 1 at most once"),
        (lambda: group_set([[core.MOST_TEMPLATES]]), "template expects numbers from 0 to 4095"),
        (lambda: group_set([[0], [1]], weights=[1.0]), "weights expects 2 numbers"),
        (lambda: group_set([[0]], weights=[0.0]), "weights expects a number above 0"),
        (lambda: group_set(strength=-1.0), "strength expects a number of at least 0"),
        (lambda: regularizer(l1=-1.0), "l1 expects a number of at least 0"),
        (lambda: regularizer(every=0), "every expects at least 1"),
        (lambda: both(sets=({"budget": 2},))[0].set_budgets(np.array([1, 2])), "expects 1 budgets; got 2"),
        (
            lambda: learner(optimizer(), sets=[group_set()], features="BUCKETS", num_buckets=8),
            "Groups of templates expect weights that are not in buckets",
        ),
    ],
)
def test_wrong_penalties(make, message):
    with pytest.raises(InvalidInputError, match=message):
        make()
