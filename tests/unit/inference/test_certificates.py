"""What is certified is the optimum, and bounds bound it, at every scale of the scores: against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from ramify import FactorGraph
from ramify import factors as F  # noqa: N812
from ramify.inference import AD3, ILP, LP, BeliefPropagation, Exact, Product, Relax, Schedule, Status, Subgradient
from support.random_graphs import FAMILIES, crowded_graph, hanging_graph, random_graph

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


@pytest.mark.parametrize("schedule", Schedule)
def test_certificates_do_not_depend_on_when_messages_stop(schedule):
    """Damping and a large tolerance end max-product early: on graphs without cycles, it was certified anyway."""
    certified = 0
    for seed in range(12):
        case = hanging_graph(np.random.default_rng(seed), FAMILIES, num_factors=5, scale=1.0)
        best = case.answers().best
        for damping, tolerance in [(0.0, 1e9), (0.9, 0.1), (0.99, 1e9)]:
            method = BeliefPropagation(
                product=Product.MAX, schedule=schedule, damping=damping, tolerance=tolerance, max_iterations=300
            )
            result = case.graph.solve(method, case.scores)
            certified += result.certified
            assert not result.certified or result.value == pytest.approx(best, abs=1e-9)
            assert result.bound >= best - 1e-9
    assert certified


@pytest.mark.parametrize("schedule", Schedule)
def test_marginals_are_called_exact_only_where_they_are(schedule):
    for seed in range(12):
        case = hanging_graph(np.random.default_rng(seed), FAMILIES, num_factors=5, scale=1.0)
        truth = case.answers()
        for damping, tolerance in [(0.0, 1e9), (0.0, 0.1), (0.9, 0.1), (0.9, 1e-6)]:
            method = BeliefPropagation(schedule=schedule, damping=damping, tolerance=tolerance, max_iterations=500)
            result = case.graph.solve(method, case.scores)
            if result.exact:
                np.testing.assert_allclose(result.marginals, truth.marginals, atol=1e-4)
                assert result.log_partition == pytest.approx(truth.log_partition, abs=1e-4)


@pytest.mark.parametrize("tolerance", [1e-10, 1e-7, 1e-6, 1e-4, 1e-2])
def test_many_small_scores_beside_a_large_one(tolerance):
    """HiGHS takes each small score for none; all of them together are more than a certificate may be off."""
    for seed in (25, 26, 32):
        rng = np.random.default_rng(seed)
        g = FactorGraph()
        g.add_variables(401)
        g.add(F.ExactlyOne(np.arange(1, 401).reshape(80, 5)))
        scores = rng.normal(size=401) * 1e-7 * (1 + seed % 5)
        scores[0] = 1.0
        best = max(scores[0], 0.0) + scores[1:].reshape(80, 5).max(axis=1).sum()
        result = g.solve(ILP(tolerance=tolerance), scores)
        assert result.bound >= best - 1e-6 * (1.0 + best)
        assert not result.certified or result.value >= best - 1e-6 * (1.0 + best)
        assert result.certified or tolerance > 1e-7


def test_marginals_at_large_scales_are_at_most_one():
    """The difference of a score of 1e8 and a sum is off by more than the rounding of a probability."""
    for seed in range(200):
        case = random_graph(np.random.default_rng(seed), [F.NoCross, F.Tree], num_factors=1, scale=1e8)
        result = case.graph.solve(Exact(), case.scores)
        assert result.marginals.max(initial=0.0) <= 1.0
        assert result.part_marginals.max(initial=0.0) <= 1.0
