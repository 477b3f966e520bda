"""SparseMAP: optimality of the marginals, and its gradients against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from ramify import FactorGraph
from ramify.errors import InvalidInputError
from ramify.inference import AD3, SparseMAP, Status
from support.random_graphs import FAMILIES, crowded_graph

pytestmark = pytest.mark.engine


def test_one_factor_is_its_projection():
    rng = np.random.default_rng(0)
    graph = FactorGraph()
    x = graph.add_variables(5)
    factor = graph.add(F.ConsecutiveSiblings(x, rng.normal(size=21)))
    scores = rng.normal(size=5)
    result = graph.solve(SparseMAP(), scores)
    value, z, nu = factor._group.project(scores, factor.scores, factor._group.make_state())
    assert result.marginals == pytest.approx(z, abs=1e-6)
    assert result.part_marginals == pytest.approx(nu, abs=1e-6)
    assert result.value == pytest.approx(value[0], abs=1e-6)


def test_small_gamma_is_the_linear_program():
    case = crowded_graph(1, [F.Pair, F.Table, F.ExactlyOne])
    lp = case.graph.solve(AD3(), case.scores)
    result = case.graph.solve(SparseMAP(gamma=1e-3), case.scores)
    assert result.value == pytest.approx(lp.relaxed_value, abs=0.02)


@pytest.mark.parametrize("seed", range(25))
def test_gradients_are_finite_differences(seed):
    case = crowded_graph([seed, 90], FAMILIES if seed % 2 else [F.Pair, F.Table, F.ExactlyOne, F.Budget])
    if case.best() == -np.inf:
        return
    rng = np.random.default_rng(seed)
    method = SparseMAP(gamma=0.7, tolerance=1e-11, max_iterations=30_000)
    parts = case.graph.part_scores
    grad_u, grad_nu = rng.normal(size=case.scores.size), rng.normal(size=parts.size)

    def solve(scores, part_scores):
        problem = case.graph.problem(scores, part_scores)
        return problem, method.solve(problem)

    def loss(result):
        return result.marginals @ grad_u + result.part_marginals @ grad_nu

    problem, result = solve(case.scores, parts)
    if result.status is Status.INFEASIBLE:
        return
    grad_scores, grad_parts = method.backward(problem, result, grad_u, grad_nu)
    direction, part_direction = rng.normal(size=case.scores.size), rng.normal(size=parts.size)
    step = 1e-5
    ahead = loss(solve(case.scores + step * direction, parts + step * part_direction)[1])
    behind = loss(solve(case.scores - step * direction, parts - step * part_direction)[1])
    here = loss(result)
    expected = grad_scores @ direction + grad_parts @ part_direction
    slopes = [(ahead - here) / step, (here - behind) / step]
    if abs(slopes[0] - slopes[1]) > 1e-3:  # on a kink either side's slope will do
        assert min(abs(expected - s) for s in slopes) < 1e-3
    else:
        assert expected == pytest.approx((ahead - behind) / (2 * step), abs=1e-3)


def test_free_variables_and_their_gradients():
    graph = FactorGraph()
    graph.add_variables(3)
    graph.add_variables(1, 3)
    method = SparseMAP(gamma=2.0)
    problem = graph.problem([1.0, 5.0, -1.0, 0.2, 0.4, -9.0])
    result = method.solve(problem)
    assert result.marginals == pytest.approx([0.5, 1.0, 0.0, 0.45, 0.55, 0.0])
    grad, _ = method.backward(problem, result, [1.0, 1.0, 1.0, 1.0, 0.0, 3.0])
    assert grad == pytest.approx([0.5, 0.0, 0.0, 0.25, -0.25, 0.0])


@pytest.mark.parametrize("seed", range(5))
def test_evidence_has_no_gradient(seed):
    case = crowded_graph(seed, [F.Pair, F.Table])
    method = SparseMAP()
    problem = case.graph.problem(case.scores, evidence={0: 1, 1: 0})
    result = method.solve(problem)
    assert result.marginals[:2].tolist() == [1.0, 0.0]
    grad, _ = method.backward(problem, result, np.ones(case.scores.size))
    assert grad[:2] == pytest.approx(0.0, abs=1e-12)


def test_bad_use():
    with pytest.raises(InvalidInputError, match="gamma to be a finite number above 0"):
        SparseMAP(gamma=0.0)
    case = crowded_graph(1, [F.Pair])
    problem = case.graph.problem(case.scores)
    result = SparseMAP().solve(problem)
    with pytest.raises(InvalidInputError, match="grad_marginals"):
        SparseMAP().backward(problem, result, [1.0])


@pytest.mark.parametrize("seed", range(12))
def test_marginals_are_sparse(seed):
    """Iterations only tend to 0; what is not in the support is 0 itself."""
    case = crowded_graph(seed, FAMILIES, num_factors=3, scale=2.0)
    result = case.graph.solve(SparseMAP(), case.scores)
    small = result.marginals[result.marginals < 2e-8]
    assert np.all(small == 0.0) or result.status is not Status.CONVERGED
    large = result.marginals[result.marginals > 1 - 2e-8]
    assert np.all(large == 1.0) or result.status is not Status.CONVERGED
