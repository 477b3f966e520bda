from __future__ import annotations

import numpy as np
import pytest

from ramify import factors as F  # noqa: N812
from ramify.errors import InvalidInputError, UnsupportedError
from ramify.graph import FactorGraph
from ramify.inference import BeliefPropagation, Counting, Schedule, Status
from support.random_graphs import hanging_graph

pytestmark = pytest.mark.engine

SOFT = [F.Pair, F.Table, F.TagLink, F.Sequence, F.ConsecutiveSiblings]
HARD = [F.ExactlyOne, F.AtMostOne, F.Or, F.OrOut, F.Budget, F.Tree, F.ProjectiveTree, F.CompressionTree, F.HeadBigram]
HARD += [F.Knapsack, F.NoCross]
TIGHT = {"tolerance": 1e-12, "max_iterations": 2000}


def check_exact(case, result, evidence=None):
    problem = case.graph.problem(case.scores, evidence=evidence)
    log_z = case.truth.log_partition(problem.scores, case.parts)
    if log_z == -np.inf:
        assert result.status is Status.INFEASIBLE
        assert result.log_partition == -np.inf
        return False
    mu, nu = case.truth.marginals(problem.scores, case.parts)
    assert result.status is Status.CONVERGED
    assert result.exact
    np.testing.assert_allclose(result.marginals, mu, atol=1e-9)
    np.testing.assert_allclose(result.part_marginals, nu, atol=1e-9)
    assert result.log_partition == pytest.approx(log_z + problem.offset, abs=1e-8)
    return True


@pytest.mark.parametrize("schedule", Schedule)
@pytest.mark.parametrize("families", [SOFT, HARD, SOFT + HARD, [F.UserFactor, F.Pair, F.Table]])
def test_exact_on_acyclic_graphs(schedule, families):
    rng = np.random.default_rng(1)
    feasible = 0
    for _ in range(12):
        case = hanging_graph(rng, families, scale=float(rng.choice([1.0, 10.0])))
        feasible += check_exact(case, case.graph.solve(BeliefPropagation(schedule=schedule, **TIGHT), case.scores))
    assert feasible >= 6


def test_one_sequential_iteration_is_exact_on_acyclic_graphs():
    rng = np.random.default_rng(2)
    for _ in range(8):
        case = hanging_graph(rng, SOFT, num_factors=6)
        result = case.graph.solve(BeliefPropagation(fixed_iterations=1), case.scores)
        np.testing.assert_allclose(result.marginals, case.truth.marginals(case.scores, case.parts)[0], atol=1e-9)


@pytest.mark.parametrize("schedule", Schedule)
def test_evidence(schedule):
    rng = np.random.default_rng(3)
    feasible = 0
    for _ in range(15):
        case = hanging_graph(rng, SOFT + HARD)
        chosen = rng.permutation(case.graph.num_variables)[:2]
        evidence = {int(v): int(rng.integers(case.graph.num_states[v])) for v in chosen}
        result = case.graph.solve(BeliefPropagation(schedule=schedule, **TIGHT), case.scores, evidence=evidence)
        feasible += check_exact(case, result, evidence)
    assert feasible >= 5


def test_evidence_cuts_loops():
    g = FactorGraph()
    x = g.add_variables(3)
    g.add(F.Pair(x[[0, 1, 2]], x[[1, 2, 0]], [1.0, -2.0, 0.5]))
    assert not g.solve(BeliefPropagation()).exact
    result = g.solve(BeliefPropagation(), [0.3, 0.2, -0.4], evidence={0: 1})
    weights = {(b, c): np.exp(0.3 + 0.2 * b - 0.4 * c + b - 2.0 * b * c + 0.5 * c) for b in (0, 1) for c in (0, 1)}
    assert result.exact
    assert result.log_partition == pytest.approx(np.log(sum(weights.values())))
    assert result.marginals[1] == pytest.approx((weights[1, 0] + weights[1, 1]) / sum(weights.values()))


@pytest.mark.parametrize("schedule", Schedule)
def test_max_product_is_the_argmax_on_acyclic_graphs(schedule):
    rng = np.random.default_rng(4)
    for _ in range(20):
        case = hanging_graph(rng, SOFT + HARD, num_factors=5)
        result = case.graph.solve(BeliefPropagation(product="max", schedule=schedule, **TIGHT), case.scores)
        best = case.truth.best(case.scores, case.parts)
        if best == -np.inf:
            assert result.value == -np.inf
            continue
        assert result.certified
        assert result.status is Status.CERTIFIED
        assert result.value == pytest.approx(best)
        assert result.bound == result.value


