"""What is certified is the optimum, and bounds bound it, at every scale of the scores: against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from ramify import FactorGraph
from ramify import factors as F  # noqa: N812
from ramify.inference import AD3, ILP, LP, BeliefPropagation, Exact, Product, Relax, Schedule, Status, Subgradient
from support.random_graphs import FAMILIES, crowded_graph, random_graph

pytestmark = pytest.mark.engine

METHODS = {
    "exact": Exact(),
    "ad3": AD3(max_iterations=300),
    "branch and bound": AD3(exact=True, max_iterations=300),
    "subgradient": Subgradient(max_iterations=100),
    "lp": LP(),
    "ilp": ILP(),
    "max-product": BeliefPropagation(product=Product.MAX),
    "parallel max-product": BeliefPropagation(product=Product.MAX, schedule=Schedule.PARALLEL),
    "relax exact": Relax(inner=Exact()),
    "relax ad3": Relax(inner=AD3(max_iterations=300)),
    "relax lp": Relax(inner=LP()),
    "relax ilp": Relax(inner=ILP()),
    "relax": Relax(),
}
SCALES = [1e-280, 1e-8, 1.0, 1e4, 1e15, 1e280]


def cases(seed, scale):
    """Graphs with evidence, minus infinities and ties; about one in ten is infeasible."""
    rng = np.random.default_rng([seed, int(np.log10(scale)) % 1000])
    for number in range(6):
        pruned = float(rng.choice([0.0, 0.2, 0.5]))
        if number % 2:
            case = crowded_graph(int(rng.integers(1 << 30)), FAMILIES, num_factors=3, scale=scale, pruned=pruned)
        else:
            case = random_graph(rng, num_factors=3, max_assignments=256, scale=scale, pruned=pruned)
        if number == 5:
            case.scores = np.where(np.isfinite(case.scores), np.sign(case.scores) * scale, case.scores)
        yield case


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", METHODS)
def test_against_enumeration(name, scale):
    for case in cases(len(name), scale):
        best = case.answers().best
        result = case.graph.solve(METHODS[name], case.scores)
        finite = np.concatenate([case.scores, case.parts])
        size = np.abs(finite[np.isfinite(finite)]).max(initial=0.0)
        if best == -np.inf:
            assert not result.certified
            assert result.value == -np.inf or result.assignment is None
            continue
        slack = 1e-6 * (size + abs(best))
        assert result.status is not Status.INFEASIBLE
        assert result.bound >= best - 1e-3 * slack if name in ("ad3", "subgradient") else result.bound >= best - slack
        if result.certified:
            assert result.value == pytest.approx(best, abs=slack)
        if result.assignment is not None and result.value > -np.inf:
            assert tuple(result.assignment.tolist()) in case.truth.assignments
            assert result.value <= best + slack


@pytest.mark.parametrize("name", METHODS)
def test_marginals_are_proper_numbers(name):
    for case in cases(17, 2.0):
        result = case.graph.solve(METHODS[name], case.scores)
        for values in (result.marginals, result.part_marginals):
            if values is not None:
                assert np.all((values >= 0.0) & (values <= 1.0))
                assert not np.signbit(values).any()  # no negative zero


@pytest.mark.parametrize("scale", [1e-300, 1e305])
@pytest.mark.parametrize("method", [Exact(), AD3(), Subgradient(), LP(), ILP(), BeliefPropagation(product=Product.MAX)])
def test_no_certificate_out_of_range(method, scale):
    g = FactorGraph()
    g.add(F.ExactlyOne(g.add_variables(3)))
    result = g.solve(method, [scale, 2.0 * scale, -scale])
    assert not result.certified
    assert not result.exact
    assert result.status is not Status.CERTIFIED
    assert "has to be at least 1e-290" in result.message


def test_bounds_of_large_scores_are_not_rounded_down():
    """Shares of a score of 1e15 add up to it only up to rounding, which must not go below the best value."""
    for seed in range(20):
        case = crowded_graph(seed, [F.Pair, F.ExactlyOne, F.Table], num_factors=6, scale=1e15)
        best = case.answers().best
        for method in (AD3(max_iterations=50), Subgradient(max_iterations=50)):
            assert case.graph.solve(method, case.scores).bound >= best


def test_small_differences_decide_at_every_scale():
    for scale in (1e-12, 1e-8, 1.0, 1e12):
        g = FactorGraph()
        x = g.add_variables(4)
        g.add(F.ExactlyOne(x))
        scores = scale * np.array([1.0, 1.0001, 1.0002, 1.0003])
        for method in (LP(), ILP(), AD3(), AD3(exact=True), Subgradient(), BeliefPropagation(product=Product.MAX)):
            result = g.solve(method, scores)
            assert result.certified
            assert result.assignment.tolist() == [0, 0, 0, 1]
