"""Branch and bound around AD3 equals enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from contract.families import CASES
from ramify import FactorGraph
from ramify.inference import AD3, ILP, Status
from support.random_graphs import crowded_graph

pytestmark = pytest.mark.engine

FAMILIES = list(CASES)


@pytest.mark.parametrize("family", [*FAMILIES, None])
def test_equals_enumeration(family):
    families = FAMILIES if family is None else [family, F.Pair, F.Table]
    for seed in range(4):
        case = crowded_graph([seed, 50], families, num_factors=5)
        best = case.best()
        result = case.graph.solve(AD3(exact=True), case.scores)
        if best == -np.inf:
            assert result.status is Status.INFEASIBLE
            continue
        assert result.certified
        assert result.value == pytest.approx(best, abs=1e-6)
        assert result.bound == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_frustrated_pairs_need_branching(seed):
    case = crowded_graph([seed, 60], [F.Pair], num_binary=9, num_ternary=0, num_factors=36, scale=2.0)
    relaxed = case.graph.solve(AD3(), case.scores)
    result = case.graph.solve(AD3(exact=True), case.scores)
    assert result.certified
    assert result.value == pytest.approx(case.best(), abs=1e-6)
    assert result.bound <= relaxed.bound + 1e-7


def test_infeasible_only_for_integers():
    graph = FactorGraph()
    x = graph.add_variables(3)
    for i, j in ((0, 1), (1, 2), (0, 2)):
        graph.add(F.ExactlyOne(x[[i, j]]))
    assert graph.solve(AD3(), [0.1, 0.2, 0.3]).status is Status.CONVERGED
    result = graph.solve(AD3(exact=True), [0.1, 0.2, 0.3])
    assert result.status is Status.INFEASIBLE
    assert result.bound == -np.inf


def test_limits_keep_an_honest_bound():
    case = crowded_graph(61, [F.Pair], num_binary=9, num_ternary=0, num_factors=36, scale=2.0)
    best = case.best()
    for method in (AD3(exact=True, max_nodes=1), AD3(exact=True, time_limit=0.0, check_every=1, max_iterations=2)):
        result = case.graph.solve(method, case.scores)
        assert result.value <= best + 1e-9 <= result.bound + 1e-6


def grid(rng, side, states, values):
    """A Potts-like grid whose scores repeat, so that states share rows and ties abound."""
    graph = FactorGraph()
    x = graph.add_variables(side * side, states)
    place = np.arange(side * side).reshape(side, side)
    across = np.stack([place[:, :-1].ravel(), place[:, 1:].ravel()], axis=1)
    down = np.stack([place[:-1].ravel(), place[1:].ravel()], axis=1)
    edges = np.concatenate([across, down])
    graph.add(F.Table(x[edges], rng.choice(values, size=(len(edges), states, states))))
    return graph, rng.choice(values, size=side * side * states)


@pytest.mark.parametrize("values", [[-1.0, 0.0, 0.0, 1.0], [-np.inf, 0.0, 0.3, 1.1, 1.3], [-1e4, 0.0, 1e4]])
def test_clusters_of_grids_equal_the_integer_program(values):
    rng = np.random.default_rng([70, len(values)])
    for _ in range(12):
        graph, scores = grid(rng, 3, 3, values)
        result = graph.solve(AD3(exact=True, max_iterations=3), scores)  # so few that the search does the work
        optimum = graph.solve(ILP(), scores)
        assert result.status is optimum.status
        assert result.value == pytest.approx(optimum.value, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_bounds_hold_where_local_search_is_stuck(seed):
    """Chains of variables that have to agree: no few of them can move, so a bound that is too low shows in the value.

    Each table tells some of the states apart only, so that the classes of tables, clusters and domains differ.
    """
    rng = np.random.default_rng([73, seed])
    chains, copies, states, active = 6, 8, 5, 3
    graph = FactorGraph()
    x = graph.add_variables(chains * copies, states)
    pairs = np.array(list(itertools.combinations(range(chains), 2)))
    tables = np.zeros((len(pairs), states, states))
    for table in tables:
        rows, columns = (rng.choice(states, size=active, replace=False) for _ in range(2))
        table[np.ix_(rows, columns)] = rng.choice([-2.0, -1.0, 0.0, 1.0, 2.0], size=(active, active))
    graph.add(F.Table(x[pairs * copies + rng.integers(copies, size=pairs.shape)], tables))
    begin = np.arange(chains * copies).reshape(chains, copies)[:, :-1].ravel()
    equal = np.where(np.eye(states) > 0, 0.0, -np.inf)
    graph.add(F.Table(x[np.stack([begin, begin + 1], axis=1)], np.tile(equal, (begin.size, 1, 1))))
    scores = rng.choice([0.0, 0.25, 0.5], size=chains * copies * states)
    y = np.array(list(itertools.product(range(states), repeat=chains)))
    totals = scores.reshape(chains, copies, states).sum(axis=1)[np.arange(chains), y].sum(axis=1)
    totals += sum(table[y[:, i], y[:, j]] for table, (i, j) in zip(tables, pairs, strict=True))
    result = graph.solve(AD3(exact=True, max_iterations=3), scores)
    assert result.certified
    assert result.value == pytest.approx(totals.max(), abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("single_root", [False, True])
def test_trees_with_pairs_equal_the_integer_program(seed, single_root):
    rng = np.random.default_rng([71, seed])
    n = 5
    arcs = [(h, m) for m in range(1, n + 1) for h in range(n + 1) if h != m and (h == 0 or rng.random() < 0.8)]
    heads, modifiers = np.array(arcs).T
    graph = FactorGraph()
    x = graph.add_variables(len(arcs))
    graph.add(F.Tree(x, heads, modifiers, n, single_root=single_root))
    i, j = np.triu_indices(len(arcs), 1)
    keep = (heads[i] == heads[j]) | (heads[i] == modifiers[j]) | (heads[j] == modifiers[i])
    graph.add(F.Pair(x[i[keep]], x[j[keep]], rng.choice([-1.5, 0.0, 0.5, 2.0], size=keep.sum())))
    scores = rng.normal(size=len(arcs))
    scores[rng.integers(len(arcs))] = -np.inf
    result = graph.solve(AD3(exact=True), scores)
    optimum = graph.solve(ILP(), scores)
    assert result.status is optimum.status
    assert result.value == pytest.approx(optimum.value, abs=1e-6)