def test_max_product_decodes_ties_into_one_assignment():
    g = FactorGraph()
    x = g.add_variables(4)
    g.add(F.ExactlyOne(x[[0, 1]]))
    g.add(F.ExactlyOne(x[[1, 2]]))
    g.add(F.ExactlyOne(x[[2, 3]]))
    result = g.solve(BeliefPropagation(product="max"))
    assert result.value == 0.0
    assert result.certified
    assert result.assignment[0] + result.assignment[1] == 1


def grid(rng, rows=4, columns=4, states=3, spread=0.5):
    g = FactorGraph()
    x = g.add_variables((rows, columns), states)
    ends = np.concatenate(
        [
            np.stack([x.indexes[:, :-1].ravel(), x.indexes[:, 1:].ravel()], axis=1),
            np.stack([x.indexes[:-1].ravel(), x.indexes[1:].ravel()], axis=1),
        ]
    )
    from ramify.variables import VariableArray

    g.add(F.Table(VariableArray(ends, states), spread * rng.normal(size=(len(ends), states * states))))
    return g, spread * rng.normal(size=rows * columns * states)


def test_schedules_and_damping_reach_the_same_fixed_point():
    g, scores = grid(np.random.default_rng(5))
    results = [
        g.solve(BeliefPropagation(schedule=schedule, damping=damping, **TIGHT), scores)
        for schedule in Schedule
        for damping in (0.0, 0.4)
    ]
    for result in results:
        assert result.status is Status.CONVERGED
        assert not result.exact
        np.testing.assert_allclose(result.marginals, results[0].marginals, atol=1e-9)
        assert result.log_partition == pytest.approx(results[0].log_partition, abs=1e-9)


def test_factors_and_variables_agree_at_a_fixed_point():
    g, scores = grid(np.random.default_rng(6))
    result = g.solve(BeliefPropagation(**TIGHT), scores)
    factor = g.factors[0]
    own = result.marginals[g.coordinates(factor.variables)]
    np.testing.assert_allclose(result.state.factor_marginals, own, atol=1e-9)
    tables = result.part_marginals.reshape(-1, 3, 3)
    np.testing.assert_allclose(tables.sum(axis=2).ravel(), own.reshape(-1, 2, 3)[:, 0].ravel(), atol=1e-9)


@pytest.mark.parametrize("counting", [Counting.BETHE, Counting.CONCAVE, 0.7])
def test_marginals_are_the_gradient_of_the_log_partition_at_a_fixed_point(counting):
    g, scores = grid(np.random.default_rng(7), 3, 3)
    method = BeliefPropagation(counting=counting, damping=0.3, temperature=1.7, **TIGHT)
    result = g.solve(method, scores)
    assert result.status is Status.CONVERGED
    for c in (0, 5, 13):
        step = 1e-5 * np.eye(scores.size)[c]
        up, down = (g.solve(method, scores + sign * step).log_partition for sign in (1, -1))
        assert (up - down) / 2e-5 == pytest.approx(result.marginals[c], abs=1e-6)


def test_permutations_change_nothing():
    rng = np.random.default_rng(8)
    n = 8
    i, j = np.triu_indices(n, 1)
    couplings, scores = 0.4 * rng.normal(size=i.size), rng.normal(size=n)
    to = rng.permutation(n)
    order = rng.permutation(i.size)
    results = []
    for variables, factors in ((np.arange(n), np.arange(i.size)), (to, order)):
        g = FactorGraph()
        g.add_variables(n)
        g.add(F.Pair(variables[i[factors]], variables[j[factors]], couplings[factors]))
        own = np.empty(n)
        own[variables] = scores
        for schedule in Schedule:
            result = g.solve(BeliefPropagation(schedule=schedule, **TIGHT), own)
            assert result.status is Status.CONVERGED
            results.append((result.marginals[variables], result.log_partition))
    for marginals, log_partition in results:
        np.testing.assert_allclose(marginals, results[0][0], atol=1e-9)
        assert log_partition == pytest.approx(results[0][1], abs=1e-9)


def test_a_constant_shifts_the_value_only():
    g, scores = grid(np.random.default_rng(9))
    before = g.solve(BeliefPropagation(**TIGHT), scores)
    shifted = scores.copy()
    shifted[:3] += 7.0  # all states of one variable
    after = g.solve(BeliefPropagation(**TIGHT), shifted)
    np.testing.assert_allclose(after.marginals, before.marginals, atol=1e-9)
    assert after.log_partition == pytest.approx(before.log_partition + 7.0)


