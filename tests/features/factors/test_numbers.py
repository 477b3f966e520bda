"""Numbers at the edge: sizes and magnitudes beyond what enumeration reaches."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from ramify.variables import VariableArray

pytestmark = pytest.mark.engine


def complete_arcs(num_words):
    arcs = [(h, m) for h in range(num_words + 1) for m in range(1, num_words + 1) if h != m]
    return np.array(arcs).T


@pytest.mark.parametrize("scale", [1.0, 1e2, 1e4])
def test_messages_do_not_see_the_receivers_own_score(scale):
    """Raising one variable's score leaves the message to it as it was, whatever the magnitude."""
    rng = np.random.default_rng(0)
    arcs = np.arange(20 * 20)
    heads, modifiers = complete_arcs(20)
    for factor in (
        F.Tree(arcs, heads, modifiers, 20, single_root=True),
        F.ProjectiveTree(arcs, heads, modifiers, 20),
        F.ExactlyOne(arcs),
        F.ConsecutiveSiblings(np.arange(30), rng.normal(size=32 * 31 // 2) * scale),
    ):
        q = rng.normal(size=factor.variables.size) * scale
        before = factor.messages(q).messages
        q[7] += 1e4
        np.testing.assert_allclose(factor.messages(q).messages[7], before[7], rtol=1e-7, atol=1e-8 * scale)


def test_exactly_one_is_softmax_at_any_magnitude():
    q = np.array([1e4, 1e4 - 1, -1e4, -np.inf])
    np.testing.assert_allclose(F.ExactlyOne(range(4)).marginals(q).marginals[:2], [0.7310585786, 0.2689414214])


def test_warm_projections_stay_exact():
    """A long run of small moves on a dense tree: the point of a warm start is that of a cold one."""
    rng = np.random.default_rng(1)
    heads, modifiers = complete_arcs(12)
    tree = F.Tree(np.arange(heads.size), heads, modifiers, 12)
    state, a = tree.projection_state(), 0.3 * rng.normal(size=heads.size)
    for _ in range(60):
        a += 0.02 * rng.normal(size=a.size)
        warm = tree.project(a, state=state).point
        assert state.num_oracle_calls()[0] < 200
    np.testing.assert_allclose(warm, tree.project(a).point, atol=1e-8)


def test_warm_start_needs_fewer_oracle_calls():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(9, 4, 4))
    chain = F.Sequence(VariableArray(range(10), 4), scores)
    a = rng.normal(size=40)
    state = chain.projection_state()
    chain.project(a, state=state)
    cold = int(state.num_oracle_calls()[0])
    chain.project(a + 1e-3 * rng.normal(size=40), state=state)
    assert int(state.num_oracle_calls()[0]) < cold


def test_second_order_without_trigrams_is_first_order():
    rng = np.random.default_rng(3)
    n, k = 8, 3
    variables = VariableArray(range(n), k)
    bigrams = rng.normal(size=(n - 1, k, k))
    trigrams = [np.broadcast_to(b, (k, k, k)) for b in bigrams[1:]]
    q = rng.normal(size=n * k)
    first = F.Sequence(variables, bigrams).marginals(q)
    second = F.SecondOrderSequence(variables, [bigrams[0], *trigrams]).marginals(q)
    np.testing.assert_allclose(first.log_partition, second.log_partition)
    np.testing.assert_allclose(first.marginals, second.marginals)


def test_grand_siblings_of_the_root_are_consecutive_siblings():
    rng = np.random.default_rng(4)
    scores, q = rng.normal(size=12 * 11 // 2), rng.normal(size=10)
    plain = F.ConsecutiveSiblings(range(10), scores).marginals(q)
    grand = F.GrandSiblings([], np.arange(10), scores).marginals(q)
    np.testing.assert_allclose(plain.marginals, grand.marginals)


def test_knapsack_with_unit_costs_is_a_budget():
    q = np.random.default_rng(5).normal(size=30)
    budget = F.Budget(range(30), 7)
    knapsack = F.Knapsack(range(30), [1] * 30, 7)
    np.testing.assert_allclose(budget.marginals(q).marginals, knapsack.marginals(q).marginals)
    np.testing.assert_allclose(budget.project(q).point, knapsack.project(q).point)


def test_projective_and_all_trees_agree_where_nothing_crosses():
    """Two words: every tree is projective."""
    heads, modifiers = complete_arcs(2)
    q = np.random.default_rng(6).normal(size=heads.size)
    trees = [cls(np.arange(heads.size), heads, modifiers, 2) for cls in (F.Tree, F.ProjectiveTree)]
    results = [t.marginals(q) for t in trees]
    np.testing.assert_allclose(results[0].marginals, results[1].marginals)


def test_pairs_order_of_parts():
    """Scores of head automata come in the order of itertools.combinations."""
    pairs = list(itertools.combinations(range(5), 2))
    scores = np.array([10.0 * m + s for m, s in pairs])
    assert F.ConsecutiveSiblings(range(3), scores).score([1, 0, 1]) == [1 + 13 + 34]


def test_one_group_serves_many_threads():
    """No state in the group: concurrent calls give what a single one gives."""
    rng = np.random.default_rng(7)
    heads, modifiers = complete_arcs(8)
    tree = F.Tree(np.arange(heads.size), heads, modifiers, 8)
    chain = F.Sequence(VariableArray(range(12), 3), rng.normal(size=(11, 3, 3)))
    draws = [(rng.normal(size=heads.size), rng.normal(size=36)) for _ in range(24)]

    def work(draw):
        return tree.marginals(draw[0]).marginals, tree.project(draw[0]).point, chain.project(draw[1]).point

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(work, draws))
    for one, other in zip(together, map(work, draws), strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


def tree_and_best(arcs, q, num_words, single_root):
    heads, modifiers = np.array(arcs).T
    factor = F.Tree(np.arange(len(arcs)), heads, modifiers, num_words, single_root=single_root)
    return factor.marginals(q), factor.messages(q), factor.argmax(q)


@pytest.mark.parametrize("single_root", [False, True])
def test_words_that_nothing_reaches_have_no_tree(single_root):
    """Several words without a head, or in a cycle of their own: elimination divides 0 by 0 there."""
    for arcs in (
        [(1, 2), (3, 2)],
        [(0, 2), (1, 2), (3, 2)],
        [(1, 2), (2, 1), (0, 3)],
        [(1, 2), (2, 1), (3, 4), (4, 3)],
    ):
        sums, messages, _ = tree_and_best(arcs, np.full(len(arcs), 0.5), 4, single_root)
        assert sums.log_partition[0] == messages.value[0] == -np.inf
        assert not sums.marginals.any()


@pytest.mark.parametrize("scale", [1e14, 1e16, 1e20, 1e100, 1e300])
@pytest.mark.parametrize("single_root", [False, True])
def test_huge_scores_leave_only_the_best_tree(scale, single_root):
    rng = np.random.default_rng(0)
    for _ in range(60):
        arcs = [(h, m) for h in range(4) for m in range(1, 4) if h != m and rng.random() < 0.8]
        q = np.where(rng.random(len(arcs)) < 0.2, -np.inf, scale * rng.normal(size=len(arcs)))
        sums, messages, best = tree_and_best(arcs, q, 3, single_root)
        assert sums.log_partition[0] == pytest.approx(best.value[0], abs=1e-12 * scale)
        assert messages.value[0] == pytest.approx(best.value[0], abs=1e-12 * scale)
        assert best.value[0] == -np.inf or np.allclose(sums.marginals, best.states, atol=1e-9)
        assert not np.isnan(messages.messages).any()
