"""Subgradient dual decomposition: bounds, certificates, and the same optimum as AD3 where it gets there."""

from __future__ import annotations

import numpy as np
import pytest

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from contract.families import CASES
from ramify.errors import InvalidInputError
from ramify.inference import AD3, Subgradient
from support.random_graphs import crowded_graph

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("seed", range(30))
def test_bound_optimum_value(seed):
    case = crowded_graph([seed, 70], list(CASES))
    best = case.best()
    result = case.graph.solve(Subgradient(max_iterations=300), case.scores)
    if best == -np.inf:
        assert result.value == -np.inf
        return
    assert result.bound >= best - 1e-9 >= result.value - 2e-9
    if result.certified:
        assert result.value == pytest.approx(best, abs=1e-6)


def test_approaches_the_bound_of_ad3():
    for seed in range(5):
        case = crowded_graph([seed, 80], [F.Pair, F.Table], num_factors=6)
        exact = case.graph.solve(AD3(), case.scores)
        result = case.graph.solve(Subgradient(max_iterations=5000), case.scores)
        assert result.bound == pytest.approx(exact.bound, abs=0.05)
        assert result.bound >= exact.bound - 1e-4


def test_warm_start_keeps_the_bound():
    case = crowded_graph(81, [F.Pair, F.Table], num_factors=6)
    first = case.graph.solve(Subgradient(max_iterations=50), case.scores)
    second = case.graph.solve(Subgradient(max_iterations=50), case.scores, warm_start=first)
    assert second.bound <= first.bound + 1e-9


@pytest.mark.parametrize("options", [{"max_iterations": 0}, {"step": 0.0}, {"time_limit": -1.0}, {"check_every": 0}])
def test_bad_options(options):
    with pytest.raises(InvalidInputError, match="Subgradient expects"):
        Subgradient(**options)