def test_the_same_call_gives_the_same_bits():
    g, scores = grid(np.random.default_rng(10))
    for schedule in Schedule:
        first, second = (g.solve(BeliefPropagation(schedule=schedule), scores) for _ in range(2))
        assert first.marginals.tobytes() == second.marginals.tobytes()


def test_warm_start():
    g, scores = grid(np.random.default_rng(11))
    cold = g.solve(BeliefPropagation(), scores)
    warm = g.solve(BeliefPropagation(), scores, warm_start=cold)
    assert warm.iterations == 1 < cold.iterations
    np.testing.assert_allclose(warm.marginals, cold.marginals, atol=1e-5)


@pytest.mark.parametrize("schedule", Schedule)
@pytest.mark.parametrize("product", ["sum", "max"])
def test_extreme_scores_never_become_nan(schedule, product):
    rng = np.random.default_rng(12)
    for _ in range(15):
        case = hanging_graph(rng, SOFT + HARD, loops=True, num_factors=5)
        big = 10.0 ** rng.integers(0, 5)
        scores = np.where(rng.random(case.scores.size) < 0.2, -np.inf, big * case.scores)
        parts = np.where(rng.random(case.parts.size) < 0.1, -np.inf, big * case.parts)
        result = case.graph.solve(
            BeliefPropagation(product=product, schedule=schedule, max_iterations=30, damping=0.2),
            scores,
            part_scores=parts,
        )
        assert np.isfinite(result.marginals).all()
        assert (result.marginals >= 0.0).all()
        assert (result.marginals <= 1.0 + 1e-12).all()
        assert not np.isnan(result.value)
        if product == "sum":
            assert np.isfinite(result.part_marginals).all()
            assert np.isfinite(result.log_partition) or result.status is Status.INFEASIBLE
        if result.status is Status.INFEASIBLE:
            assert case.truth.best(scores, parts) == -np.inf


def test_contradictions_are_infeasible():
    g = FactorGraph()
    x = g.add_variables(2)
    g.add(F.ExactlyOne(x))
    for product in ("sum", "max"):
        result = g.solve(BeliefPropagation(product=product), evidence={0: 1, 1: 1})
        assert result.status is Status.INFEASIBLE
        assert result.value == -np.inf
    g = FactorGraph()
    x = g.add_variables(1, 3)
    g.add(F.Tag(x, [[0.0, -np.inf, -np.inf]]))
    g.add(F.Tag(x, [[-np.inf, 0.0, 1.0]]))
    assert g.solve(BeliefPropagation()).status is Status.INFEASIBLE


def test_low_temperature_finds_the_best():
    rng = np.random.default_rng(13)
    case = hanging_graph(rng, SOFT, num_factors=5)
    best = case.truth.best(case.scores, case.parts)
    cold = case.graph.solve(BeliefPropagation(temperature=[1.0, 0.1, 0.01]), case.scores)
    assert cold.log_partition == pytest.approx(best, abs=0.05)
    assert cold.value == pytest.approx(best, abs=0.05)
    hot = case.graph.solve(BeliefPropagation(temperature=1e6), case.scores)
    binary = case.graph.coordinates(np.flatnonzero(case.graph.num_states == 2))
    np.testing.assert_allclose(hot.marginals[binary], 0.5, atol=1e-4)


def test_temperature_divides_the_scores():
    g, scores = grid(np.random.default_rng(14))
    divided = g.solve(BeliefPropagation(**TIGHT), scores / 2, part_scores=g.part_scores / 2)
    warm = g.solve(BeliefPropagation(temperature=2.0, **TIGHT), scores)
    np.testing.assert_allclose(warm.marginals, divided.marginals, atol=1e-9)
    assert warm.log_partition == pytest.approx(2.0 * divided.log_partition)


def test_concave_counting_is_the_maximum_of_its_own_functional():
    """On a triangle of pairs, climb the concave free energy independently and compare."""
    from scipy.optimize import minimize

    theta, scores = np.array([2.0, -1.5, 1.0]), np.array([0.5, -0.3, 0.1])
    pairs = [(0, 1), (1, 2), (2, 0)]
    g = FactorGraph()
    x = g.add_variables(3)
    g.add(F.Pair(x[[0, 1, 2]], x[[1, 2, 0]], theta))
    result = g.solve(BeliefPropagation(counting=Counting.CONCAVE, damping=0.3, **TIGHT), scores)
    assert result.status is Status.CONVERGED
    k = 1.0  # two pairs of size 2 at each variable: load 1, so all counts are 1 and the entropy is Bethe's
    own = 1.0 - 2 * k

    def entropy(p):
        p = np.maximum(p, 1e-300)
        return -np.sum(p * np.log(p))

    def loss(z):
        mu, nu = z[:3], z[3:]
        total = scores @ mu + theta @ nu
        for (a, b), both in zip(pairs, nu, strict=True):
            total += k * entropy(np.array([1 - mu[a] - mu[b] + both, mu[a] - both, mu[b] - both, both]))
        return -(total + own * sum(entropy(np.array([m, 1 - m])) for m in mu))

    best = minimize(
        loss,
        np.concatenate([result.marginals, result.part_marginals]),
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 4000},
    )
    assert -best.fun == pytest.approx(result.log_partition, abs=1e-8)


