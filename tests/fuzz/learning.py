"""The learner of all tasks, its penalties and models of one's own."""

from __future__ import annotations

import inspect
import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.calls import misuse, spoilt, strange
from ramify import FactorGraph
from ramify._core import learn as core
from ramify.factors import Pair
from ramify.learn import Parts, StructuredModel, proximal

if TYPE_CHECKING:
    from fuzz.calls import Recorder


def learner(r: Recorder) -> None:
    """A learner that is told anything, in any order; its scores are the sums of its weights."""
    rng = r.rng
    made = _make(r)
    if made is None:
        return
    other = _make(r)
    keys = core.feature_keys(int(rng.integers(4)), rng.integers(0, 9, 6).astype(np.uint64))
    features = _features(r, keys)
    states = []
    for _ in range(10):
        gradient = rng.normal(size=2)
        update = (np.array([0, 2]), *features, gradient, np.array([1.0]))
        r.call("update", made.update, *update)
        misuse(r, "update", made.update, *update)
        state = r.call("state", made.state)
        states.append(state)
        ask = r.pick([_restore, _steer, _steer])
        ask(r, r.pick([made, other or made]), states)
    _check_scores(r, made, features)
    frozen = r.call("freeze", made.freeze, r.pick([0, 3, 2**40, -1]), r.pick([0.0, 0.1, math.nan]))
    if frozen is not None:
        weights = r.call("FrozenWeights", core.FrozenWeights, *frozen, 0)
        if weights is not None:
            r.call("frozen.scores", weights.scores, *features)
            misuse(r, "frozen.scores", weights.scores, *features)
        misuse(r, "FrozenWeights", core.FrozenWeights, *frozen, r.pick([0, 1, 7]))


def _make(r: Recorder) -> Any:
    pick = r.pick
    loss = r.call("Loss", core.Loss, pick(list(core.LossKind)), pick([1.0, math.inf, 0.0, math.nan]), pick([0.0, 1.0]))
    method = pick(list(core.Method))
    optimizer = r.call("Optimizer", core.Optimizer, method, pick([0.1, 1.0, 1e300, -1.0]), 0.0, 0.001, r.chance(0.5))
    groups = pick([[[0, 1], [2]], [], [[0], [0]], [[5000]], strange(r.rng)])
    scale, weights = pick(list(core.GroupSize)), np.ones(pick([0, 2]))
    sets = r.call("GroupSet", core.GroupSet, groups, weights, scale, 0.1, pick([-1, 1]))
    penalties = {"l1": pick([0.0, 0.1, math.nan]), "l2": pick([0.0, 0.1, math.inf]), "every": pick([1, 2, 0, -1])}
    chosen = [sets] if sets and r.chance(0.5) else []
    regularizer = r.call("Regularizer", core.Regularizer, **penalties, sets=chosen, budget=pick([-1, 0, 2]))
    features = pick(list(core.FeatureSet))
    return r.call("Learner", core.Learner, loss, optimizer, regularizer, features, pick([0, 1, 64]), pick([1, 2, 0]))


def _features(r: Recorder, keys: np.ndarray) -> tuple[np.ndarray, ...]:
    return np.array([0, 3, 6]), keys, r.rng.normal(size=6).astype(np.float32)


def _restore(r: Recorder, made: Any, states: list[Any]) -> None:
    state = dict(r.pick(states) or {})
    if state and r.chance(0.7):
        name = r.pick(sorted(state))
        if r.chance(0.3):
            del state[name]
        else:
            state[r.pick([name, "other", 3])] = spoilt(r.rng, state[name])
    r.call("restore", made.restore, r.pick([state, state, strange(r.rng)]))


def _steer(r: Recorder, made: Any, states: list[Any]) -> None:
    rng, number = r.rng, r.pick([0, 3, -1, 4095, 4096, strange(r.rng)])
    arguments: dict[str, tuple[Any, ...]] = {
        "support": (r.pick([np.arange(4, dtype=np.uint64), strange(rng)]),),
        "weights": (r.pick([np.arange(4, dtype=np.uint64), strange(rng)]), r.chance(0.5)),
        "end_epoch": (),
        "set_num_examples": (number,),
        "template_norms": (r.chance(0.5),),
        "drop_template": (number,),
        "set_budgets": (r.pick([np.array([2]), np.zeros(0, np.int64), np.array([-5, 10**9]), strange(rng)]),),
    }
    ask = r.pick(sorted(arguments))
    r.call(ask, getattr(made, ask), *arguments[ask])


