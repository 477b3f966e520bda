"""Building factor graphs, evidence, and what goes wrong."""

from __future__ import annotations

import copy
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ramify import FactorGraph
from ramify.errors import InvalidInputError
from ramify.factors import ExactlyOne, Pair, Table
from ramify.inference import AD3, Exact
from ramify.variables import VariableArray

pytestmark = pytest.mark.engine


@pytest.fixture
def graph():
    g = FactorGraph()
    x = g.add_variables(3)
    t = g.add_variables(1, num_states=3)
    g.add(ExactlyOne(x))
    g.add(Pair(x[:2], x[1:], [1.0, 2.0]))
    table = VariableArray([2, 3], [2, 3])
    g.add(Table(table, [[0.0, 1.0, 2.0], [3.0, -np.inf, 0.5]]))
    assert t.indexes.tolist() == [3]
    return g


SCORES = [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]


def test_layouts(graph):
    assert graph.num_variables == 4
    assert graph.num_factors == 4
    assert graph.num_states.tolist() == [2, 2, 2, 3]
    assert graph.coordinate_offsets.tolist() == [0, 1, 2, 3, 6]
    assert graph.coordinates([3, 0]).tolist() == [3, 4, 5, 0]
    assert graph.part_scores.tolist() == [1.0, 2.0, 0.0, 1.0, 2.0, 3.0, -np.inf, 0.5]
    assert repr(graph) == "FactorGraph(4 variables, 4 factors)"


def test_value_of_an_assignment(graph):
    problem = graph.problem(SCORES)
    assert problem.value(np.array([0, 0, 1, 0], dtype=np.int32)) == pytest.approx(3.0 + 0.1 + 3.0)
    assert problem.value(np.array([0, 0, 1, 1], dtype=np.int32)) == -np.inf
    assert problem.value(np.array([1, 1, 0, 1], dtype=np.int32)) == -np.inf


def test_evidence_equals_restriction(graph):
    free = graph.solve(Exact(), SCORES)
    total = 0.0
    for state in range(3):
        clamped = graph.solve(Exact(), SCORES, evidence={3: state})
        rest = {3: [other for other in range(3) if other != state]}
        assert graph.solve(Exact(), SCORES, forbidden=rest).log_partition == pytest.approx(clamped.log_partition)
        total += np.exp(clamped.log_partition)
    assert np.log(total) == pytest.approx(free.log_partition)
    on = graph.solve(Exact(), SCORES, evidence={2: 1})
    off = graph.solve(Exact(), SCORES, forbidden={2: 1})
    assert np.logaddexp(on.log_partition, off.log_partition) == pytest.approx(free.log_partition)
    assert graph.problem(SCORES, evidence={2: 1}).value(np.array([0, 0, 1, 0], dtype=np.int32)) == pytest.approx(6.1)


def test_one_graph_serves_many_threads(graph):
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(40, 6))
    alone = [graph.solve(AD3(), scores).value for scores in inputs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda scores: graph.solve(AD3(), scores).value, inputs))
    assert together == alone


def test_a_graph_keeps_its_factors_alive():
    g = FactorGraph()
    g.add(ExactlyOne(g.add_variables(3)))
    g.freeze()
    g._factors.clear()
    gc.collect()
    assert g.freeze().score(np.zeros(3), np.zeros(0), np.array([1, 0, 0], dtype=np.int32)) == 0.0


@pytest.mark.parametrize("make", [lambda g: pickle.loads(pickle.dumps(g, 2)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize("frozen", [False, True])
def test_pickles_and_copies(graph, make, frozen):
    if frozen:
        graph.freeze()
    other = make(graph)
    scores = np.linspace(-1, 1, 6)
    assert other.solve(Exact(), scores).value == make(graph).solve(Exact(), scores).value
    assert (other.num_variables, other.num_factors) == (graph.num_variables, graph.num_factors)
    apart = make(graph)
    apart.add(ExactlyOne(apart.add_variables(2)))  # a copy is not frozen
    assert graph.num_variables == 4
    assert graph.num_factors == other.num_factors
    assert graph.solve(Exact(), scores).value == other.solve(Exact(), scores).value
    problem = make(graph.problem(scores, evidence={0: 1}))
    assert problem.value(np.array([1, 0, 0, 0])) == graph.problem(scores, evidence={0: 1}).value(np.array([1, 0, 0, 0]))


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda g: g.add(ExactlyOne([7, 8])), r"0 to 3\); ExactlyOne has variable 8. Add variables first"),
        (lambda g: g.add(ExactlyOne([2, 3])), "expects variable 3 to have 2 states; in the graph it has 3"),
        (lambda g: g.add("a factor"), "expects a factor; got str"),
        (lambda g: g.add_variables(2, num_states=1), "at least 2 states"),
        (lambda g: g.add_variables(-3), "expects a shape"),
        (lambda g: g.coordinates([9]), "from 0 to 3; got 9 to 9"),
        (lambda g: g.problem([1.0]), "expects 6 scores; got 1"),
        (lambda g: g.problem([np.nan] * 6), "no NaN; got nan at position 0"),
        (lambda g: g.problem([0.0, np.inf, 0, 0, 0, 0]), "got inf at position 1"),
        (lambda g: g.problem(part_scores=[0.0]), "expects 8 part_scores; got 1"),
        (lambda g: g.problem(evidence={9: 0}), "from 0 to 3; got variable 9"),
        (lambda g: g.problem(evidence={3: 3}), "from 0 to 2 for variable 3; got 3"),
        (lambda g: g.problem(evidence={0: 1}, forbidden={0: 1}), "forbids both states of variable 0"),
        (lambda g: (g.freeze(), g.add_variables(1)), "the graph is frozen"),
        (lambda g: (g.freeze(), g.add(ExactlyOne([0, 1]))), "the graph is frozen"),
    ],
)
def test_bad_use(graph, use, message):
    with pytest.raises(InvalidInputError, match=message):
        use(graph)


@pytest.mark.parametrize("method", ["ad3", None, AD3, 3])
def test_a_method_is_an_object_with_options(method):
    g = FactorGraph()
    g.add(ExactlyOne(g.add_variables(2)))
    with pytest.raises(InvalidInputError, match=r"expects an inference method as an object, such as AD3\(\)") as caught:
        g.solve(method)
    assert "the class AD3; write AD3()" in str(caught.value) or method is not AD3
