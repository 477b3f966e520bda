"""Exact inference in chains: against trying all labellings, and against the engine's Sequence factors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.chains import EnumeratedChain
from ramify import FactorGraph
from ramify._core import tagging as _core
from ramify.factors import SecondOrderSequence, Sequence
from ramify.inference import Exact

pytestmark = pytest.mark.engine

NONE = np.empty(0)


def solve(scores, pairs=None, triples=None, k=1):
    order = 2 if triples is not None else 1 if pairs is not None else 0
    flat = [NONE if x is None else np.ravel(x).astype(float) for x in (scores, pairs, triples)]
    tagging, ngrams, stops, stride = _core.solve_chain(order, scores.shape[1], *flat, k)
    return tagging, ngrams.reshape(-1, stride)[:, : scores.shape[1]] if stride else ngrams, stops


def draw(rng, n, k, order, size=2.0, forbidden=0.0):
    def scores(*shape):
        out = rng.normal(scale=size, size=shape)
        out[rng.random(shape) < forbidden] = -math.inf
        return out

    pairs = scores(k + 1, k + 1) if order >= 1 else None
    triples = scores(k + 1, k + 1, k + 1) if order >= 2 else None
    return scores(n, k), pairs, triples


def check(scores, pairs, triples):
    truth = EnumeratedChain(scores, pairs, triples)
    tagging, ngrams, stops = solve(scores, pairs, triples, k=7)
    size = max(1.0, np.abs(truth.totals[np.isfinite(truth.totals)]).max(initial=0.0))
    assert tagging.best.value == pytest.approx(truth.totals.max(), abs=1e-9 * size)
    assert tagging.log_partition == pytest.approx(truth.log_partition, abs=1e-9 * size)
    wanted = truth.ranked()[:7]
    assert [item.value for item in tagging.k_best] == pytest.approx(wanted, abs=1e-9 * size)
    if not wanted:
        assert tagging.best.labels().size == 0
        return
    index = dict(zip(truth.labellings, truth.totals.tolist(), strict=True))
    assert index[tuple(tagging.best.labels().tolist())] == pytest.approx(wanted[0], abs=1e-9 * size)
    found = {tuple(item.labels().tolist()): item.value for item in tagging.k_best}
    assert len(found) == len(wanted)
    for labels, value in found.items():
        assert index[labels] == pytest.approx(value, abs=1e-9 * size)
    np.testing.assert_allclose(tagging.marginals(), truth.marginals().ravel(), atol=1e-7)
    if pairs is not None:
        k = scores.shape[1]
        counts = np.column_stack([ngrams, stops]).reshape(-1, k + 1, k + 1).sum(axis=0)
        np.testing.assert_allclose(counts, truth.pair_counts(), atol=1e-7)


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (1, 3), (2, 2), (4, 3), (5, 2), (3, 9)])
@pytest.mark.parametrize("forbidden", [0.0, 0.3])
def test_agrees_with_enumeration(order, n, k, forbidden):
    rng = np.random.default_rng([order, n, k])
    for _ in range(5):
        check(*draw(rng, n, k, order, forbidden=forbidden))


@pytest.mark.parametrize("order", [1, 2])
def test_large_scores_lose_nothing(order):
    rng = np.random.default_rng(order)
    for size in (1e2, 1e3, 1e4):
        check(*draw(rng, 4, 3, order, size=size, forbidden=0.2))


def test_what_is_unlikely_at_first_may_be_forced_later():
    # Scaled sums would drop label 1 of the first word (e^-900), yet only it can go on.
    scores = np.array([[0.0, -900.0], [0.0, 0.0]])
    pairs = np.zeros((3, 3))
    pairs[0, :2] = -math.inf
    tagging, _, _ = solve(scores, pairs)
    np.testing.assert_allclose(tagging.marginals().reshape(2, 2)[0], [0.0, 1.0])
    assert tagging.log_partition == pytest.approx(-900.0 + math.log(2))


@pytest.mark.parametrize("order", [0, 1, 2])
def test_nothing_possible(order):
    scores, pairs, triples = draw(np.random.default_rng(0), 3, 2, order)
    scores[1] = -math.inf
    tagging, _, _ = solve(scores, pairs, triples, k=3)
    assert tagging.best.value == tagging.log_partition == -math.inf
    assert tagging.best.labels().size == 0
    assert tagging.k_best == []
    assert not tagging.marginals().any()


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2),
    st.integers(1, 4),
    st.integers(1, 3),
    st.lists(st.sampled_from([0.0, 1.0, -1.0, 1e4, -1e4, -math.inf]), min_size=100, max_size=100),
)
def test_ties_and_extremes(order, n, k, pool):
    cells = iter(pool * 2)

    def table(*shape):
        return np.array([next(cells) for _ in range(math.prod(shape))]).reshape(shape)

    check(
        table(n, k),
        table(k + 1, k + 1) if order >= 1 else None,
        table(k + 1, k + 1, k + 1) if order >= 2 else None,
    )


@pytest.mark.parametrize("order", [1, 2])
def test_agrees_with_the_engine(order):
    n, k = 5, 3
    scores, pairs, triples = draw(np.random.default_rng(order), n, k, order)
    unary = scores.copy()
    unary[0] += pairs[k, :k]
    unary[-1] += pairs[:k, k]
    graph = FactorGraph()
    words = graph.add_variables(n, num_states=k)
    if triples is None:
        graph.add(Sequence(words, np.repeat(pairs[None, :k, :k], n - 1, axis=0)))
    else:
        unary[0] += triples[k, k, :k]
        tables = np.repeat(triples[None, :k, :k, :k] + pairs[None, None, :k, :k], n - 2, axis=0)
        tables[-1] += triples[:k, :k, k][None]
        first = pairs[:k, :k] + triples[k, :k, :k]
        graph.add(SecondOrderSequence(words, np.concatenate([first.ravel(), tables.ravel()])))
    result = graph.solve(Exact(), unary.ravel())
    tagging, _, _ = solve(scores, pairs, triples)
    np.testing.assert_allclose(result.marginals, tagging.marginals(), atol=1e-9)
    assert result.log_partition == pytest.approx(tagging.log_partition)
    assert result.assignment.tolist() == tagging.best.labels().tolist()
