"""Penalties of a tagger's weights against dense numpy: templates with scales, and weights and rows that are lazy."""

import numpy as np
import pytest

from oracles.proximal import DenseProxGrad
from ramify._core import learn as core
from ramify._core import tagging
from ramify.errors import InvalidInputError
from ramify.learn.penalties import regularizer

COLUMNS = ("form", "one", "two", "three")
TEMPLATES = ("w[0]", "one[0]", "two[0]", "one[0]|two[0]", "three[0]|w[0]")
LABELS, RATE = 6, 0.5
CLOSE = {"rtol": 2e-3, "atol": 2e-5}  # the trainer has single precision, and sums scores of words with it


class Data:
    """Sentences of columns, and each word's features by number, in the order in which they come."""

    def __init__(self, seed=0, size=30):
        rng = np.random.default_rng(seed)
        lengths = rng.integers(2, 6, size)
        self.columns = [[[f"{c}{v}" for v in rng.integers(6, size=n)] for c in "wabc"] for n in lengths]
        self.gold = [rng.integers(LABELS, size=n).tolist() for n in lengths]
        self.number, self.templates = {}, []
        self.words = [
            [self._features([column[i] for column in one]) for i in range(len(one[0]))] for one in self.columns
        ]

    def _features(self, values):
        w, a, b, c = values
        found = []
        for feature in enumerate([w, a, b, a + b, c + w]):
            if feature not in self.number:
                self.number[feature] = len(self.templates)
                self.templates.append(feature[0])
            found.append(self.number[feature])
        return found


def trainer(data, options, **changes):
    model = tagging.TaggerModel(
        order=0,
        scheme=tagging.Scheme.NONE,
        labels=[str(label) for label in range(LABELS)],
        min_characters=np.empty(0, np.uint16),
        columns=COLUMNS,
        templates=TEMPLATES,
        dictionary_columns=np.empty(0, np.uint16),
        restricted=False,
        keys=np.empty(0, np.uint64),
        counts=np.empty(0, np.uint16),
        set_labels=np.empty(0, np.uint16),
        cluster_keys=np.empty(0, np.uint64),
        cluster_ids=np.empty(0, np.uint32),
        cluster_names=[],
    )
    made = tagging.Trainer(
        model,
        **{
            "supported": False,
            "min_count": 1,
            "loss": core.Loss(core.LossKind.FAMILY, 1.0, 0.0),
            "optimizer": core.Optimizer(core.Method.SGD, RATE, 0.0, core.DAMPING, True),
            "regularizer": regularizer(**options),
            "cost": 1.0,
            "dropout": 0.0,
            "min_gradient": 0.0,
            "seed": 1,
            "batch": 1,
            "num_threads": 1,
        }
        | changes,
    )
    source = tagging.ColumnSource(data.columns)
    made.load(model, source, source, data.gold)
    return made


class Dense:
    """Logistic regression of each word's label."""

    def __init__(self, data, **options):
        self.data = data
        self.templates = np.repeat(data.templates, LABELS)
        features = np.repeat(np.arange(len(data.templates)), LABELS)
        groups = options.pop("by_feature", False)
        self.learner = DenseProxGrad(
            features if groups else self.templates, rate=RATE, size=len(data.words), every=5, **options
        )

    def learn(self, numbers):
        for number in numbers:
            gradient = np.zeros((len(self.data.templates), LABELS))
            weights = self.learner.w.reshape(-1, LABELS)
            for word, gold in zip(self.data.words[number], self.data.gold[number], strict=True):
                scores = weights[word].sum(axis=0)
                p = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
                p[gold] -= 1
                np.add.at(gradient, word, p)
            self.learner.example(gradient.ravel())

    def norms(self, weights):
        return np.array([np.linalg.norm(weights[self.templates == m]) for m in range(len(TEMPLATES))])

    def labels(self):
        weights = self.learner.average().reshape(-1, LABELS)
        return [weights[word].sum(axis=0).argmax() for sentence in self.data.words for word in sentence]


def group_set(budget=-1, strength=0.0, size="ONE", weights=()):
    groups = [[m] for m in range(len(TEMPLATES))]
    return core.GroupSet(groups, np.array(weights, float), getattr(core.GroupSize, size), strength, budget)


