"""Which features score which parts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from ramify import FactorGraph
from ramify.errors import InvalidInputError
from ramify.learn import Parts

pytestmark = pytest.mark.engine


def chain(n=4, k=3):
    graph = FactorGraph()
    labels = graph.add_variables(n, num_states=k)
    return graph, labels, graph.add(F.Sequence(labels, None))


def slots_of(parts):
    places = np.arange(parts.graph.num_coordinates + parts.graph.num_parts)
    return [places[block.slots].reshape(block.rows, block.width).tolist() for block in parts.blocks]


def test_states_have_weights_of_their_own_where_rows_are_variables():
    graph, labels, _ = chain()
    parts = Parts(graph).add("own", labels, np.ones((4, 5)))
    assert slots_of(parts) == [np.arange(12).reshape(4, 3).tolist()]
    assert parts.shapes() == {"own": (5, 3)}


def test_states_share_weights_where_rows_are_states():
    graph, labels, _ = chain()
    parts = Parts(graph).add("shared", labels[1:3], np.ones((6, 2)))
    assert slots_of(parts) == [[[i] for i in range(3, 9)]]
    assert parts.shapes() == {"shared": (2, 1)}


def test_nothing_is_shared_with_one_row():
    graph, labels, _ = chain()
    assert Parts(graph).add("all", labels, np.ones((1, 2))).shapes() == {"all": (2, 12)}


def test_cells_of_tables_follow_the_coordinates():
    graph, _, sequence = chain()
    pairs = graph.add_variables(4)
    pair = graph.add(F.Pair(pairs[:2], pairs[2:], 0.0))
    table = graph.add(F.Table(pairs[:2], np.zeros((2, 2))))
    parts = Parts(graph).add("steps", sequence).add("pairs", pair).add("table", table)
    begin = graph.num_coordinates
    assert slots_of(parts) == [
        (begin + np.arange(27)).reshape(3, 9).tolist(),
        (begin + 27 + np.arange(2)).reshape(2, 1).tolist(),
        [(begin + 29 + np.arange(4)).tolist()],
    ]
    assert parts.shapes() == {"steps": (1, 9), "pairs": (1, 1), "table": (1, 4)}
    assert "steps: 1 × 9" in repr(parts)


def test_a_binary_variable_has_one_score():
    graph = FactorGraph()
    mixed = graph.add_variables(3, num_states=np.array([2, 3, 2]))
    assert slots_of(Parts(graph).add("on", mixed[[0, 2]], np.ones((2, 1)))) == [[[0], [4]]]
    assert Parts(graph).add("own", mixed, np.ones((5, 1))).shapes() == {"own": (1, 1)}


def test_scipy_and_numpy_are_the_same():
    graph, labels, _ = chain()
    dense = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, 4.0]])
    blocks = [
        Parts(graph).add("x", labels, form(dense)).blocks[0].matrix
        for form in (np.asarray, sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix)
    ]
    for matrix in blocks:
        assert matrix.num_columns == 3
        assert matrix.begin.tolist() == [0, 2, 2, 3, 4]
        assert matrix.columns.tolist() == [1, 2, 0, 2]
        assert matrix.values.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_fixed_scores_add_up_with_those_of_factors():
    graph = FactorGraph()
    x = graph.add_variables(2)
    pair = graph.add(F.Pair(x[0], x[1], 0.5))
    parts = Parts(graph).add_scores(x, [1.0, -np.inf]).add_scores(x[0], 2.0).add_scores(pair, [0.25])
    assert parts.fixed_scores().tolist() == [3.0, -np.inf, 0.75]


def test_a_sequence_of_one_has_no_neighbours():
    graph, labels, sequence = chain(n=1)
    parts = Parts(graph).add("own", labels, np.ones((1, 2))).add("neighbours", sequence)
    assert parts.shapes() == {"own": (2, 3)}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p, x, f: p.add("", x), "name as text"),
        (lambda p, x, f: p.add("a", x, np.ones((3, 1))), r"4 rows .* 12 .* or 1 .*; got 3"),
        (lambda p, x, f: p.add("a", x, np.ones(4)), "as a matrix"),
        (lambda p, x, f: p.add("a", x, [["b"]] * 4), "array of numbers"),
        (lambda p, x, f: p.add("a", x, np.full((4, 1), np.nan)), "finite"),
        (lambda p, x, f: p.add("a", x, np.ones((4, 0))), "at least one column"),
        (lambda p, x, f: p.add("a", [0, 0], np.ones((2, 1))), "twice"),
        (lambda p, x, f: p.add("a", [9], np.ones((1, 1))), "variables of its graph"),
        (lambda p, x, f: p.add("a", ["b"], np.ones((1, 1))), "variables of its graph"),
        (lambda p, x, f: p.add("a", F.Pair([0], [1], 0.0)), "factor of its graph"),
        (lambda p, x, f: p.add("a", f), "has none to learn"),
        (lambda p, x, f: p.add("a", x).add("a", x, np.ones((4, 2))), "1 features and 3 weights"),
        (lambda p, x, f: p.add_scores(x, [1.0]), "12 scores"),
        (lambda p, x, f: p.add_scores(x, [np.inf] * 12), "below"),
        (lambda p, x, f: Parts(x), "FactorGraph"),
    ],
)
def test_errors(call, message):
    graph, labels, _ = chain()
    binary = graph.add_variables(2)
    hard = graph.add(F.AtMostOne(binary))
    with pytest.raises(InvalidInputError, match=message):
        call(Parts(graph), labels, hard)
