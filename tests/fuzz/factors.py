"""Single groups of factors: built from spoilt arguments, and asked with spoilt arrays and others' states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from contract.families import CASES
from fuzz.calls import spoilt, strange
from ramify import factors
from support.random_graphs import FAMILIES

if TYPE_CHECKING:
    from fuzz.calls import Recorder

ASKS = ("score", "marginals", "messages", "argmax", "max_marginals", "project", "entropy", "constraints", "arcs")
NUM_ARGUMENTS = {
    factors.Pair: 3,
    factors.TagLink: 4,
    factors.GrandSiblings: 3,
    factors.GrandTriSiblings: 3,
    factors.CompressionTree: 3,
    factors.Knapsack: 3,
    factors.Tree: 4,
    factors.ProjectiveTree: 4,
    factors.NoCross: 7,
}


def wrong_factor(r: Recorder) -> None:
    """Groups from spoilt arguments; whatever is accepted must answer or refuse every question."""
    groups, states = [], []
    for _ in range(4):
        group = _make(r)
        if group is not None:
            groups.append(group)
    for _ in range(12):
        if groups:
            _ask(r, r.pick(groups), states)


def _make(r: Recorder) -> Any:
    family = r.pick(FAMILIES)
    case = CASES[family](r.rng, int(r.rng.integers(1, 5)))
    group = case.build(r.rng.normal(size=case.truth.num_parts))
    how = r.rng.random()
    if how < 0.3:
        return group
    if how < 0.7:
        arguments = dict(group.arguments())
        for _ in range(int(r.rng.integers(1, 3))):
            name = r.pick(sorted(arguments))
            arguments[name] = spoilt(r.rng, arguments[name])
        return r.call(f"{family.__name__}.from_arguments", family.from_arguments, arguments)
    count = NUM_ARGUMENTS.get(family, 2)
    arguments = [r.pick([range(4), np.arange(3), strange(r.rng)]) for _ in range(count)]
    return r.call(family.__name__, family, *arguments)


def _ask(r: Recorder, group: Any, states: list[Any]) -> None:
    rng = r.rng
    q = rng.normal(size=int(group.coordinate_offsets[-1]))
    q[rng.random(q.size) < 0.2] = r.pick([-np.inf, np.inf, 0.0])
    own = r.pick([None, group.scores, spoilt(rng, group.scores)])
    given = q if r.chance(0.6) else spoilt(rng, q)
    name = r.pick(ASKS)
    if name == "score":
        given = r.pick([rng.integers(0, 2, group.variables.size), given])
    if name in ("constraints", "arcs"):
        if hasattr(group, name):
            r.call(f"{group!r}.{name}", getattr(group, name), r.pick([0, 1, -1, 10**9, strange(rng)]))
        return
    if name == "project":
        _project(r, group, given, own, states)
        return
    r.call(f"{group!r}.{name}", getattr(group, name), given, own)
    r.call(f"{group!r}.marginals_vjp", group.marginals_vjp, q, given, None, own)


def _project(r: Recorder, group: Any, a: Any, own: Any, states: list[Any]) -> None:
    state = r.pick([None, r.call(f"{group!r}.projection_state", group.projection_state), *states, strange(r.rng)])
    if state is not None and not isinstance(state, (int, float, str, bytes, list, dict, np.ndarray)):
        states.append(state)
    r.call(f"{group!r}.project", group.project, a, own, state)
    r.call(f"{group!r}.project_vjp", group.project_vjp, a, state, a, None, own)
