from __future__ import annotations

import math
import warnings

import highspy
import networkx as nx
import numpy as np
import pytest

from oracles.trees import TreeOracle
from ramify import trees
from unit.trees.cases import KINDS, random_scores

pytestmark = pytest.mark.engine

cases = pytest.mark.parametrize(
    ("kind", "num_words", "single_root"),
    [(kind, n, single) for kind in KINDS for n in (1, 2, 3, 4, 5) for single in (False, True)],
)


def as_arcs(scores: np.ndarray) -> trees.ArcList:
    clean = np.nan_to_num(scores, nan=-np.inf, neginf=-np.inf)
    heads, modifiers = np.nonzero(clean > -np.inf)
    return trees.ArcList(heads, modifiers, clean[heads, modifiers], len(scores) - 1)


@cases
def test_best_tree_matches_enumeration(kind, num_words, single_root):
    for seed in range(6):
        scores = random_scores(kind, num_words, seed, single_root)
        oracle = TreeOracle(scores, single_root)
        for given in (scores, as_arcs(scores)):
            heads, value = trees.max_arborescence(given, single_root=single_root)
            assert heads.dtype == np.int32
            assert heads[0] == -1
            assert (oracle.trees == heads).all(axis=1).any()
            assert value == pytest.approx(oracle.best, rel=1e-13, abs=1e-13)
            assert trees.score(scores, heads) == pytest.approx(value, rel=1e-13, abs=1e-13)