SINGLE = [[m] for m in range(len(TEMPLATES))]
EACH = [[f] for f in range(len(Data().templates))]
CASES = {
    "none": ({}, {}),
    "budget": ({"sets": [group_set(3)]}, {"sets": [{"groups": SINGLE, "budget": 3}]}),
    "log2": ({"sets": [group_set(3, size="LOG2")]}, {"sets": [{"groups": SINGLE, "budget": 3, "size": "LOG2"}]}),
    "strength": (
        {"sets": [group_set(-1, 4.0, weights=[1, 1, 1, 9, 9])]},
        {"sets": [{"groups": SINGLE, "strength": 4.0, "weights": [1, 1, 1, 9, 9]}]},
    ),
    "sparse": ({"sets": [group_set(3)], "l1": 0.5}, {"sets": [{"groups": SINGLE, "budget": 3}], "l1": 0.5}),
    "l1": ({"l1": 2.0}, {"l1": 2.0}),
    "l2": ({"l2": 2.0}, {"l2": 2.0}),
    "elastic": ({"l1": 1.0, "l2": 2.0}, {"l1": 1.0, "l2": 2.0}),
    "labels": ({"rows": 4.0}, {"sets": [{"groups": EACH, "strength": 4.0}], "by_feature": True}),
}


@pytest.mark.engine
@pytest.mark.parametrize(("options", "same"), CASES.values(), ids=CASES)
def test_algorithm_1(options, same):
    data = Data()
    taught, dense = trainer(data, {"every": 5} | options), Dense(data, **same)
    for epoch in range(3):
        order = np.random.default_rng(epoch).permutation(len(data.words))
        for part in np.split(order, [7, 8, 20]):
            taught.run(part)
            dense.learn(part)
        taught.end_epoch()
        for averaged, weights in ((False, dense.learner.w), (True, dense.learner.average())):
            counts, squares = taught.template_norms(averaged)
            missing = len(TEMPLATES) - len(counts)
            np.testing.assert_allclose(np.pad(np.sqrt(squares), (0, missing)), dense.norms(weights), **CLOSE)
        assert taught.num_weights == dense.learner.held.sum()
        _, counts, _, values, scale = taught.freeze(100_000, 0.0)
        mean = dense.learner.average()
        np.testing.assert_allclose(np.sort(values * scale)[-9:], np.sort(mean)[-9:], atol=2 * scale)
        np.testing.assert_array_equal(taught.predict_dev(), dense.labels())
    assert taught.most_weights <= len(data.templates) * LABELS
    if options and "l2" not in options:
        assert taught.num_weights < len(data.templates) * LABELS


@pytest.mark.engine
@pytest.mark.parametrize(
    "options", [{"rows": 4.0}, {"l1": 2.0}, {"sets": [group_set(2)]}], ids=["rows", "weights", "sets"]
)
def test_resuming_is_exact(options):
    data, order = Data(1), np.arange(30)
    whole = trainer(data, {"every": 4} | options)
    broken = trainer(data, {"every": 4} | options)
    whole.run(order)
    broken.run(order[:18])
    state, broken = broken.state(), trainer(data, {"every": 4} | options)
    broken.restore(state)
    broken.run(order[18:])
    for name, array in whole.state().items():
        np.testing.assert_array_equal(array, broken.state()[name], err_msg=name)


def test_lazy_steps_do_not_touch_rows():
    """A feature that no gradient has is left alone, however many steps there are, until somebody asks."""
    data = Data(2)
    taught = trainer(data, {"l1": 1e-4, "every": 1})
    taught.run(np.zeros(1, np.int64))
    for _ in range(50):
        before = taught.state()
        taught.run(np.ones(1, np.int64))
        after = taught.state()
    others = sorted({feature for words in data.words[0] for feature in words} - {f for ws in data.words[1] for f in ws})
    assert others
    np.testing.assert_array_equal(before["stamps"][others], after["stamps"][others])
    assert after["falls"].size == 52


@pytest.mark.parametrize(
    ("options", "changes", "message"),
    [
        ({"l1": 1.0, "rows": 1.0}, {}, "rows expects no other penalty"),
        ({"rows": 1.0}, {"supported": True}, "expect complete features"),
        ({"l2": 1.0}, {"optimizer": core.Optimizer(core.Method.AUTOMATIC, 1.0, 0.0, 1e-3, True)}, "expects no L2"),
    ],
)
def test_wrong_penalties(options, changes, message):
    with pytest.raises(InvalidInputError, match=message):
        trainer(Data(), options, **changes)