def complete_graph(n, coupling):
    g = FactorGraph()
    x = g.add_variables(n)
    i, j = np.triu_indices(n, 1)
    g.add(F.Pair(x[i], x[j], np.full(i.size, coupling)))
    return g, np.full(n, -coupling * (n - 1) / 2)  # symmetric between off and on


def test_concave_counting_converges_where_plain_does_not():
    g, scores = complete_graph(7, -6.0)
    scores[0] += 0.3
    plain = g.solve(BeliefPropagation(schedule="parallel", max_iterations=1000), scores)
    assert plain.status is Status.ITERATION_LIMIT
    concave = g.solve(
        BeliefPropagation(schedule="parallel", counting="concave", damping=0.5, max_iterations=1000), scores
    )
    assert concave.status is Status.CONVERGED
    assert concave.log_partition > 0.0


def flow_graph(num_words, explicit=False):
    """Trees by flows: Martins et al. (2010), section 4, equations 15 to 19.

    The flow for a word into that word is at most its arc; as both sum to one, they are equal. explicit: says so.
    """
    g, words = FactorGraph(), range(1, num_words + 1)
    arcs = [(h, m) for h in range(num_words + 1) for m in words if h != m]
    arc = dict(zip(arcs, g.add_variables(len(arcs)).indexes, strict=True))
    flow = {(a, k): g.add_variables(1).indexes[0] for a in arcs for k in words}
    path = {(h, k): g.add_variables(1).indexes[0] for h in range(num_words + 1) for k in words}
    g.add(F.ExactlyOne([[arc[h, m] for h in range(num_words + 1) if h != m] for m in words]))
    last = [(a, k) for a in arcs for k in words if explicit and a[1] == k]
    g.add(F.Imply([[flow[a, k], arc[a]] for a in arcs for k in words if (a, k) not in last]))
    for a, k in last:
        g.add(F.Table([[flow[a, k], arc[a]]], [[[0.0, -np.inf], [-np.inf, 0.0]]]))
    g.add(F.XorOut([[*(flow[a, k] for a in arcs if a[1] == m), path[m, k]] for m in words for k in words]))
    leaving = [(h, k) for h in range(num_words + 1) for k in words if h != k]
    g.add(F.XorOut([[*(flow[a, k] for a in arcs if a[0] == h), path[h, k]] for h, k in leaving]))
    evidence = {path[0, k]: 1 for k in words} | {path[k, k]: 1 for k in words}
    return g, arcs, evidence | {flow[a, k]: 0 for a in arcs for k in words if a[0] == k}


