from __future__ import annotations

import numpy as np
import pytest

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from ramify.errors import InvalidInputError, UnsupportedError
from ramify.variables import VariableArray

pytestmark = pytest.mark.engine


@pytest.mark.parametrize(
    ("variables", "num_factors", "offsets"),
    [
        ([0, 1, 2], 1, [0, 3]),
        (np.arange(6).reshape(2, 3), 2, [0, 3, 6]),
        ([[0, 1], [2, 3, 4]], 2, [0, 2, 5]),
        ([np.array([7]), VariableArray([1, 2])], 2, [0, 1, 3]),
    ],
)
def test_shapes_of_variables(variables, num_factors, offsets):
    factor = F.Or(variables)
    assert factor.num_factors == num_factors
    assert factor.slot_offsets.tolist() == offsets


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: F.ExactlyOne([]), "at least 1 variables per factor"),
        (lambda: F.OrOut([3]), "OrOut expects at least 2 variables"),
        (lambda: F.Or([0.5, 1.0]), "integer indexes"),
        (lambda: F.Or([-1, 1]), "indexes from 0; got -1"),
        (lambda: F.Or([1, 1]), "variable 1 comes twice"),
        (lambda: F.Or(VariableArray([0, 1], 3)), "binary variables; got one with 3 states"),
        (lambda: F.Or([0, 1], negated=[True]).score([0, 0, 0]), "one state for each of 2 slots"),
        (lambda: F.Or([0, 1, 2], negated=[True, False]), "negated as booleans"),
        (lambda: F.Or(np.zeros((1, 1, 1), dtype=int)), r"shape \(n,\) or \(factors, n\)"),
        (lambda: F.Budget([0, 1], 1, kind="about"), "'at-most', 'exactly', 'at-least'; got 'about'"),
        (lambda: F.Budget([0, 1], -1), "budget as integers from 0"),
        (lambda: F.Count([[0, 1], [2, 3]], [[0.5, 1.0]]), "Count expects scores for each of 2 factors"),
        (lambda: F.Count([[0, 1]], [[]]), "one or more; got 1 arrays of lengths"),
        (lambda: F.Count([0, 1], []), "one or more; got 1 arrays of lengths"),
        (lambda: F.Knapsack([0, 1], [0.5, 1.0], 1), "Scale and round"),
        (lambda: F.Pair([0], [1, 2], 0.0), "the same length"),
        (lambda: F.Pair([0], [1], np.nan), "without NaN"),
        (lambda: F.Pair([0], [1], np.inf), r"below \+inf"),
        (lambda: F.Table([0, 1], np.zeros(3)), "one number per part, 4 in all; got 3"),
        (lambda: F.TagLink([0], [1, 2], [3], 0.0), "three arrays of the same length"),
        (lambda: F.CompressionTree([0, 1], [1, 0], [0.0, 0.0]), "without a cycle"),
        (lambda: F.CompressionTree([0, 1], [5, -1], [0.0, 0.0]), "heads from -1 to 1"),
        (lambda: F.Tree([0, 1], [0, 0], [1, 3], 2), r"got \(0, 3\) with 2 words"),
        (lambda: F.Tree([0, 1], [0, 0], [1, 1], 2), "comes twice"),
        (lambda: F.NoCross([0], [0], 1, [1], [0], 1, 0.0), "two different words"),
        (lambda: F.UserFactor([0], object()), "a method argmax"),
        (lambda: VariableArray([0], 1), "at least 2 states"),
        (lambda: F.Or([0, 1]).marginals([0.0]), "one number per coordinate, 2 in all; got 1"),
        (lambda: F.Or([0, 1]).marginals([0.0, np.nan]), "NaN at position 1"),
        (lambda: F.Or([0, 1]).constraints(1), "Or expects factor to be a whole number, 0 to 0; got 1"),
        (lambda: F.Or([0, 1]).score([0, 2]), "states from 0 to num_states - 1"),
    ],
)
def test_bad_input_is_named(build, message):
    with pytest.raises(InvalidInputError, match=message):
        build()


class OnlyArgmax:
    def argmax(self, q, scores):
        return (q > 0).astype(int)


def test_missing_capability_says_what_there_is():
    factor = F.UserFactor([0, 1], OnlyArgmax())
    with pytest.raises(UnsupportedError, match="no marginals; it can: score, argmax, project, project_vjp"):
        factor.marginals([0.0, 0.0])
    with pytest.raises(UnsupportedError, match="UserFactor has no constraints"):
        factor.constraints()


def test_scores_are_read_only_and_replaceable():
    pair = F.Pair([0], [1], [2.0])
    with pytest.raises(ValueError, match="read-only"):
        pair.scores[0] = 1.0
    assert pair.argmax([0.0, -1.0]).value == [1.0]
    assert pair.argmax([0.0, -1.0], [5.0]).value == [4.0]


def test_single_commodity_trees_are_a_relaxation():
    heads, modifiers = np.array([(h, m) for h in range(3) for m in (1, 2) if h != m]).T
    tree = F.Tree(np.arange(4), heads, modifiers, 2)
    small, large = tree.constraints(0, "single-commodity"), tree.constraints(0)
    assert not small.exact
    assert large.exact
    assert small.num_auxiliaries == 4
    assert large.num_auxiliaries == 8
