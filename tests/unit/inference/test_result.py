"""Results of all methods show themselves shortly, and can be pickled and copied."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from ramify import FactorGraph
from ramify.errors import InvalidInputError
from ramify.factors import ExactlyOne
from ramify.inference import AD3, ILP, LP, BeliefPropagation, Exact, Relax, SparseMAP, Subgradient, backward

pytestmark = pytest.mark.engine

METHODS = [AD3(), BeliefPropagation(keep_tape=True), Exact(), ILP(), LP(), Relax(), SparseMAP(), Subgradient()]
SCORES = np.array([1.0, 2.0, 3.0])


@pytest.fixture
def graph():
    g = FactorGraph()
    g.add(ExactlyOne(g.add_variables(3)))
    return g


def pickled(value, protocol=5):
    return pickle.loads(pickle.dumps(value, protocol))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_pickles_and_copies(graph, method):
    result = graph.solve(method, SCORES)
    for other in (pickled(result, 2), pickled(result), copy.copy(result), copy.deepcopy(result)):
        np.testing.assert_array_equal(other.marginals, result.marginals)
        assert (other.value, other.bound, other.status) == (result.value, result.bound, result.status)
        again = graph.solve(pickled(method), SCORES, warm_start=other)
        np.testing.assert_allclose(again.marginals, result.marginals, atol=1e-6)
    assert copy.copy(result).state is copy.deepcopy(result).state is result.state


def test_gradients_need_the_result_itself(graph):
    problem = graph.problem(SCORES)
    sparse = SparseMAP().solve(problem)
    SparseMAP().backward(problem, copy.deepcopy(sparse), np.ones(3))
    with pytest.raises(InvalidInputError, match="lost its state, as results do that were pickled"):
        SparseMAP().backward(problem, pickled(sparse), np.ones(3))
    taped = graph.solve(BeliefPropagation(keep_tape=True), SCORES)
    backward(copy.deepcopy(taped), grad_marginals=np.ones(3))
    with pytest.raises(InvalidInputError, match="expects a result with a tape"):
        backward(pickled(taped), grad_marginals=np.ones(3))


@pytest.mark.parametrize("method", [AD3(), Exact(), LP(), BeliefPropagation(), Relax()])
def test_short_whatever_the_size(method):
    g = FactorGraph()
    g.add(ExactlyOne(g.add_variables(900)))
    result = g.solve(method, np.linspace(0.0, 1.0, 900))
    assert len(repr(result)) < 200
    assert "900 marginals" in repr(result)
    assert "array" not in repr(result.state)


def test_says_how_it_ended():
    g = FactorGraph()
    x = g.add_variables(3)
    g.add(ExactlyOne(x))
    assert repr(g.solve(LP(), [1.0, 2.0, 3.0])).startswith("Result(certified, value=3, 3 marginals, assignment of 3")
    assert "infeasible" in repr(g.solve(LP(), evidence={0: 1, 1: 1}))
