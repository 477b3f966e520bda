from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from oracles.trees import TreeOracle
from ramify import _core, trees
from unit.trees.cases import KINDS, random_scores

pytestmark = pytest.mark.engine

cases = pytest.mark.parametrize(
    ("kind", "num_words", "single_root"),
    [(kind, n, single) for kind in KINDS for n in (1, 2, 3, 4, 5) for single in (False, True)],
)


@cases
def test_log_partition_and_marginals_match_enumeration(kind, num_words, single_root):
    for seed in range(4):
        scores = random_scores(kind, num_words, seed, single_root)
        oracle = TreeOracle(scores, single_root)
        mu, log_z = trees.marginals(scores, single_root=single_root)
        assert log_z == pytest.approx(oracle.log_z, rel=1e-12, abs=1e-12)
        assert trees.log_partition(scores, single_root=single_root) == pytest.approx(log_z, rel=1e-13, abs=1e-13)
        np.testing.assert_allclose(mu, oracle.marginals, rtol=1e-9, atol=1e-14)


def test_six_words_match_enumeration():
    scores = random_scores("plain", 6, 0, True)
    for single_root in (False, True):
        oracle = TreeOracle(scores, single_root)
        mu, log_z = trees.marginals(scores, single_root=single_root)
        assert log_z == pytest.approx(oracle.log_z, rel=1e-13)
        np.testing.assert_allclose(mu, oracle.marginals, rtol=1e-11, atol=1e-15)


@cases
def test_messages_are_the_log_odds_without_the_own_score(kind, num_words, single_root):
    for seed in range(3):
        scores = random_scores(kind, num_words, seed, single_root)
        messages = trees.messages(scores, single_root=single_root)
        # An oracle that reads the arc's own score cannot see past -inf there, so score the arc 0.
        for head in range(num_words + 1):
            for word in range(1, num_words + 1):
                if head == word:
                    continue
                opened = scores.copy()
                opened[head, word] = 0.0
                expected = TreeOracle(opened, single_root).messages[head, word]
                assert messages[head, word] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@cases
def test_vjp_is_the_covariance_times_the_vector(kind, num_words, single_root):
    rng = np.random.default_rng(0)
    for seed in range(3):
        scores = random_scores(kind, num_words, seed, single_root)
        vector = rng.normal(size=scores.shape)
        product = trees.marginals_vjp(scores, vector, single_root=single_root)
        expected = (TreeOracle(scores, single_root).covariance() @ vector.ravel()).reshape(scores.shape)
        np.testing.assert_allclose(product, expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("single_root", [False, True])
def test_vjp_matches_finite_differences_at_thirty_words(single_root):
    rng = np.random.default_rng(1)
    scores, vector = rng.normal(size=(2, 31, 31))
    step = 1e-5
    up, _ = trees.marginals(scores + step * vector, single_root=single_root)
    down, _ = trees.marginals(scores - step * vector, single_root=single_root)
    product = trees.marginals_vjp(scores, vector, single_root=single_root)
    np.testing.assert_allclose(product, (up - down) / (2 * step), atol=1e-8)


def test_single_root_where_few_words_can_be_heads():
    """The marginals are the derivative of log Z, which sees one number only."""
    rng = np.random.default_rng(2)
    n = 30
    scores = rng.normal(size=(n + 1, n + 1))
    scores[rng.random(scores.shape) < 0.8] = -np.inf
    scores[rng.permutation(np.arange(1, n + 1))[:12]] = -np.inf  # these head nothing
    scores[0, 1:] = rng.normal(size=n)
    scores[1:, 7] = -np.inf  # and this one hangs from the root
    scores[7, 1:7] = scores[7, 8:] = rng.normal()
    mu, log_z = trees.marginals(scores, single_root=True)
    assert mu[0, 7] == 1.0
    np.testing.assert_allclose(mu[:, 1:].sum(0), 1.0)
    assert mu[0, 1:].sum() == pytest.approx(1.0)
    step = 1e-5
    for head, word in zip(*np.nonzero(np.isfinite(scores)), strict=True):
        if word == 0 or head == word:
            continue
        moved = scores.copy()
        moved[head, word] += step
        slope = (trees.log_partition(moved, single_root=True) - log_z) / step
        assert mu[head, word] == pytest.approx(slope, abs=1e-4)


@pytest.mark.parametrize("single_root", [False, True])
def test_complements_keep_their_digits(single_root):
    """One minus a marginal that rounds to 1 is the sum over the other heads, not 0."""
    for kind in ("plain", "large"):
        scores = random_scores(kind, 4, 0, single_root)
        scores[:, 2] = np.where(np.arange(5) == 4, 60.0, scores[:, 2])
        oracle = TreeOracle(scores, single_root)
        mu, rest, log_z = np.empty((1, 5, 5)), np.empty((1, 5, 5)), np.empty(1)
        assert _core.trees_marginals(scores[np.newaxis], None, single_root, 1, mu, rest, log_z) == -1
        for head in range(5):
            for word in range(1, 5):
                others = oracle.probabilities[oracle.trees[:, word] != head]
                assert rest[0, head, word] == pytest.approx(math.fsum(others), rel=1e-9, abs=1e-300)


def test_cayley_counts():
    for n in (1, 2, 7, 20, 60):
        zeros = np.zeros((n + 1, n + 1))
        assert trees.log_partition(zeros) == pytest.approx((n - 1) * math.log(n + 1), rel=1e-13, abs=1e-13)
        single = trees.log_partition(zeros, single_root=True)
        assert single == pytest.approx((n - 1) * math.log(n), rel=1e-13, abs=1e-13)


def _log_determinant(weights: list[list[Fraction]], n: int, single_root: bool) -> float:
    """Log Z from exact rational weights [head][modifier] (Koo et al.'s Laplacian for a single root)."""
    matrix = [[-weights[h][m] if h != m else Fraction(0) for m in range(1, n + 1)] for h in range(1, n + 1)]
    for m in range(n):
        matrix[m][m] = sum(
            (weights[h][m + 1] for h in range(0 if not single_root else 1, n + 1) if h != m + 1), Fraction(0)
        )
    if single_root:
        matrix[0] = [weights[0][m] for m in range(1, n + 1)]
    result = Fraction(1)
    for k in range(n):
        pivot = next(i for i in range(k, n) if matrix[i][k] != 0)
        matrix[k], matrix[pivot] = matrix[pivot], matrix[k]
        result *= matrix[k][k] * (1 if pivot == k else -1)
        for i in range(k + 1, n):
            factor = matrix[i][k] / matrix[k][k]
            matrix[i] = [a - factor * b for a, b in zip(matrix[i], matrix[k], strict=True)]
    assert result > 0
    return _log_of_integer(result.numerator) - _log_of_integer(result.denominator)


def _log_of_integer(value: int) -> float:
    shift = max(value.bit_length() - 60, 0)
    return math.log(value >> shift) + shift * math.log(2)


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("bits", [10, 1000, 14_000])
def test_log_partition_matches_exact_arithmetic(bits, single_root):
    n = 8
    rng = np.random.default_rng(bits)
    exponents = rng.integers(-bits, bits + 1, size=(n + 1, n + 1))
    scores = exponents * math.log(2)
    weights = [[Fraction(2) ** int(e) for e in row] for row in exponents]
    expected = _log_determinant(weights, n, single_root)
    assert trees.log_partition(scores, single_root=single_root) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("sigma", [1.0, 30.0, 1e3, 1e4])
def test_marginals_are_probabilities_at_fifty_words(sigma, single_root):
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(51, 51)) * sigma
    scores[rng.random(scores.shape) < 0.3] = -np.inf
    mu, log_z = trees.marginals(scores, single_root=single_root)
    assert np.isfinite(log_z)
    assert (mu >= 0).all()
    assert (mu <= 1 + 1e-15).all()
    np.testing.assert_allclose(mu[:, 1:].sum(axis=0), 1.0, atol=1e-13)
    _, best = trees.max_arborescence(scores, single_root=single_root)
    assert best <= log_z * (1 + 1e-14) + 1e-9
    if single_root:
        assert mu[0].sum() == pytest.approx(1.0, abs=1e-12)
    if sigma >= 1e3:
        # So cold a distribution is nearly all on the best tree.
        assert log_z == pytest.approx(best, rel=1e-3)


