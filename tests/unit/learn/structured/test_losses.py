"""Costs of wrong states, and errors of losses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ramify import FactorGraph
from ramify.errors import InvalidInputError
from ramify.learn import Loss, Parts
from ramify.learn.structured.losses import Costs

pytestmark = pytest.mark.engine

STATES = np.array([2, 3, 2, 3])
GOLD = np.array([1, 2, 0, -1], dtype=np.int32)


def parts():
    graph = FactorGraph()
    graph.add_variables(4, num_states=STATES)
    return Parts(graph)


def test_hamming():
    # A binary variable's coordinate has what being on costs more than being off.
    assert Costs().of_coordinates(None, parts(), GOLD).tolist() == [-1, 1, 1, 0, 1, 0, 0, 0]


def test_class_weights():
    assert Costs(class_weight={2: 5.0, 1: 2.0}).of_coordinates(None, parts(), GOLD).tolist() == [
        -2,
        5,
        5,
        0,
        1,
        0,
        0,
        0,
    ]
    balanced = Costs(class_weight="balanced").balanced(
        [np.array([0, 0, 0, 1]), np.array([-1, 1, 0, 0], dtype=np.int32)]
    )
    assert balanced.class_weight == {0: pytest.approx(7 / (2 * 5)), 1: pytest.approx(7 / (2 * 2))}


def test_a_matrix_and_a_function():
    graph = FactorGraph()
    graph.add_variables(2, num_states=3)
    matrix = np.arange(9.0).reshape(3, 3)
    gold = np.array([2, 0], dtype=np.int32)
    assert Costs(matrix).of_coordinates(None, Parts(graph), gold).tolist() == [6, 7, 8, 0, 1, 2]
    function = Costs(lambda x, y: np.full((2, 3), x) * y[:, None])
    assert function.of_coordinates(3.0, Parts(graph), gold).tolist() == [6, 6, 6, 0, 0, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Costs("hinge"), "'hamming', a matrix or a function"),
        (lambda: Costs(np.ones((2, 2))).of_coordinates(None, parts(), GOLD), "gold states × states"),
        (lambda: Costs(lambda x, y: [1.0]).of_coordinates(None, parts(), GOLD), "10 finite numbers"),
        (lambda: Costs(class_weight="even").balanced([GOLD]), "'balanced' or a mapping"),
        (lambda: Costs(class_weight=[1.0, 2.0]).balanced([GOLD]), "'balanced' or a mapping"),
        (lambda: Loss.read("hinge"), "'crf', .*'l2', or a Loss"),
        (lambda: Loss(0.0), "above 0"),
        (lambda: Loss(-1.0), "beta to be a number above 0"),
        (lambda: Loss(math.nan), "beta to be a number above 0"),
        (lambda: Loss(1.0, math.inf), "gamma"),
        (lambda: Loss(True), "beta"),
    ],
)
def test_errors(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()
