"""Rounding, minimum risk and the k best against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from ramify import FactorGraph, trees
from ramify import factors as F  # noqa: N812 - read all over the file
from ramify.errors import InvalidInputError
from ramify.inference import LP, BeliefPropagation, Exact, Product
from ramify.inference.decode import heads_of, k_best, minimum_risk
from support.random_graphs import random_graph

pytestmark = pytest.mark.engine


def tree_graph(rng, n, num_pairs=0):
    heads, modifiers = np.array([(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m]).T
    g = FactorGraph()
    x = g.add_variables(heads.size)
    tree = g.add(F.Tree(x, heads, modifiers, n))
    if num_pairs:
        pairs = np.array([rng.choice(heads.size, 2, replace=False) for _ in range(num_pairs)])
        g.add(F.Pair(x[pairs[:, 0]], x[pairs[:, 1]], rng.normal(size=num_pairs) * 3))
    return g, tree, rng.normal(size=heads.size)


def to_matrix(tree, values, n):
    heads, modifiers, _ = tree.arcs()
    out = np.full((n + 1, n + 1), -np.inf)
    out[heads, modifiers] = values
    return out


def test_fractional_marginals_become_a_tree():
    fractional = 0
    for seed in range(20):
        g, tree, scores = tree_graph(np.random.default_rng(seed), 4, num_pairs=20)
        r = g.solve(LP(), scores)
        fractional += not r.certified
        found = minimum_risk(g.problem(scores), r.marginals)
        heads, value = trees.mbr(to_matrix(tree, r.marginals, 4))
        np.testing.assert_array_equal(heads_of(tree, found.assignment), heads)
        assert r.marginals @ found.assignment == pytest.approx(value)
        assert -np.inf < found.value <= r.bound + 1e-6
    assert fractional > 0


@pytest.mark.parametrize("cls", [F.ExactlyOne, F.Sequence, F.Budget, F.ConsecutiveSiblings, F.HeadBigram])
def test_minimum_risk_of_one_factor(cls):
    rng = np.random.default_rng(1)
    for _ in range(5):
        g = random_graph(rng, num_factors=1, families=[cls])
        if not g.truth.assignments:
            continue
        mu = g.graph.solve(Exact(), g.scores).marginals
        found = minimum_risk(g.graph.problem(g.scores), mu)
        binary = np.repeat(g.graph.num_states == 2, np.diff(g.graph.coordinate_offsets))
        right = g.truth.coords @ np.where(binary, 2 * mu - 1, mu)
        mine = right[g.truth.assignments.index(tuple(found.assignment.tolist()))]
        np.testing.assert_allclose(mine, right.max(), atol=1e-9)


def test_evidence_and_other_factors():
    g = FactorGraph()
    x = g.add_variables(4)
    one = g.add(F.ExactlyOne(x[:3]))
    problem = g.problem(evidence={1: 1})
    found = minimum_risk(problem, [0.9, 0.1, 0.0, 0.7], factor=one)
    assert found.assignment.tolist() == [0, 1, 0, 1]
    with pytest.raises(InvalidInputError, match="4 marginals"):
        minimum_risk(problem, [0.5])


@pytest.mark.parametrize("seed", range(20))
def test_k_best_is_enumeration(seed):
    g = random_graph(np.random.default_rng(seed), num_factors=1 + seed % 2, max_assignments=128)
    totals = np.sort(list(g.totals().values()))[::-1]
    found = k_best(g.graph.problem(g.scores), 6)
    assert len(found) == min(6, np.sum(totals > -np.inf))
    np.testing.assert_allclose([d.value for d in found], totals[: len(found)], atol=1e-6)
    assert len({tuple(d.assignment) for d in found}) == len(found)


def test_k_best_of_a_method_that_proves_nothing_is_sorted():
    hasty = BeliefPropagation(product=Product.MAX, max_iterations=2)
    for seed in range(2):
        g, _, scores = tree_graph(np.random.default_rng(seed), 3, num_pairs=10)
        values = [found.value for found in k_best(g.problem(scores), 4, method=hasty)]
        assert values == sorted(values, reverse=True)


def test_k_best_trees():
    g, tree, scores = tree_graph(np.random.default_rng(0), 4)
    found = k_best(g.problem(scores), 8)
    heads, values = trees.k_best(to_matrix(tree, scores, 4), 8)
    np.testing.assert_allclose([d.value for d in found], values)
    np.testing.assert_array_equal([heads_of(tree, d.assignment) for d in found], heads)
    with pytest.raises(InvalidInputError, match="k >= 1"):
        k_best(g.problem(scores), 0)
