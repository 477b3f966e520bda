"""Branch and bound around AD3 equals enumeration."""

from __future__ import annotations

import numpy as np
import pytest

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from contract.families import CASES
from ramify import FactorGraph
from ramify.inference import AD3, Status
from support.enumerated_graphs import random_graph

pytestmark = pytest.mark.engine

FAMILIES = list(CASES)


@pytest.mark.parametrize("family", [*FAMILIES, None])
def test_equals_enumeration(family):
    families = FAMILIES if family is None else [family, F.Pair, F.Table]
    for seed in range(4):
        case = random_graph([seed, 50], families, num_factors=5)
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
    case = random_graph([seed, 60], [F.Pair], num_binary=9, num_ternary=0, num_factors=36, scale=2.0)
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
    case = random_graph(61, [F.Pair], num_binary=9, num_ternary=0, num_factors=36, scale=2.0)
    best = case.best()
    for method in (AD3(exact=True, max_nodes=1), AD3(exact=True, time_limit=0.0, check_every=1, max_iterations=2)):
        result = case.graph.solve(method, case.scores)
        assert result.value <= best + 1e-9 <= result.bound + 1e-6