@pytest.mark.parametrize("single_root", [False, True])
def test_both_number_types_agree(single_root):
    """A shift of one word's column changes nothing but log Z; a strong cycle forces the extended path."""
    rng = np.random.default_rng(6)
    n = 12
    scores = rng.normal(size=(n + 1, n + 1)) * 3
    mu, log_z = trees.marginals(scores, single_root=single_root)
    # Words 1 and 2 prefer each other by e^2000: doubles cannot hold what leaves the cycle.
    forced = scores.copy()
    forced[1, 2] += 2000
    forced[2, 1] += 2000
    cold, _ = trees.marginals(forced, single_root=single_root)
    assert cold[1, 2] + cold[2, 1] == pytest.approx(1.0, abs=1e-12)
    # The cycle is entered either at 1 or at 2: the two conditionals of the plain distribution, mixed.
    ratio = cold[1, 2] / cold[2, 1]
    assert ratio == pytest.approx(mu[1, 2] / mu[2, 1], rel=1e-9)
    shifted = scores.copy()
    shifted[:, 3] += 5000
    again, log_z_again = trees.marginals(shifted, single_root=single_root)
    np.testing.assert_allclose(again, mu, rtol=1e-10, atol=1e-300)
    assert log_z_again == pytest.approx(log_z + 5000, rel=1e-13)


@cases
def test_entropy_and_divergence_match_enumeration(kind, num_words, single_root):
    scores = random_scores(kind, num_words, 0, single_root)
    oracle = TreeOracle(scores, single_root)
    live = oracle.probabilities > 0
    expected = -math.fsum(oracle.probabilities[live] * np.log(oracle.probabilities[live]))
    assert trees.entropy(scores, single_root=single_root) == pytest.approx(expected, rel=1e-9, abs=1e-10)
    assert trees.kl_divergence(scores, scores, single_root=single_root) == pytest.approx(0.0, abs=1e-10)
    if np.isinf(scores).any():
        return
    other = random_scores(kind, num_words, 1, single_root)
    q = TreeOracle(other, single_root)
    log_p, log_q = oracle.values - oracle.log_z, q.values - q.log_z
    expected = oracle.expectation(log_p - log_q)
    got = trees.kl_divergence(scores, other, single_root=single_root)
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_divergence_is_infinite_where_q_prunes():
    p = np.zeros((3, 3))
    q = p.copy()
    q[1, 2] = -np.inf
    assert trees.kl_divergence(p, q) == math.inf
    assert np.isfinite(trees.kl_divergence(q, p))


def test_log_partition_of_nothing_is_minus_infinity():
    scores = np.zeros((4, 4))
    scores[:, 2] = -np.inf
    assert trees.log_partition(scores) == -math.inf
    only_two_roots = np.full((3, 3), -np.inf)
    only_two_roots[0] = 0.0
    assert trees.log_partition(only_two_roots) == 0.0
    assert trees.log_partition(only_two_roots, single_root=True) == -math.inf