@pytest.mark.parametrize("scores", [[0.0, 0.0, 0.0, 0.0], [0.4, -0.3, 0.8, -1.0]])
def test_concave_counting_converges_on_the_flow_graph_of_two_words(scores):
    """The example of Martins et al. (2010), footnote 9: plain messages grow without end, the Bethe entropy is poor."""
    g, arcs, evidence = flow_graph(2)
    tree = FactorGraph()
    z = tree.add_variables(4)
    tree.add(F.Tree(z, *np.array(arcs).T, 2))
    exact = tree.solve(BeliefPropagation(), scores)
    padded = np.concatenate([scores, np.zeros(g.num_coordinates - 4)])
    for schedule in Schedule:
        plain = g.solve(BeliefPropagation(schedule=schedule, max_iterations=500), padded, evidence=evidence)
        assert plain.status is Status.ITERATION_LIMIT
        assert "grow without end" in plain.message
    concave = g.solve(
        BeliefPropagation(counting="concave", tolerance=1e-3, max_iterations=2000), padded, evidence=evidence
    )
    assert concave.status is Status.CONVERGED
    assert np.abs(concave.marginals[:4] - exact.marginals).max() < 0.2
    assert concave.log_partition > exact.log_partition
    # Equalities that several factors imply together put the solution on the edge of the polytope: messages drift there
    # like log t, whatever the counting numbers. Written out, they are reached at once, and the solution is the same.
    g, _, evidence = flow_graph(2, explicit=True)
    for schedule in (Schedule.PARALLEL, Schedule.SEQUENTIAL):
        method = BeliefPropagation(schedule=schedule, counting="concave", damping=0.3, tolerance=1e-6)
        settled = g.solve(method, padded, evidence=evidence)
        assert settled.status is Status.CONVERGED
        assert settled.iterations < 100
        np.testing.assert_allclose(settled.marginals, concave.marginals, atol=2e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"damping": 1.0}, "damping to be a number at least 0 and below 1"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"fixed_iterations": -1}, "fixed_iterations"),
        ({"temperature": 0.0}, "temperature"),
        ({"temperature": []}, "temperature"),
        ({"counting": 1.5}, "counting"),
        ({"counting": "many"}, "counting to be one of 'bethe', 'concave'"),
        ({"schedule": "random"}, "schedule to be one of"),
        ({"product": "mean"}, "product to be one of"),
        ({"keep_tape": True, "product": "max"}, "sum-product at one temperature"),
        ({"keep_tape": True, "temperature": [2.0, 1.0]}, "sum-product at one temperature"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(InvalidInputError, match=message):
        BeliefPropagation(**options)


def test_bad_warm_start_and_family():
    g, scores = grid(np.random.default_rng(15), 2, 2)
    other, _ = grid(np.random.default_rng(15), 3, 3)
    with pytest.raises(InvalidInputError, match="same graph as warm_start"):
        g.solve(BeliefPropagation(), scores, warm_start=other.solve(BeliefPropagation()))

    class Best:
        def argmax(self, scores, parts):
            return [1, 1], []

    g = FactorGraph()
    x = g.add_variables(2)
    g.add(F.UserFactor(x, Best(), []))
    with pytest.raises(UnsupportedError, match="UserFactor can only"):
        g.solve(BeliefPropagation())


class Equal:
    """Two binary variables that are the same, each score ten thousand."""

    def __init__(self, score):
        self._score = score

    def totals(self, scores):
        on = self._score
        for s in scores:
            on = -np.inf if s == -np.inf else on + (0.0 if s == np.inf else s)
        return np.array([-np.inf if np.inf in scores else 0.0, on])

    def argmax(self, scores, parts):
        totals = self.totals(scores)
        return None if totals.max() == -np.inf else [int(totals.argmax())] * 2

    def marginals(self, scores, parts):
        totals = self.totals(scores)
        if totals.max() == -np.inf:
            return -np.inf, np.zeros(2), np.zeros(0)
        log_z = np.logaddexp(*totals)
        return log_z, np.full(2, np.exp(totals[1] - log_z)), np.zeros(0)


def test_large_scores_in_user_factors_are_not_impossible():
    g = FactorGraph()
    x = g.add_variables(3)
    g.add(F.UserFactor(x[[0, 1]], Equal(1e4), []))
    g.add(F.UserFactor(x[[1, 2]], Equal(-1e4), []))
    result = g.solve(BeliefPropagation(), [0.0, np.log(3.0), 0.0])
    assert result.status is not Status.INFEASIBLE
    np.testing.assert_allclose(result.marginals, 0.75)
    assert result.log_partition == pytest.approx(np.log(4.0))


def test_empty_graphs():
    g = FactorGraph()
    assert g.solve(BeliefPropagation()).log_partition == 0.0
    g = FactorGraph()
    g.add_variables(2)
    result = g.solve(BeliefPropagation(), [0.0, np.log(3.0)])
    np.testing.assert_allclose(result.marginals, [0.5, 0.75])
    assert result.exact
    assert result.log_partition == pytest.approx(np.log(8.0))
    assert g.solve(BeliefPropagation(product="max"), [-1.0, 1.0]).assignment.tolist() == [0, 1]


@pytest.mark.parametrize("counting", [Counting.BETHE, Counting.CONCAVE])
@pytest.mark.parametrize("schedule", list(Schedule))
def test_a_tree_whose_words_have_no_arcs_is_infeasible(schedule, counting):
    g = FactorGraph()
    x = g.add_variables(2)
    g.add(F.Tree(x, [1, 3], [2, 2], 3))
    g.add(F.TriSiblings(x, np.zeros(4)))
    g.add(F.ConsecutiveSiblings(x, np.zeros(6)))
    result = g.solve(BeliefPropagation(schedule=schedule, counting=counting), [1.0, 2.0])
    assert result.status is Status.INFEASIBLE
    assert result.log_partition == -np.inf
