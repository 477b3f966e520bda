"""Every option of every method is checked in one way, and described once."""

from __future__ import annotations

import inspect
from dataclasses import fields

import numpy as np
import pytest

import ramify.inference
from ramify.errors import InvalidInputError
from ramify.factors import SiblingFormulation, TreeFormulation
from ramify.inference import AD3, ILP, LP, BeliefPropagation, Exact, Relax, SparseMAP, Subgradient

pytestmark = pytest.mark.engine

NAN, INF = float("nan"), float("inf")
NO_NUMBER = ["x", "1", b"1", None, True, [1.0], 1j, object(), NAN, np.float32(NAN), -1, -INF, 10**400]
NO_WHOLE_NUMBER = [*NO_NUMBER, 2.5, 3.0, INF, np.float64(2.0)]
NO_COUNT = [*NO_WHOLE_NUMBER, 0]
POSITIVE = [*NO_NUMBER, 0, INF]
NO_FLAG = [0, 1.0, "true", None, NAN, [True], np.array([True])]
NO_NAME = ["many", 3, None, NAN, [], {}]

REFUSED = {
    AD3: {
        "max_iterations": NO_COUNT,
        "tolerance": NO_NUMBER,
        "exact": NO_FLAG,
        "time_limit": NO_NUMBER,
        "penalty": POSITIVE,
        "adapt_penalty": NO_FLAG,
        "relaxation": [*NO_NUMBER, 0, 2, INF],
        "acceleration": [*NO_WHOLE_NUMBER, 1001],
        "check_every": NO_COUNT,
        "idle": NO_NUMBER,
        "node_iterations": NO_COUNT,
        "max_nodes": NO_COUNT,
    },
    BeliefPropagation: {
        "product": NO_NAME,
        "schedule": NO_NAME,
        "damping": [*NO_NUMBER, 1.0, INF],
        "tolerance": NO_NUMBER,
        "max_iterations": NO_COUNT,
        "fixed_iterations": [bad for bad in NO_WHOLE_NUMBER if bad is not None],
        "temperature": [*(bad for bad in POSITIVE if bad != [1.0]), [], [1.0, 0.0], [1.0, NAN], ["1"], {}],
        "counting": [*NO_NUMBER, 0.0, 1.5, INF],
        "keep_tape": NO_FLAG,
        "recompute": NO_FLAG,
    },
    Exact: {"max_assignments": [*NO_COUNT, 2**30 + 1]},
    LP: {
        "tree": [*NO_NAME, "cuts", SiblingFormulation.DYNAMIC],
        "siblings": [*NO_NAME, "dynamic", TreeFormulation.CUTS],
        "time_limit": NO_NUMBER,
        "tolerance": [*NO_NUMBER, 0, 0.5, INF],
    },
    Relax: {
        "inner": ["AD3", AD3, None, 3],
        "core": [3, "tree", ["tree"], [None]],
        "gain": NO_NUMBER,
        "max_rounds": NO_WHOLE_NUMBER,
        "max_bound": NO_NUMBER,
    },
    SparseMAP: {
        "gamma": POSITIVE,
        "max_iterations": NO_COUNT,
        "tolerance": NO_NUMBER,
        "penalty": POSITIVE,
        "time_limit": NO_NUMBER,
    },
    Subgradient: {
        "max_iterations": NO_COUNT,
        "step": POSITIVE,
        "check_every": NO_COUNT,
        "time_limit": NO_NUMBER,
    },
}
REFUSED[ILP] = REFUSED[LP] | {"gap": NO_NUMBER}
OPTIONS = [(method, name) for method, options in REFUSED.items() for name in options]


def called(value):
    return f"{value.__name__}" if inspect.isclass(value) else str(value)


def test_the_table_is_complete():
    public = [getattr(ramify.inference, name) for name in ramify.inference.__all__]
    methods = {cls for cls in public if inspect.isclass(cls) and hasattr(cls, "solve")}
    assert set(REFUSED) == methods
    for method, options in REFUSED.items():
        assert set(options) == {made.name for made in fields(method)}


@pytest.mark.parametrize(("method", "name"), OPTIONS, ids=called)
def test_wrong_values_are_refused(method, name):
    for bad in REFUSED[method][name]:
        with pytest.raises(InvalidInputError, match=f"^{method.__name__} expects {name} to be .*; got ") as caught:
            method(**{name: bad})
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize(("method", "name"), OPTIONS, ids=called)
def test_defaults_are_right_and_described(method, name):
    default = getattr(method(), name)
    assert getattr(method(**{name: default}), name) == default
    parameters = method.__doc__.split("Parameters\n----------\n")[1].split("\n\nNotes")[0].splitlines()
    described = parameters[parameters.index(name) + 1]
    assert described.startswith("    ")
    assert len(described) > 20


def test_numbers_of_numpy_are_numbers():
    method = AD3(max_iterations=np.int32(7), tolerance=np.float32(0.5), adapt_penalty=np.bool_(False), idle=0)
    assert method == AD3(max_iterations=7, tolerance=0.5, adapt_penalty=False)
    assert [type(v) for v in (method.max_iterations, method.tolerance, method.adapt_penalty, method.idle)] == [
        int,
        float,
        bool,
        float,
    ]


def test_temperatures():
    assert BeliefPropagation(temperature=2).temperature == 2.0
    assert BeliefPropagation(temperature=[2]).temperature == 2.0
    assert BeliefPropagation(temperature=np.array([2.0, 1.0])).temperature == (2.0, 1.0)


def test_a_long_value_is_cut():
    with pytest.raises(InvalidInputError, match=r"got 'x{76}…\."):
        AD3(tolerance="x" * 1000)
