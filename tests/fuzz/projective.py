"""Tables of scores of projective trees as layers give them to the engine, and trainers of parsers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.calls import misuse, spoilt, strange
from fuzz.texts import parser, sentences
from ramify import _core
from ramify._core import learn
from ramify._core import parsing as core

if TYPE_CHECKING:
    from fuzz.calls import Recorder

FUNCTIONS = ("best_trees", "marginals", "max_marginals", "entropy", "sample", "k_best", "marginals_vjp")


def tables(r: Recorder) -> None:
    """Every order of parts: log Z, the best value and the probabilities agree; wrong tables are refused."""
    rng = r.rng
    order, stride = r.pick(list(_core.ProjectiveOrder)), int(rng.integers(2, 6))
    lengths = rng.integers(0, stride, 2).astype(np.int32)
    sizes = {"ARC": stride**2, "SIBLING": stride**3, "GRAND": stride**3, "GRAND_SIBLING": stride**4}
    table = rng.normal(scale=r.pick([1.0, 100.0]), size=(2, sizes.get(order.name, 2 * stride**4)))
    if r.chance(0.3):
        table[rng.random(table.shape) < 0.2] = r.pick([-np.inf, np.nan, np.inf, 1e12])
    arguments = (order, table, lengths, stride, r.chance(0.5), r.pick([1, 2]))
    _check(r, arguments, r.right("log_partition", _core.projective_log_partition, *arguments))
    for _ in range(4):
        name = r.pick(FUNCTIONS)
        more = {"sample": (3, 2), "k_best": (r.pick([1, 3, 0]),), "marginals_vjp": (table,)}.get(name, ())
        function = getattr(_core, f"projective_{name}")
        r.call(name, function, *arguments, *more)
        misuse(r, name, function, *arguments, *more)


def _check(r: Recorder, arguments: Any, log_z: np.ndarray) -> None:
    if not np.isfinite(arguments[1]).all():
        return
    _, best = r.right("best_trees", _core.projective_best_trees, *arguments)
    mu, again = r.right("marginals", _core.projective_marginals, *arguments)
    r.expect(np.allclose(log_z, again), "log Z differs between functions")
    there = log_z > -np.inf
    r.expect((best[there] <= log_z[there] + 1e-6).all(), "the best tree has more than all together")
    r.expect(mu.min() >= 0 and mu.max() <= 1 + 1e-6, "a marginal is not in [0, 1]")


def train(r: Recorder) -> None:
    """A parser's trainer with orders, states and sentences that are not as they should be."""
    rng, some = r.rng, [r.pick(sentences())._core for _ in range(3)]
    pick = r.pick
    loss = learn.Loss(pick(list(learn.LossKind)), pick([1.0, math.inf]), 1.0)
    method = pick(list(learn.Method))
    optimizer = learn.Optimizer(method, 0.1, 0.0, 0.001, r.chance(0.5))
    options = r.call(
        "TrainerOptions", core.TrainerOptions, loss, optimizer, learn.Regularizer(), pick(list(learn.FeatureSet)),
        64, pick([1, 2]), 1.0, pick([1.0, math.nan]), pick([1, 2]), pick([1, 0, -1]), pick([1.0, 0.0]), 0.1, 0.5, 1e-4,
        r.chance(0.3),
    )  # fmt: skip
    if options is None:
        return
    own = parser()._state.build() if hasattr(parser()._state, "build") else parser()._model
    trainer = r.call("Trainer", core.Trainer, own, options, pick([some, some, [None], []]), some[:1])
    if trainer is None:
        return
    states = []
    for _ in range(6):
        order = pick([np.arange(3), np.arange(3), np.array([0, 3]), np.array([-1]), strange(rng)])
        state = dict(pick(states)) if states else {}
        if state and r.chance(0.7):
            name = pick(sorted(state))
            state[name] = spoilt(rng, state[name])
        asks: list[tuple[str, tuple[Any, ...]]] = [
            ("train_pruner", (order, pick([0.1, math.nan]))), ("prune", ()), ("run", (order,)), ("evaluate", ()),
            ("loss_and_gradient", (pick([0, 2, 3, -1]),)), ("information_gain", ()), ("live_templates", ()),
            ("template_norms", (True,)), ("set_budgets", (pick([np.array([3]), strange(rng)]),)),
            ("restore", (state,)), ("freeze", (pick([0, 10, 2**62]),)),
        ]  # fmt: skip
        name, given = pick(asks)
        r.call(name, getattr(trainer, name), *given)
        found = r.call("state", trainer.state)
        if found:
            states.append(found)
