"""AD3 against enumeration and HiGHS's linear programs, on random graphs of every family."""

from __future__ import annotations

import numpy as np
import pytest

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from contract.families import CASES
from ramify import FactorGraph
from ramify.errors import InvalidInputError
from ramify.inference import AD3, Status, Subgradient
from support.linear_program import linear_program
from support.random_graphs import crowded_graph

pytestmark = pytest.mark.engine

FAMILIES = list(CASES)
MIXES = [[family, F.Pair, F.Table] for family in FAMILIES] + [FAMILIES] * 20
METHOD = AD3(max_iterations=3000, tolerance=1e-8)


@pytest.mark.parametrize("mix", range(len(MIXES)))
def test_bound_optimum_value(mix):
    for seed in range(3):
        case = crowded_graph([mix, seed], MIXES[mix])
        best = case.best()
        result = case.graph.solve(METHOD, case.scores)
        if best == -np.inf:
            assert result.value == -np.inf
            continue
        assert result.bound >= best - 1e-7
        assert result.value <= best + 1e-9
        if result.certified:
            assert result.value == pytest.approx(best, abs=1e-6)
        if result.assignment is not None:
            assert case.totals()[tuple(result.assignment)] == pytest.approx(result.value, abs=1e-9)


@pytest.mark.parametrize("mix", range(len(MIXES)))
def test_limit_is_the_linear_program(mix):
    case = crowded_graph([mix, 10], MIXES[mix])
    result = case.graph.solve(METHOD, case.scores)
    if not all(F.Capability.CONSTRAINTS in f.capabilities for f in case.graph.factors):
        pytest.skip("a family without constraints")
    if case.best() == -np.inf or not case.hulls_are_exact:
        return
    lp = linear_program(case.graph, case.scores)
    assert result.relaxed_value == pytest.approx(lp, abs=1e-4)
    assert result.bound == pytest.approx(lp, abs=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_warm_start_reaches_the_same_value_sooner(seed):
    case = crowded_graph([seed, 20], [F.Pair, F.Table, F.ExactlyOne])
    cold = case.graph.solve(METHOD, case.scores)
    warm = case.graph.solve(METHOD, case.scores, warm_start=cold)
    assert warm.status in (Status.CERTIFIED, Status.CONVERGED)
    assert warm.relaxed_value == pytest.approx(cold.relaxed_value, abs=1e-5)
    assert warm.iterations <= cold.iterations


@pytest.mark.parametrize("seed", range(8))
def test_evidence_is_restriction(seed):
    case = crowded_graph([seed, 30], FAMILIES)
    totals = case.totals()
    rng = np.random.default_rng(seed)
    v = int(rng.integers(5))
    state = int(rng.integers(2))
    best = max((t for y, t in totals.items() if y[v] == state and y[5] != 1), default=-np.inf)
    result = case.graph.solve(AD3(exact=True), case.scores, evidence={v: state}, forbidden={5: 1})
    if best == -np.inf:
        assert result.status is Status.INFEASIBLE
        return
    assert result.certified
    assert result.value == pytest.approx(best, abs=1e-6)
    assert result.marginals[v] == state


def test_warm_start_with_new_evidence():
    case = crowded_graph(5, [F.Pair, F.Table, F.ExactlyOne])
    cold = case.graph.solve(METHOD, case.scores)
    for v in range(5):
        for state in (0, 1):
            fresh = case.graph.solve(METHOD, case.scores, evidence={v: state})
            warm = case.graph.solve(METHOD, case.scores, evidence={v: state}, warm_start=cold)
            assert warm.status is fresh.status or {warm.status, fresh.status} <= {Status.CERTIFIED, Status.CONVERGED}
            if fresh.status is not Status.INFEASIBLE:
                assert warm.relaxed_value == pytest.approx(fresh.relaxed_value, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_order_of_factors_and_variables_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    n = 6
    pairs = np.array([(i, j) for i in range(n) for j in range(i)])
    scores, unary = rng.normal(size=len(pairs)), rng.normal(size=n)
    order, names = rng.permutation(len(pairs)), rng.permutation(n)

    def solve(arcs, values, variables_scores):
        graph = FactorGraph()
        graph.add_variables(n)
        graph.add(F.Pair(arcs[:, 0], arcs[:, 1], values))
        return graph.solve(METHOD, variables_scores)

    one = solve(pairs, scores, unary)
    permuted = np.empty(n)
    permuted[names] = unary
    other = solve(names[pairs[order]], scores[order], permuted)
    assert other.relaxed_value == pytest.approx(one.relaxed_value, abs=1e-6)
    assert other.marginals[names] == pytest.approx(one.marginals, abs=1e-4)


def test_same_answer_every_time():
    case = crowded_graph(3, FAMILIES, num_factors=5)
    first, second = (case.graph.solve(METHOD, case.scores) for _ in range(2))
    assert np.array_equal(first.marginals, second.marginals)
    assert (first.value, first.bound, first.iterations) == (second.value, second.bound, second.iterations)


@pytest.mark.parametrize("scale", [1e-3, 1e3, 1e4])
def test_scores_of_any_size(scale):
    for seed in range(5):
        case = crowded_graph([seed, 40], FAMILIES, scale=scale)
        best = case.best()
        result = case.graph.solve(AD3(exact=True), case.scores)
        assert not np.isnan(result.marginals).any()
        assert result.value == pytest.approx(best, rel=1e-6)


def test_forbidden_states():
    case = crowded_graph(7, [F.Pair, F.Table], num_factors=4)
    scores = case.scores.copy()
    scores[[0, 5]] = -np.inf
    result = case.graph.solve(AD3(exact=True), scores)
    assert result.value == pytest.approx(case.best(scores=scores), abs=1e-6)
    assert result.marginals[0] == 0
    assert result.marginals[5] == 0


def test_variables_in_no_factor():
    graph = FactorGraph()
    graph.add_variables(2)
    graph.add_variables(1, 3)
    result = graph.solve(AD3(), [1.0, -1.0, 0.5, 2.0, 1.0])
    assert result.certified
    assert result.assignment.tolist() == [1, 0, 1]
    assert result.value == 3.0
    assert result.bound == pytest.approx(3.0, abs=1e-13)
    assert result.bound >= 3.0


@pytest.mark.parametrize("method", [AD3(), Subgradient()], ids=["ad3", "subgradient"])
def test_infeasible_factor_is_named(method):
    graph = FactorGraph()
    x = graph.add_variables(2)
    graph.add(F.ExactlyOne(x))
    result = graph.solve(method, evidence={0: 0, 1: 0})
    assert result.status is Status.INFEASIBLE
    assert "ExactlyOne" in result.message
    assert result.value == -np.inf
    assert result.assignment is None


@pytest.mark.parametrize("exact", [False, True])
def test_factors_that_contradict_each_other(exact):
    graph = FactorGraph()
    x = graph.add_variables(3)
    graph.add(F.ExactlyOne(x))
    graph.add(F.Budget(x, 2, "at-least"))
    result = graph.solve(AD3(exact=exact), [0.3, -0.2, 0.1])
    assert result.status is Status.INFEASIBLE
    assert "ExactlyOne 0 (group 0)" in result.message
    assert "Budget 0 (group 1)" in result.message


def test_limits():
    case = crowded_graph(11, [F.Pair], num_binary=8, num_factors=20)
    result = case.graph.solve(AD3(max_iterations=1), case.scores)
    assert result.status is Status.ITERATION_LIMIT
    assert result.bound >= case.best() >= result.value
    result = case.graph.solve(AD3(time_limit=0.0, check_every=1, tolerance=0.0), case.scores)
    assert result.status in (Status.TIME_LIMIT, Status.CERTIFIED)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_iterations": 0}, "max_iterations to be a whole number, 1 or more"),
        ({"tolerance": -1.0}, "tolerance to be a number at least 0"),
        ({"penalty": 0.0}, "penalty to be a finite number above 0"),
        ({"relaxation": 2.0}, "relaxation to be a number above 0 and below 2"),
        ({"time_limit": float("nan")}, "time_limit to be a number at least 0"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(InvalidInputError, match=message):
        AD3(**options)


def test_warm_start_of_another_graph():
    one = crowded_graph(1, [F.Pair])
    other = crowded_graph(1, [F.Pair], num_binary=6)
    result = one.graph.solve(AD3(), one.scores)
    with pytest.raises(InvalidInputError, match="same graph"):
        other.graph.solve(AD3(), other.scores, warm_start=result)


def test_active_messages_are_those_of_the_factors_that_are_solved():
    """Two chains that never meet: one is settled at once, and idles while the other goes on."""
    graph = FactorGraph()
    easy, hard = graph.add_variables(2), graph.add_variables(3)
    graph.add(F.Pair(easy[:1], easy[1:], np.array([5.0])))
    graph.add(F.Pair(hard[[0, 1, 2]], hard[[1, 2, 0]], np.array([-3.0, -3.0, -3.0])))
    result = graph.solve(AD3(max_iterations=50, acceleration=0), np.array([3.0, 3.0, 1.0, 1.0, 1.0]))
    for active in (result.active_factors, result.active_messages):
        assert active.shape == (result.iterations,)
        assert active[0] == 1.0
        assert 0 < active[-1] < 1.0


@pytest.mark.parametrize("seed", range(5))
def test_idle_factors_save_work_and_change_nothing(seed):
    rng = np.random.default_rng(seed)
    graph = FactorGraph()
    x = graph.add_variables(30)
    ends = np.array([rng.choice(30, 2, replace=False) for _ in range(90)])
    graph.add(F.Pair(x[ends[:, 0]], x[ends[:, 1]], rng.normal(size=90)))
    scores = rng.normal(size=30)
    busy, idle = (graph.solve(AD3(idle=slack, acceleration=0), scores) for slack in (0.0, 1e-2))
    assert idle.active_factors.sum() < busy.active_factors.sum()
    assert idle.bound == pytest.approx(busy.bound, abs=1e-4)
    with pytest.raises(InvalidInputError, match="idle to be a number at least 0"):
        AD3(idle=-1.0)
