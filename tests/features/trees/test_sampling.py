from __future__ import annotations

import numpy as np
import pytest

from oracles.trees import TreeOracle
from ramify import trees
from unit.trees.cases import random_scores

pytestmark = pytest.mark.engine


def frequencies(heads: np.ndarray) -> np.ndarray:
    size = heads.shape[1]
    return np.stack([(heads == head).mean(axis=0) for head in range(size)])


def assert_close_to(heads: np.ndarray, mu: np.ndarray) -> None:
    """No arc further from its probability than five and a half standard deviations (and one count)."""
    bound = 5.5 * np.sqrt(mu * (1 - mu) / len(heads)) + 1.0 / len(heads)
    gap = np.abs(frequencies(heads) - mu)[:, 1:]
    assert (gap <= bound[:, 1:]).all(), gap.max()


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("kind", ["plain", "pruned", "large"])
def test_whole_trees_come_with_their_probability(kind, single_root):
    scores = random_scores(kind, 3, 0, single_root)
    oracle = TreeOracle(scores, single_root)
    heads = trees.sample(scores, 20_000, 1, single_root=single_root)
    counts = (heads[:, None, :] == oracle.trees[None]).all(axis=2).mean(axis=0)
    assert counts.sum() == pytest.approx(1.0)
    p = np.clip(oracle.probabilities, 0.0, 1.0)
    assert (np.abs(counts - p) <= 5.5 * np.sqrt(p * (1 - p) / 20_000) + 1e-4).all()


@pytest.mark.parametrize("single_root", [False, True])
def test_frequencies_match_marginals_at_fifty_words(single_root):
    scores = np.random.default_rng(2).normal(size=(51, 51))
    mu, _ = trees.marginals(scores, single_root=single_root)
    assert_close_to(trees.sample(scores, 4000, 3, single_root=single_root), mu)


@pytest.mark.parametrize("single_root", [False, True])
def test_walks_that_would_never_end(single_root):
    """Words 1 and 2 choose each other but once in e^5000: cycle popping would not live to see it."""
    scores = np.random.default_rng(3).normal(size=(7, 7))
    scores[1, 2] += 5000
    scores[2, 1] += 5000
    mu, _ = trees.marginals(scores, single_root=single_root)
    heads = trees.sample(scores, 3000, 4, single_root=single_root)
    assert_close_to(heads, mu)


@pytest.mark.parametrize("single_root", [False, True])
def test_extreme_scores(single_root):
    scores = random_scores("huge-pruned", 40, 5, single_root)
    best, _ = trees.max_arborescence(scores, single_root=single_root)
    heads = trees.sample(scores, 5, 5, single_root=single_root)
    mu, _ = trees.marginals(scores, single_root=single_root)
    words = np.arange(1, 41)
    assert mu[best[1:], words].min() > 0.99  # else the next line would be a gamble
    assert (heads == best).all()


def test_same_seed_same_trees_on_any_number_of_threads():
    scores = np.random.default_rng(6).normal(size=(9, 9))
    first = trees.sample(scores, 50, 7)
    np.testing.assert_array_equal(first, trees.sample(scores, 50, 7, num_threads=2))
    np.testing.assert_array_equal(first[:20], trees.sample(scores, 20, 7))
    assert (first != trees.sample(scores, 50, 8)).any()
