from __future__ import annotations

import itertools

import numpy as np
import pytest

from ramify import FactorGraph
from ramify.compression.decoding import best_cuts, best_cuts_within, cut_score
from ramify.factors import CompressionTree
from ramify.inference import Exact


def random_tree(rng, n):
    """Heads of a forest whose nodes come in the order of a walk."""
    heads = [-1]
    for _ in range(n - 1):
        path = [len(heads) - 1]
        while path[-1] >= 0:
            path.append(heads[path[-1]])
        heads.append(int(rng.choice(path)))
    return np.array(heads)


def choices(heads, cuts, stays):
    for bits in itertools.product([False, True], repeat=len(heads)):
        kept = np.array(bits)
        score = cut_score(heads, cuts, stays, kept)
        if score > -np.inf:
            yield score, kept


@pytest.mark.parametrize("seed", range(30))
def test_best_cuts_and_budgets_equal_enumeration(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    heads, lengths = random_tree(rng, n), rng.integers(0, 4, n)
    cuts, stays = rng.normal(size=n), rng.normal(size=n)
    everything = list(choices(heads, cuts, stays))
    assert cut_score(heads, cuts, stays, best_cuts(heads, cuts, stays)) == pytest.approx(max(s for s, _ in everything))
    for most, least in ((0, 0), (2, 1), (5, 2), (99, 3)):
        right = [score for score, kept in everything if least <= lengths[kept].sum() <= most]
        found = best_cuts_within(heads, cuts, stays, lengths, most, least)
        if not right:
            assert found is None
        else:
            assert cut_score(heads, cuts, stays, found) == pytest.approx(max(right))
            assert least <= lengths[found].sum() <= most


@pytest.mark.parametrize("seed", range(5))
def test_the_engine_has_the_same_optimum(seed):
    rng = np.random.default_rng(seed)
    heads = random_tree(rng, 12)
    cuts, stays = rng.normal(size=12), rng.normal(size=12)
    graph = FactorGraph()
    graph.add(CompressionTree(graph.add_variables(12), heads, cuts))
    result = graph.solve(Exact(), stays)
    np.testing.assert_array_equal(result.assignment.astype(bool), best_cuts(heads, cuts, stays))


def test_a_unit_does_not_stay_without_its_head():
    assert cut_score(np.array([-1, 0]), np.zeros(2), np.zeros(2), np.array([False, True])) == -np.inf
