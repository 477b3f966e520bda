"""Projections of tables over two many-valued variables, certified by their optimality conditions."""

from __future__ import annotations

import numpy as np
import pytest

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from ramify import FactorGraph
from ramify.inference import AD3, LP, SparseMAP
from ramify.variables import VariableArray

pytestmark = pytest.mark.engine

SHAPES = [(3, 3), (5, 5), (3, 8), (9, 4), (40, 30), (70, 3)]


def solve(shape, a, table, method=None):
    graph = FactorGraph()
    graph.add_variables(1, shape[0])
    graph.add_variables(1, shape[1])
    graph.add(F.Table(VariableArray(np.array([[0, 1]]), np.array([shape])), table[None]))
    return graph, graph.solve(method or SparseMAP(), a)


def check_optimal(shape, a, table, result):
    """Row and column sums are the marginals, and no cell's gain is above what the mass earns."""
    nu = result.part_marginals.reshape(shape)
    z = np.concatenate([nu.sum(1), nu.sum(0)])
    assert (nu >= 0).all()
    assert nu.sum() == pytest.approx(1.0, abs=1e-9)
    assert result.marginals == pytest.approx(z, abs=1e-7)
    price = a - z
    gain = price[: shape[0], None] + price[None, shape[0] :] + table
    scale = 1.0 + np.abs(table).max() + np.abs(a).max()
    assert gain.max() <= (gain * nu).sum() + 1e-7 * scale


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("scale", [0.0, 0.1, 1.0, 1e4])
def test_is_optimal(shape, scale):
    rng = np.random.default_rng([*shape, int(scale)])
    for _ in range(5):
        a, table = rng.normal(size=sum(shape)), scale * rng.normal(size=shape)
        check_optimal(shape, a, table, solve(shape, a, table)[1])


@pytest.mark.parametrize("shape", SHAPES)
def test_is_optimal_with_ties(shape):
    rng = np.random.default_rng(shape)
    for _ in range(10):
        a = 0.5 * rng.integers(-2, 3, size=sum(shape))
        table = 0.5 * rng.integers(-2, 3, size=shape)
        check_optimal(shape, a, table, solve(shape, a, table)[1])


def test_warm_starts_on_other_scores():
    rng = np.random.default_rng(4)
    shape = (6, 5)
    graph, warm = solve(shape, np.zeros(11), np.zeros(shape))
    for _ in range(30):
        a, table = rng.normal(size=11), rng.normal(size=shape)
        warm = graph.solve(SparseMAP(), a, part_scores=table, warm_start=warm)
        check_optimal(shape, a, table, warm)


def test_forbidden_states_and_cells():
    rng = np.random.default_rng(5)
    shape = (5, 4)
    a, table = rng.normal(size=9), rng.normal(size=shape)
    table[1, 2] = a[3] = -np.inf
    result = solve(shape, a, table)[1]
    nu = result.part_marginals.reshape(shape)
    assert nu[1, 2] == 0
    assert not nu[3].any()
    kept = [0, 1, 2, 4]
    small = table[kept].copy()
    small[1, 2] = -1e3
    fewer = np.concatenate([a[kept], a[5:]])
    check_optimal((4, 4), fewer, small, solve((4, 4), fewer, small)[1])
    assert solve((4, 4), fewer, small)[1].part_marginals.reshape(4, 4) == pytest.approx(nu[kept], abs=1e-7)


def test_gradient_is_finite_difference():
    rng = np.random.default_rng(6)
    shape = (4, 5)
    a, table = rng.normal(size=9), rng.normal(size=shape)
    weights, part_weights = rng.normal(size=9), rng.normal(size=20)
    graph, result = solve(shape, a, table)
    grad, _ = SparseMAP().backward(graph.problem(a), result, weights, part_weights)

    def value(x):
        r = solve(shape, x, table)[1]
        return weights @ r.marginals + part_weights @ r.part_marginals

    step = 1e-5
    for i in range(9):
        e = step * np.eye(9)[i]
        assert grad[i] == pytest.approx((value(a + e) - value(a - e)) / (2 * step), abs=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_acceleration_reaches_the_same_optimum_sooner(seed):
    """A grid of tables with couplings of both signs, whose relaxation is fractional."""
    rng = np.random.default_rng(seed)
    side, k = 6, 4
    index = np.arange(side * side).reshape(side, side)
    pairs = np.concatenate(
        [np.c_[index[:, 1:].ravel(), index[:, :-1].ravel()], np.c_[index[1:].ravel(), index[:-1].ravel()]]
    )
    graph = FactorGraph()
    variables = graph.add_variables(side * side, k)
    graph.add(F.Table(variables[pairs], rng.normal(size=(len(pairs), 1, 1)) * np.eye(k)))
    scores = rng.normal(size=side * side * k)
    plain, fast = (graph.solve(AD3(max_iterations=5000, acceleration=m), scores) for m in (0, 20))
    assert fast.iterations < plain.iterations
    lp = graph.solve(LP(), scores).value
    assert fast.relaxed_value == pytest.approx(lp, abs=1e-4)
    assert plain.relaxed_value == pytest.approx(lp, abs=1e-4)