@cases
def test_max_marginals_match_enumeration(kind, num_words, single_root):
    for seed in range(10):
        scores = random_scores(kind, num_words, seed, single_root)
        oracle = TreeOracle(scores, single_root)
        got = trees.max_marginals(scores, single_root=single_root)
        np.testing.assert_allclose(got, oracle.with_arc, rtol=1e-12, atol=1e-12)
        got = trees.max_marginals(scores, without=True, single_root=single_root)
        np.testing.assert_allclose(got, oracle.without_arc, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("kind", ["plain", "ties", "pruned", "huge"])
def test_max_marginals_match_constrained_runs_at_thirty_words(kind, single_root):
    n = 30
    scores = random_scores(kind, n, 3, single_root)
    got = trees.max_marginals(scores, single_root=single_root)
    without = trees.max_marginals(scores, without=True, single_root=single_root)
    rng = np.random.default_rng(0)
    for head, word in zip(rng.integers(0, n + 1, 150), rng.integers(1, n + 1, 150), strict=True):
        if head == word or scores[head, word] == -np.inf:
            continue
        only = scores.copy()
        only[:, word] = -np.inf
        only[head, word] = scores[head, word]
        assert got[head, word] == pytest.approx(_best_or_nothing(only, single_root), rel=1e-12, abs=1e-11)
        barred = scores.copy()
        barred[head, word] = -np.inf
        assert without[head, word] == pytest.approx(_best_or_nothing(barred, single_root), rel=1e-12, abs=1e-11)


def _best_or_nothing(scores: np.ndarray, single_root: bool) -> float:
    try:
        return trees.max_arborescence(scores, single_root=single_root)[1]
    except trees_error():
        return -math.inf


def trees_error() -> type[Exception]:
    from ramify.errors import InvalidInputError

    return InvalidInputError


def test_many_zero_cycles_do_not_blow_up():
    """Equal scores at 1e4 with rounding noise: every exchange cycle has length 0 but for the last digit."""
    n = 60
    rng = np.random.default_rng(4)
    scores = np.full((n + 1, n + 1), 1e4 / 3) + rng.integers(-2, 3, (n + 1, n + 1)) * np.spacing(1e4)
    got = trees.max_marginals(scores)
    off_diagonal = ~np.eye(n + 1, dtype=bool)
    off_diagonal[:, 0] = False
    np.testing.assert_allclose(got[off_diagonal], n * 1e4 / 3, rtol=1e-12)


@cases
def test_k_best_lists_all_trees_in_order(kind, num_words, single_root):
    scores = random_scores(kind, num_words, 2, single_root)
    oracle = TreeOracle(scores, single_root)
    expected = np.sort(oracle.values[np.isfinite(oracle.values)])[::-1]
    for k in (1, 7, 2000):
        heads, values = trees.k_best(scores, k, single_root=single_root)
        assert len(heads) == len(values) == min(k, len(expected))
        np.testing.assert_allclose(values, expected[:k], rtol=1e-12, atol=1e-12)
        assert len(np.unique(heads, axis=0)) == len(heads)
        np.testing.assert_allclose([trees.score(scores, tree) for tree in heads], values, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("single_root", [False, True])
def test_arcs_and_matrix_agree_on_long_sparse_sentences(single_root):
    rng = np.random.default_rng(8)
    for n in (40, 150):
        for _ in range(10):
            scores = rng.normal(size=(n + 1, n + 1))
            scores[rng.random(scores.shape) < 0.9] = -np.inf
            scores[rng.integers(1, n + 1), 1:] = 0.0
            scores[0, 1:4] = -3.0
            np.fill_diagonal(scores, -np.inf)
            scores[:, 0] = -np.inf
            best = _best_or_nothing(scores, single_root)
            assert _best_or_nothing_of_arcs(scores, single_root) == pytest.approx(best, rel=1e-12)


def _best_or_nothing_of_arcs(scores: np.ndarray, single_root: bool) -> float:
    try:
        return trees.max_arborescence(as_arcs(scores), single_root=single_root)[1]
    except trees_error():
        return -math.inf


def test_agrees_with_networkx():
    rng = np.random.default_rng(9)
    for n in (5, 12, 20):
        scores = rng.normal(size=(n + 1, n + 1))
        graph = nx.DiGraph()
        for head in range(n + 1):
            for word in range(1, n + 1):
                if head != word:
                    graph.add_edge(head, word, weight=scores[head, word])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reference = nx.maximum_spanning_arborescence(graph)
        assert trees.max_arborescence(scores)[1] == pytest.approx(reference.size(weight="weight"), rel=1e-12)


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize(("n", "sigma"), [(15, 1.0), (30, 1e4), (50, 1.0)])
def test_agrees_with_an_integer_program(n, sigma, single_root):
    """Single-commodity flow over chosen arcs, solved by HiGHS."""
    rng = np.random.default_rng(10)
    scores = rng.normal(size=(n + 1, n + 1)) * sigma
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("mip_rel_gap", 0.0)
    arcs = [(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m]
    chosen = {arc: solver.addBinary(obj=float(scores[arc])) for arc in arcs}
    flow = {arc: solver.addVariable(lb=0.0, ub=float(n)) for arc in arcs}
    for m in range(1, n + 1):
        solver.addConstr(sum(chosen[a] for a in arcs if a[1] == m) == 1)
        solver.addConstr(sum(flow[a] for a in arcs if a[1] == m) - sum(flow[a] for a in arcs if a[0] == m) == 1)
    for arc in arcs:
        solver.addConstr(flow[arc] - n * chosen[arc] <= 0)
    if single_root:
        solver.addConstr(sum(chosen[a] for a in arcs if a[0] == 0) == 1)
    solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
    solver.solve()
    _, value = trees.max_arborescence(scores, single_root=single_root)
    assert solver.getObjectiveValue() == pytest.approx(value, rel=1e-6)


def test_mbr_maximizes_expected_right_heads():
    scores = random_scores("plain", 4, 0, False)
    oracle = TreeOracle(scores, False)
    mu, _ = trees.marginals(scores)
    heads, value = trees.mbr(mu)
    expected = [sum(mu[tree[m], m] for m in range(1, 5)) for tree in oracle.trees]
    assert value == pytest.approx(max(expected))
    assert expected[int(np.flatnonzero((oracle.trees == heads).all(axis=1))[0])] == pytest.approx(value)


@pytest.mark.parametrize("single_root", [False, True])
def test_batches_of_lists_and_samples(single_root):
    scores = np.random.default_rng(3).normal(size=(3, 6, 6))
    lengths = [5, 2, 4]
    ranked = trees.k_best(scores, 4, single_root=single_root, lengths=lengths)
    drawn = trees.sample(scores, 50, 1, single_root=single_root, lengths=lengths)
    assert drawn.shape == (3, 50, 6)
    for i, n in enumerate(lengths):
        one = scores[i, : n + 1, : n + 1]
        heads, values = trees.k_best(one, 4, single_root=single_root)
        np.testing.assert_array_equal(ranked[i][0], heads)
        np.testing.assert_array_equal(ranked[i][1], values)
        assert (drawn[i, :, n + 1 :] == -1).all()
        for tree in drawn[i, :, : n + 1]:
            assert trees.score(one, tree, single_root=single_root) > -np.inf
    again = trees.sample(np.stack([scores[0]] * 2), 50, 1, single_root=single_root)
    assert (again[0] != again[1]).any(), "items of a batch are independent"


def test_score_counts_root_arcs():
    scores = np.zeros((4, 4))
    assert trees.score(scores, [-1, 0, 0, 1]) == 0.0
    assert trees.score(scores, [-1, 0, 0, 1], single_root=True) == -np.inf
