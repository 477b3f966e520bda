from __future__ import annotations

import numpy as np
import pytest

from ramify import factors as F  # noqa: N812
from ramify.errors import InvalidInputError
from ramify.graph import FactorGraph
from ramify.inference import AD3, ILP, LP, BeliefPropagation, Exact, Relax, Status
from support.random_graphs import crowded_graph

pytestmark = pytest.mark.engine

TIGHT = BeliefPropagation(tolerance=1e-11, max_iterations=500)


def parser(rng, n=5, spread=0.4, matter=1.0):
    g = FactorGraph()
    arcs = [(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m]
    z = g.add_variables(len(arcs))
    tree = g.add(F.Tree(z, *np.array(arcs).T, n))
    pairs = [(i, j) for i in range(len(arcs)) for j in range(i) if arcs[i][0] == arcs[j][0] or arcs[i][0] == arcs[j][1]]
    scores = spread * rng.normal(size=len(pairs)) * (rng.random(len(pairs)) < matter)
    first, second = np.array(pairs).T
    pair = g.add(F.Pair(z[first], z[second], scores))
    return g, tree, pair, 2.0 * rng.normal(size=len(arcs))


def test_no_threshold_is_full_inference():
    g, _, pair, scores = parser(np.random.default_rng(1))
    full = g.solve(TIGHT, scores)
    result = g.solve(Relax(inner=TIGHT, gain=0.0), scores)
    assert full.status is result.status is Status.CONVERGED
    np.testing.assert_allclose(result.marginals, full.marginals, atol=1e-8)
    np.testing.assert_allclose(result.part_marginals, full.part_marginals, atol=1e-8)
    assert result.log_partition == pytest.approx(full.log_partition)
    assert result.state.fraction == 1.0
    assert result.state.bound == 0.0
    assert f"used {pair.num_factors} of {pair.num_factors} factors" in result.message


def test_a_large_threshold_is_the_core_alone():
    g, tree, _, scores = parser(np.random.default_rng(2))
    alone = FactorGraph()
    alone.add_variables(scores.size)
    alone.add(tree)
    core = alone.solve(BeliefPropagation(), scores)
    result = g.solve(Relax(gain=1e9), scores)
    np.testing.assert_allclose(result.marginals, core.marginals, atol=1e-9)
    assert result.state.fraction == 0.0
    assert not result.exact
    both = result.part_marginals.reshape(-1)
    own = result.marginals[g.factors[1].variables].reshape(-1, 2)
    np.testing.assert_allclose(both, own[:, 0] * own[:, 1], atol=1e-12)


def test_errors_fall_with_the_threshold():
    g, _, _, scores = parser(np.random.default_rng(3), spread=0.8)
    full = g.solve(TIGHT, scores)
    errors, fractions, bounds = [], [], []
    for gain in (1e-1, 1e-2, 1e-4, 1e-6):
        result = g.solve(Relax(inner=TIGHT, gain=gain), scores)
        errors.append(np.abs(result.marginals - full.marginals).mean())
        fractions.append(result.state.fraction)
        bounds.append(result.state.bound)
    assert errors[-1] < 1e-4
    assert errors[-1] < errors[0]
    assert fractions == sorted(fractions)
    assert bounds == sorted(bounds, reverse=True)


def test_gains_of_pairs_and_tables_are_the_divergence():
    """A factor is added exactly where the enumerated divergence exceeds the threshold."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        scores, theta = 2 * rng.normal(size=2), float(rng.choice([0.1, 1.0, 4.0]) * rng.normal())
        p = [np.array([1.0, np.exp(s)]) / (1 + np.exp(s)) for s in scores]
        joint = np.outer(*p)
        moved = joint * np.exp(theta * np.array([[0, 0], [0, 1]]))
        divergence = np.sum(joint * np.log(joint / (moved / moved.sum())))
        for table in (False, True):
            g = FactorGraph()
            x = g.add_variables(2)
            g.add(F.Table(x, [0.0, 0.0, 0.0, theta]) if table else F.Pair(x[0], x[1], theta))
            for share, wanted in ((0.999, 1.0), (1.001, 0.0)):
                result = g.solve(Relax(gain=share * divergence), scores)
                assert result.state.fraction == wanted, (theta, table)


def test_the_bound_bounds_the_divergence():
    g, _, _, scores = parser(np.random.default_rng(5), n=3)
    result = g.solve(Relax(gain=0.002), scores)
    pair = g.factors[1]
    out = result.state.active[1:] == 0
    assert 0 < out.sum() < out.size
    theta, mu = pair.scores[out], result.part_marginals[out]
    eta = np.sum(np.where(theta > 0, theta * (1 - mu), -theta * mu))
    assert result.state.bound == pytest.approx(eta)


def test_rounds_are_limited_and_counted():
    g, _, _, scores = parser(np.random.default_rng(6), spread=3.0)
    stopped = g.solve(Relax(gain=1e-2, max_rounds=0), scores)
    assert stopped.state.rounds == 0
    assert stopped.state.fraction == 0.0
    assert stopped.status is Status.ITERATION_LIMIT
    result = g.solve(Relax(gain=1e-2), scores)
    assert result.state.rounds >= 2
    again = g.solve(Relax(gain=1e-2), scores, warm_start=result)
    assert again.state.fraction >= result.state.fraction
    assert again.iterations < result.iterations


def test_other_inner_methods_get_a_graph_without_scores():
    g, _, _, scores = parser(np.random.default_rng(7))
    annealed = BeliefPropagation(temperature=[2.0, 1.0], tolerance=1e-11, max_iterations=500)
    one = g.solve(Relax(inner=TIGHT, gain=1e-3), scores)
    other = g.solve(Relax(inner=annealed, gain=1e-3), scores)
    np.testing.assert_array_equal(one.state.active, other.state.active)
    np.testing.assert_allclose(one.marginals, other.marginals, atol=1e-8)


@pytest.mark.parametrize("family", [F.Count, F.GatedSiblings])
def test_other_families_that_forbid_nothing_can_be_left_out(family):
    """Against enumeration: a threshold of 0 lets in all that matters, an infinite one leaves the core alone."""
    rng = np.random.default_rng(11)
    g = FactorGraph()
    x = g.add_variables(4)
    one = g.add(F.ExactlyOne(x[:1]))
    soft = g.add(F.Count(x, rng.normal(size=5)) if family is F.Count else F.GatedSiblings(x, rng.normal(size=10)))
    scores = rng.normal(size=4)
    true = g.solve(Exact(), scores)
    whole = g.solve(Relax(inner=TIGHT, core=[one], gain=0.0), scores)
    np.testing.assert_allclose(whole.marginals, true.marginals, atol=1e-8)
    assert whole.state.fraction == 1.0
    alone = FactorGraph()
    alone.add(F.ExactlyOne(alone.add_variables(4)[:1]))
    left = g.solve(Relax(inner=TIGHT, core=[one], gain=1e9), scores)
    np.testing.assert_allclose(left.marginals, alone.solve(Exact(), scores).marginals, atol=1e-8)
    assert left.state.fraction == 0.0
    assert not soft.traits & F.Trait.TREE


def test_infeasible():
    g, _, _, scores = parser(np.random.default_rng(8), n=3)
    result = g.solve(Relax(), scores, evidence={0: 0, 3: 0, 6: 0} | dict.fromkeys(range(1, 3), 0))
    assert result.status is Status.INFEASIBLE


def test_bad_use():
    g, tree, pair, scores = parser(np.random.default_rng(9), n=3)
    with pytest.raises(InvalidInputError, match=r"Tree does\. Add it to core"):
        g.solve(Relax(core=[pair]), scores)
    with pytest.raises(InvalidInputError, match="groups of factors of the graph"):
        g.solve(Relax(core=[tree, F.Pair(0, 1, 1.0)]), scores)
    with pytest.raises(InvalidInputError, match="gain"):
        Relax(gain=-1.0)
    with pytest.raises(InvalidInputError, match="max_rounds"):
        Relax(max_rounds=-1)
    with pytest.raises(InvalidInputError, match="inner method for marginals"):
        Relax(inner=BeliefPropagation(product="max"))
    assert g.solve(Relax(core=[tree, pair]), scores).state.fraction == 1.0


@pytest.mark.parametrize(
    "inner", [TIGHT, BeliefPropagation(counting=0.9, damping=0.3), Exact()], ids=["bp", "0.9", "any"]
)
def test_stops_as_soon_as_the_bound_is_small(inner):
    g, _, _, scores = parser(np.random.default_rng(5), n=3, spread=1.0)
    by_rounds = [g.solve(Relax(inner=inner, gain=1e-2, max_rounds=r), scores) for r in range(4)]
    bounds = [result.state.bound for result in by_rounds]
    assert bounds[1] < bounds[0]
    for limit, rounds in ((bounds[0] + 1e-6, 0), (bounds[1] + 1e-6, 1)):
        result = g.solve(Relax(inner=inner, gain=1e-2, max_bound=limit), scores)
        assert result.state.rounds == rounds
        assert result.state.bound == pytest.approx(bounds[rounds], abs=1e-5)
        np.testing.assert_allclose(result.marginals, by_rounds[rounds].marginals, atol=1e-5)
    never = g.solve(Relax(inner=inner, gain=1e-2, max_bound=1e-9), scores)
    always = g.solve(Relax(inner=inner, gain=1e-2), scores)
    assert never.state.rounds == always.state.rounds
    np.testing.assert_array_equal(never.state.active, always.state.active)
    np.testing.assert_allclose(never.marginals, always.marginals, atol=1e-5)
    assert never.status is always.status


@pytest.mark.parametrize("bad", [-1.0, np.nan])
def test_the_bound_is_checked(bad):
    with pytest.raises(InvalidInputError, match="max_bound"):
        Relax(max_bound=bad)


def test_what_is_proved_of_a_part_is_not_proved_of_the_whole():
    """Left out because its gain is small, a factor still moves the optimum."""
    g = FactorGraph()
    x = g.add_variables(2)
    g.add(F.Pair(x[:1], x[1:], [3.0]))
    for inner in (Exact(), AD3(), LP(), ILP()):
        result = g.solve(Relax(inner=inner, gain=100.0), [-2.0, 0.5])
        assert not result.certified
        assert not result.exact
        assert result.bound == np.inf
        assert result.status is not Status.CERTIFIED
        assert result.value == pytest.approx(0.5)
        assert g.solve(Relax(inner=inner, gain=0.0), [-2.0, 0.5]).value <= 1.5


@pytest.mark.parametrize("inner", [BeliefPropagation(), Exact(), AD3(), LP(), ILP()])
def test_a_factor_with_minus_infinity_is_always_used(inner):
    """Its beliefs say that nothing changes without it, where the others have ruled out what it forbids or allow it."""
    g = FactorGraph()
    x = g.add_variables(3)
    g.add(F.Nand(x[:2]))
    pairs = g.add(F.Pair(x[:2], x[1:], [-np.inf, 0.0]))
    result = g.solve(Relax(inner=inner, core=[g.factors[0]], gain=1e9), [1.0, 2.0, 0.0], evidence={0: 1, 1: 1})
    assert result.status is Status.INFEASIBLE
    assert not result.certified
    state = g.solve(Relax(inner=inner, gain=1e9), [1.0, 2.0, 0.0]).state
    assert state.active.tolist() == [1, 1, 0]
    assert pairs.num_factors == 2


def test_marginals_a_little_above_one_are_no_warning():
    """Sums of probabilities may exceed 1 by rounding; warnings are errors here."""
    for seed in range(40):
        case = crowded_graph(seed, [F.HeadBigram, F.ExactlyOne, F.Pair, F.Budget], num_factors=3, pruned=0.3)
        result = case.graph.solve(Relax(inner=Exact()), case.scores)
        assert result.marginals.max(initial=0.0) <= 1.0
