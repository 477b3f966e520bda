"""Linear and integer programs and exact inference against enumeration, on random graphs of all families."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest

from ramify import FactorGraph
from ramify import factors as F  # noqa: N812 - read all over the file
from ramify.errors import InvalidInputError, UnsupportedError
from ramify.factors import SiblingFormulation, TreeFormulation
from ramify.inference import ILP, LP, Exact, Status
from support.random_graphs import FAMILIES, on_variables, random_graph

pytestmark = pytest.mark.engine
SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pruned", [0.0, 0.2])
def test_exact_is_enumeration(seed, pruned):
    g = random_graph(np.random.default_rng(seed), pruned=pruned)
    log_z, best, marginals, part_marginals = g.answers()
    r = g.graph.solve(Exact(), g.scores)
    assert r.exact
    np.testing.assert_allclose(r.log_partition, log_z, atol=1e-9)
    np.testing.assert_allclose(r.value, best, atol=1e-9)
    np.testing.assert_allclose(r.marginals, marginals, atol=1e-9)
    np.testing.assert_allclose(r.part_marginals, part_marginals, atol=1e-9)
    if best > -np.inf:
        assert r.status is Status.CERTIFIED
        np.testing.assert_allclose(g.graph.problem(g.scores).value(r.assignment), best, atol=1e-9)
    else:
        assert r.status is Status.INFEASIBLE
        assert r.message.startswith("No assignment satisfies all of these: ")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pruned", [0.0, 0.2])
def test_lp_bounds_ilp_and_ilp_is_enumeration(seed, pruned):
    g = random_graph(np.random.default_rng(seed + 1000), pruned=pruned)
    best = g.best()
    ilp = g.graph.solve(ILP(), g.scores)
    lp = g.graph.solve(LP(), g.scores)
    np.testing.assert_allclose(ilp.value, best, atol=1e-6)
    if best == -np.inf:
        assert ilp.status is Status.INFEASIBLE
        assert ilp.message.startswith("No assignment")
        return
    assert ilp.certified
    assert ilp.bound >= ilp.value
    np.testing.assert_allclose(g.graph.problem(g.scores).value(ilp.assignment), best, atol=1e-6)
    assert lp.bound >= best - 1e-6
    assert lp.certified == (lp.assignment is not None)
    if lp.certified:
        np.testing.assert_allclose(lp.value, best, atol=1e-6)
    else:
        value = np.where(lp.marginals > 0, lp.marginals * np.where(lp.marginals > 0, g.scores, 0), 0).sum()
        parts = g.graph.part_scores
        value += np.where(lp.part_marginals > 0, lp.part_marginals * np.where(lp.part_marginals > 0, parts, 0), 0).sum()
        np.testing.assert_allclose(lp.value, value, atol=1e-6)


@pytest.mark.parametrize("cls", FAMILIES, ids=lambda cls: cls.__name__)
def test_lp_of_one_exact_factor_is_enumeration(cls):
    rng = np.random.default_rng(7)
    for _ in range(6):
        g = random_graph(rng, num_factors=1, families=[cls])
        best = g.best()
        lp = g.graph.solve(LP(), g.scores)
        if g.graph.factors[0].constraints(0).exact or cls is F.Tree:
            np.testing.assert_allclose(lp.value, best, atol=1e-6)
            assert lp.certified == (best > -np.inf)
        else:
            assert lp.bound >= best - 1e-6


def tree_graph(rng, num_words, num_pairs, single_root=False, density=1.0):
    arcs = [(h, m) for h in range(num_words + 1) for m in range(1, num_words + 1) if h != m]
    arcs = [arc for arc in arcs if arc[0] == 0 or rng.random() < density]
    graph = FactorGraph()
    x = graph.add_variables(len(arcs))
    heads, modifiers = np.array(arcs).T
    graph.add(F.Tree(x, heads, modifiers, num_words, single_root=single_root))
    pairs = np.array([rng.choice(len(arcs), 2, replace=False) for _ in range(num_pairs)], dtype=int).reshape(-1, 2)
    graph.add(F.Pair(x[pairs[:, 0]], x[pairs[:, 1]], rng.normal(size=num_pairs) * 2))
    return graph, rng.normal(size=len(arcs)) * 2


@pytest.mark.parametrize("seed", range(12))
def test_tree_formulations(seed):
    rng = np.random.default_rng(seed)
    graph, scores = tree_graph(rng, int(rng.integers(2, 6)), 20, single_root=bool(seed % 2))
    ilps = {t: graph.solve(ILP(tree=t), scores) for t in TreeFormulation}
    lps = {t: graph.solve(LP(tree=t), scores) for t in TreeFormulation}
    assert len({round(r.value, 6) for r in ilps.values()}) == 1
    assert all(r.certified for r in ilps.values())
    exact = lps[TreeFormulation.MULTI_COMMODITY].value
    np.testing.assert_allclose(lps[TreeFormulation.CUTS].value, exact, atol=1e-6)
    assert lps[TreeFormulation.SINGLE_COMMODITY].value >= exact - 1e-6
    assert exact >= ilps[TreeFormulation.CUTS].value - 1e-6


def test_single_commodity_is_looser():
    """On some graph the single flow's relaxation is strictly above the convex hull's."""
    looser = 0
    for seed in range(20):
        graph, scores = tree_graph(np.random.default_rng(seed), 4, 0)
        loose = graph.solve(LP(tree=TreeFormulation.SINGLE_COMMODITY), scores).bound
        looser += loose > graph.solve(LP(), scores).bound + 1e-6
    assert looser > 0


@pytest.mark.parametrize("method", [Exact(), ILP(), LP()], ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("seed", range(10))
def test_evidence_is_restriction(method, seed):
    rng = np.random.default_rng(seed)
    g = random_graph(rng)
    variable = int(rng.integers(g.graph.num_variables))
    state = int(rng.integers(g.graph.num_states[variable]))
    log_z, best, marginals, _ = g.answers({variable: state})
    r = g.graph.solve(method, g.scores, evidence={variable: state})
    if isinstance(method, LP):
        assert r.bound >= best - 1e-6
    else:
        np.testing.assert_allclose(r.value, best, atol=1e-6)
    if best == -np.inf:
        return
    if r.assignment is not None:
        assert r.assignment[variable] == state
    if isinstance(method, Exact):
        np.testing.assert_allclose(r.log_partition, log_z, atol=1e-9)
        np.testing.assert_allclose(r.marginals, marginals, atol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_permutation_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    g = random_graph(rng)
    order = rng.permutation(g.graph.num_variables)  # new index of each variable
    other = FactorGraph()
    other.add_variables(g.graph.num_variables, g.graph.num_states[np.argsort(order)])
    for factor in reversed(g.graph.factors):
        other.add(on_variables(factor, order[factor.variables]))
    scores = np.zeros(other.num_coordinates)
    for v, w in enumerate(order):
        scores[other.coordinates(int(w))] = g.scores[g.graph.coordinates(v)]
    where = np.concatenate([other.coordinates(int(w)) for w in order])
    for method in (Exact(), ILP(), LP()):
        r, s = g.graph.solve(method, g.scores), other.solve(method, scores)
        np.testing.assert_allclose(r.value, s.value, atol=1e-6)
        if isinstance(method, Exact):
            np.testing.assert_allclose(r.marginals, s.marginals[where], atol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_a_constant_shifts_only_the_value(seed):
    """Adding c to every state of a k-ary variable adds c to values and leaves marginals alone."""
    rng = np.random.default_rng(seed)
    g = random_graph(rng, families=[F.Table, F.Sequence])
    wide = np.flatnonzero(g.graph.num_states > 2)
    if not wide.size:
        pytest.skip("no variable with more than two states was drawn")
    shifted = g.scores.copy()
    shifted[g.graph.coordinates(int(wide[0]))] += 5.0
    for method in (Exact(), ILP(), LP()):
        r, s = g.graph.solve(method, g.scores), g.graph.solve(method, shifted)
        np.testing.assert_allclose(s.value, r.value + 5.0, atol=1e-6)
        if isinstance(method, Exact):
            np.testing.assert_allclose(r.marginals, s.marginals, atol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_exact_backward_is_a_finite_difference(seed):
    rng = np.random.default_rng(seed)
    g = random_graph(rng, num_factors=1 + seed % 3)
    if g.best() == -np.inf:
        pytest.skip("nothing is feasible in this graph")
    parts = g.graph.part_scores
    grads, part_grads, grad_log_z = rng.normal(size=g.scores.size), rng.normal(size=parts.size), rng.normal()
    direction, part_direction = rng.normal(size=g.scores.size), rng.normal(size=parts.size)

    def loss(t):
        r = g.graph.solve(Exact(), g.scores + t * direction, part_scores=parts + t * part_direction)
        return grads @ r.marginals + part_grads @ r.part_marginals + grad_log_z * r.log_partition

    out = Exact().backward(g.graph.problem(g.scores), grads, part_grads, grad_log_z)
    slope = (loss(1e-5) - loss(-1e-5)) / 2e-5
    np.testing.assert_allclose(out[0] @ direction + out[1] @ part_direction, slope, atol=1e-6, rtol=1e-6)


def test_exact_without_enumeration():
    """A tree of 60 words has no end of assignments, yet one factor covers it; a free variable stays free."""
    n = 60
    heads, modifiers = np.array([(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m]).T
    g = FactorGraph()
    x = g.add_variables(heads.size + 1)
    tree = g.add(F.Tree(x[:-1], heads, modifiers, n))
    scores = np.random.default_rng(0).normal(size=heads.size + 1)
    r = g.solve(Exact(), scores)
    own = tree.marginals(scores[:-1])
    np.testing.assert_allclose(r.log_partition, own.log_partition[0] + np.log1p(np.exp(scores[-1])), rtol=1e-12)
    np.testing.assert_allclose(r.marginals[-1], 1 / (1 + np.exp(-scores[-1])), rtol=1e-12)
    np.testing.assert_allclose(r.value, g.problem(scores).value(r.assignment), rtol=1e-12)


def test_exact_refuses_what_is_too_large():
    g = FactorGraph()
    x = g.add_variables(40)
    g.add(F.Pair(x[:-1], x[1:], np.ones(39)))
    with pytest.raises(InvalidInputError, match=r"about 10\^12.*Use ILP"):
        g.solve(Exact())


def test_large_scores():
    g = FactorGraph()
    x = g.add_variables(3)
    g.add(F.ExactlyOne(x))
    g.add(F.Pair(x[:1], x[1:2], [1e4]))
    for method in (Exact(), LP(), ILP()):
        r = g.solve(method, [1e4, -np.inf, -1e4])
        np.testing.assert_allclose(r.value, 1e4)
        np.testing.assert_allclose(r.marginals, [1, 0, 0], atol=1e-9)


def test_ilp_starts_from_any_result():
    graph, scores = tree_graph(np.random.default_rng(3), 5, 30)
    relaxed = graph.solve(LP(), scores)
    best = graph.solve(ILP(), scores)
    for start in (relaxed, best, best.assignment):
        assert graph.solve(ILP(), scores, warm_start=start).value == pytest.approx(best.value)
    with pytest.raises(InvalidInputError, match="warm_start"):
        graph.solve(ILP(), scores, warm_start=[1, 2])


@pytest.mark.parametrize("tree", TreeFormulation)
@pytest.mark.parametrize("method", [LP, ILP])
def test_time_limit(method, tree):
    graph, scores = tree_graph(np.random.default_rng(5), 14, 600)
    r = graph.solve(method(time_limit=0.0, tree=tree), scores)
    assert r.status is Status.TIME_LIMIT
    assert not r.certified
    assert r.bound >= r.value


def test_out_of_time_with_a_start_keeps_it():
    graph, scores = tree_graph(np.random.default_rng(5), 14, 600)
    start = graph.solve(ILP(tree=TreeFormulation.SINGLE_COMMODITY, gap=10.0), scores)
    r = graph.solve(ILP(time_limit=0.0, tree=TreeFormulation.CUTS), scores, warm_start=start)
    assert r.status is Status.TIME_LIMIT
    np.testing.assert_allclose(r.value, graph.problem(scores).value(start.assignment))
    assert r.value <= r.bound


def test_out_of_time_with_cycles_is_repaired():
    """However short the time, what comes back is a tree or nothing."""
    graph, scores = tree_graph(np.random.default_rng(5), 14, 600)
    for seconds in (0.02, 0.1, 0.3):
        r = graph.solve(ILP(time_limit=seconds, tree=TreeFormulation.CUTS), scores)
        assert r.bound >= r.value
        if r.assignment is not None:
            np.testing.assert_allclose(graph.problem(scores).value(r.assignment), r.value)


def test_no_variables_and_no_factors():
    g = FactorGraph()
    g.add_variables(2)
    for method in (Exact(), LP(), ILP()):
        assert g.solve(method, [1.0, -2.0]).value == pytest.approx(1.0)
    empty = FactorGraph()
    for method in (Exact(), LP(), ILP()):
        assert empty.solve(method).value == 0.0


class Never:
    def argmax(self, q, scores):
        return np.zeros(q.size, dtype=np.int32)


def test_a_factor_without_rows_is_refused():
    g = FactorGraph()
    g.add(F.UserFactor(g.add_variables(2), Never()))
    with pytest.raises(UnsupportedError, match=r"UserFactor has no constraints.*AD3"):
        g.solve(LP())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tree": "cuts"}, "LP expects tree to be one of"),
        ({"time_limit": -1}, "time_limit"),
        ({"tolerance": 0.5}, "tolerance"),
        ({"tolerance": True}, "tolerance"),
    ],
)
def test_options(options, message):
    with pytest.raises(InvalidInputError, match=message):
        LP(**options)
    with pytest.raises(InvalidInputError, match="gap"):
        ILP(gap=-1.0)
    with pytest.raises(InvalidInputError, match="max_assignments"):
        Exact(max_assignments=0)


def test_bad_use():
    g = FactorGraph()
    x = g.add_variables(2)
    with pytest.raises(InvalidInputError, match="variable 7"):
        g.add(F.Or([0, 7]))
    with pytest.raises(InvalidInputError, match="at least 2 variables"):
        g.add(F.Imply(x[:1]))
    with pytest.raises(InvalidInputError, match="at least 1"):
        g.add(F.Or([]))
    g.add(F.Or(x))
    for method in (Exact(), LP(), ILP()):
        with pytest.raises(InvalidInputError, match="NaN"):
            g.solve(method, [np.nan, 0.0])
        with pytest.raises(InvalidInputError, match="2 scores"):
            g.solve(method, [0.0])
        with pytest.raises(InvalidInputError, match="variable 5"):
            g.solve(method, evidence={5: 1})
        with pytest.raises(InvalidInputError, match="state"):
            g.solve(method, evidence={0: 2})
        with pytest.raises(InvalidInputError, match="both states"):
            g.solve(method, evidence={0: 1}, forbidden={0: 1})


def test_cuts_end_where_hardly_anything_is_missing():
    """What the flow lacked was less than what counts as flow, while a way was open: the search went on for ever."""
    code = (
        "import numpy as np\n"
        "from ramify._core import programs\n"
        "heads, modifiers = np.array([0, 0, 2, 0, 3], np.int32), np.array([1, 2, 1, 3, 1], np.int32)\n"
        "x = np.array([0.5, 1.0, 0.3, 1.0, 0.5 - 1e-6 - 5e-13])\n"
        "assert programs.violated_cuts(heads, modifiers, 3, x, 1e-6).size == 0\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("num_arcs", range(1, 6))
def test_dynamic_constraints_of_siblings(num_arcs):
    """Every assignment has its parts and no others; the relaxation is no tighter than the automaton's."""
    rng = np.random.default_rng(num_arcs)
    for _ in range(5):
        graph = FactorGraph()
        x = graph.add_variables(num_arcs)
        graph.add(F.ConsecutiveSiblings(x, rng.normal(size=(num_arcs + 2) * (num_arcs + 1) // 2) * 2))
        scores = rng.normal(size=num_arcs)
        dynamic = SiblingFormulation.DYNAMIC
        for y in np.ndindex(*[2] * num_arcs):
            evidence = dict(enumerate(y))
            ours, theirs = (
                graph.solve(method, scores, evidence=evidence) for method in (LP(siblings=dynamic), Exact())
            )
            assert ours.certified
            assert ours.value == pytest.approx(theirs.value)
            sequence = [0, *(j for j, on in enumerate(y, 1) if on), num_arcs + 1]
            pairs = list(itertools.combinations(range(num_arcs + 2), 2))
            expected = [float(pair in itertools.pairwise(sequence)) for pair in pairs]
            np.testing.assert_allclose(ours.part_marginals, expected, atol=1e-7)
        hull = graph.solve(LP(), scores).bound
        assert graph.solve(LP(siblings=dynamic), scores).bound >= hull - 1e-7
        assert graph.solve(ILP(siblings=dynamic), scores).value == pytest.approx(hull)


def test_dynamic_constraints_are_looser():
    """Three first children, each by half: there is half a child before the second, and no more before the third."""
    graph = FactorGraph()
    firsts = [float(m == 0 and s <= 3) for m, s in itertools.combinations(range(5), 2)]
    graph.add(F.ConsecutiveSiblings(graph.add_variables(3), firsts))
    assert graph.solve(LP()).bound == pytest.approx(1.0)
    assert graph.solve(LP(siblings=SiblingFormulation.DYNAMIC)).bound == pytest.approx(1.5)


def test_formulations_are_checked():
    for method in (LP, ILP):
        with pytest.raises(InvalidInputError, match=r"expects siblings to be one of .*DYNAMIC; got 'dynamic'"):
            method(siblings="dynamic")
    factor = F.ConsecutiveSiblings(np.arange(2), None)
    with pytest.raises(InvalidInputError, match="expects formulation to be one of 'automaton', 'dynamic'; got 'cuts'"):
        factor.constraints(0, "cuts")
    with pytest.raises(InvalidInputError, match=r"Tree\.constraints expects formulation to be one of 'multi-"):
        F.Tree(np.arange(1), [0], [1], 1).constraints(0, "dynamic")
    assert not factor.constraints(0, "dynamic").exact
    assert factor.constraints(0).exact


def test_sums_that_overflow():
    g = FactorGraph()
    g.add_variables(4)
    g.add(F.HeadBigram([[0, 1], [2, 3]], [np.zeros((2, 2))]))
    with pytest.raises(InvalidInputError, match="sums are finite; the largest has the size 1e\\+308"):
        g.solve(Exact(), [1e308, 0, 0, 0], part_scores=[1e308, 0, 0, 0])