def _check_scores(r: Recorder, made: Any, features: tuple[np.ndarray, ...]) -> None:
    rows, keys, values = features
    weights = r.call("weights", made.weights, keys, False)
    scores = r.call("scores", made.scores, *features, False)
    if weights is None or scores is None:
        return
    sums = [float((weights[a:b] * values[a:b]).sum()) for a, b in pairwise(rows)]
    r.expect(np.allclose(scores, sums, rtol=1e-5, atol=1e-5, equal_nan=True), f"scores are {scores}, not {sums}")


def penalties(r: Recorder) -> None:
    """Proximal operators: none of many points near the answer is better. Then with wrong arguments."""
    rng = r.rng
    weights = rng.normal(scale=r.pick([1e-9, 1.0, 1e6]), size=5)
    groups = r.pick([[[0, 1], [2, 3]], [[0], [1, 2, 4]], []])
    strength = float(r.pick([0.0, 0.3, 5.0]))
    scale = r.pick(["one", "log2", "sqrt"])
    found = r.right("group_lasso", proximal.group_lasso, weights, groups, strength, scale)
    d = proximal.group_weights([len(group) for group in groups], scale)

    def cost(v: np.ndarray) -> float:
        norms = np.array([np.linalg.norm(v[group]) for group in groups])
        return float(strength * (d * norms).sum() + 0.5 * ((v - weights) ** 2).sum())

    for _ in range(5):
        near = found + rng.normal(scale=r.pick([1e-3, 1.0]) * (1 + np.abs(weights).max()), size=5)
        r.expect(cost(found) <= cost(near) * (1 + 1e-12) + 1e-12, "group_lasso is not the minimum")
    for _ in range(6):
        function = getattr(proximal, r.pick([name for name in proximal.__all__ if name != "coarse_to_fine"]))
        right = {
            "weights": weights, "groups": groups, "strength": strength, "scale": scale, "most": 1, "within": 0.1,
            "ridge": 0.1, "sizes": np.array([1, 2]), "cycles": 2,
        }  # fmt: skip
        names = [name for name in inspect.signature(function).parameters if name in right]
        given = {name: right[name] for name in names}
        given[r.pick(names)] = r.pick([spoilt(rng, weights), strange(rng), [[0, 1], [1, 2]], [[7]], [[-1]]])
        if not isinstance(given.get("cycles"), int) or given["cycles"] < 20:  # it does as many as one asks for
            r.call(function.__name__, function, **given)


def own_model(r: Recorder) -> None:
    """A model of one's own with options, features and examples that may be wrong."""
    rng = r.rng
    width = r.pick([2, 2, 3])

    def parts(x: Any) -> Parts:
        graph = FactorGraph()
        labels = graph.add_variables(len(x), num_states=2)
        built = Parts(graph).add("own", labels, x)
        if r.chance(0.3):
            built.add("pairs", graph.add(Pair(labels[:-1], labels[1:], 0.0)), r.pick([None, None, strange(rng)]))
        return built

    right = {
        "loss": ["crf", "svm", "perceptron", "l2", "softmax-margin"],
        "cost": ["hamming", np.ones((2, 2)) - np.eye(2)],
        "max_step": [None, 0.1, 1e300],
        "batch_size": [1, 2],
        "class_weight": [None, None, "balanced", {0: 2.0}],
        "optimizer": ["adagrad", "automatic", "sgd"],
        "l2": [0.0, 0.1],
    }
    options = {name: r.pick([*values, strange(rng)] if r.chance(0.1) else values) for name, values in right.items()}
    X = [rng.normal(size=(3, width)) for _ in range(3)]
    if r.chance(0.3):
        X[0] = spoilt(rng, X[0])
    y = [rng.integers(0, 2, 3) for _ in X]
    if r.chance(0.3):
        y[1] = r.pick([np.array([0, -1, 1]), spoilt(rng, y[1])])
    model = StructuredModel(parts, epochs=2, **options)
    if r.call("fit", model.fit, X, y, sample_weight=r.pick([None, None, np.ones(3), strange(rng)])) is not None:
        r.call("predict", model.predict, r.pick([X, [strange(rng)]]))
        r.call("partial_fit", model.partial_fit, X[1:], y[1:])
