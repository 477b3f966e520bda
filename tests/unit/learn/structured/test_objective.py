"""Losses of random graphs equal enumeration, and gradients equal finite differences of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from oracles.chains import EnumeratedChain
from ramify import FactorGraph
from ramify.errors import InvalidInputError
from ramify.inference import AD3, ILP, LP, BeliefPropagation, Exact, SparseMAP
from ramify.learn import Loss, Parts
from ramify.learn.structured.examples import Example
from ramify.learn.structured.losses import Costs
from ramify.learn.structured.objective import Objective
from support.random_graphs import crowded_graph

pytestmark = pytest.mark.engine

FAMILY = [(1.0, 0.0), (1.0, 1.0), (3.0, 0.5), (math.inf, 1.0), (math.inf, 0.0)]


def case_of(seed, families=(F.Pair, F.Table, F.AtMostOne, F.Count)):
    """A random graph, and one of its legal assignments as gold."""
    case = crowded_graph([seed, 7], families, num_binary=3, num_ternary=2, num_factors=3)
    legal = list(case.totals())
    gold = np.array(legal[seed % len(legal)], dtype=np.int32)
    return case, legal, gold


def example_of(case, gold):
    return Example.prepare(0, None, Parts(case.graph), gold, Costs())


def scores_of(case):
    return np.concatenate([case.scores, case.parts])


def enumerated(case, legal, gold, scores, beta, gamma):
    """The loss, from its definition."""
    split = case.scores.size
    totals = case.truth.totals(scores[:split], scores[split:])
    values = dict(zip(case.truth.assignments, totals, strict=True))
    own = values[tuple(gold.tolist())]
    terms = np.array([values[y] + gamma * np.count_nonzero(np.array(y) != gold) - own for y in legal])
    if math.isinf(beta):
        return terms.max()
    top = terms.max()
    return top + math.log(np.exp(beta * (terms - top)).sum()) / beta


def differences(function, scores, step=1e-5):
    out = np.zeros(scores.size)
    for i in range(scores.size):
        moved = scores.copy()
        moved[i] += step
        high = function(moved)
        moved[i] -= 2 * step
        out[i] = (high - function(moved)) / (2 * step)
    return out


@pytest.mark.parametrize(("beta", "gamma"), FAMILY)
@pytest.mark.parametrize("seed", range(6))
def test_value_and_gradient_equal_enumeration(beta, gamma, seed):
    case, legal, gold = case_of(seed)
    scores = scores_of(case)
    loss, descent = Objective(Loss(beta, gamma), Exact())(0, example_of(case, gold), scores)
    assert loss == pytest.approx(enumerated(case, legal, gold, scores, beta, gamma), abs=1e-9)
    expected = differences(lambda s: enumerated(case, legal, gold, s, beta, gamma), scores)
    assert -descent == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("method", [ILP(), AD3(exact=True)])
def test_exact_methods_agree(method):
    case, legal, gold = case_of(3)
    scores = scores_of(case)
    loss, _ = Objective(Loss(math.inf, 1.0), method)(0, example_of(case, gold), scores)
    assert loss == pytest.approx(enumerated(case, legal, gold, scores, math.inf, 1.0), abs=1e-5)


def test_a_relaxation_is_an_upper_bound_with_its_own_gradient():
    case = crowded_graph([2, 60], [F.Pair], num_binary=7, num_ternary=0, num_factors=20, scale=2.0)
    gold = np.zeros(7, dtype=np.int32)
    example, scores = example_of(case, gold), scores_of(case)
    relaxed = Objective(Loss(math.inf, 1.0), LP())
    loss, descent = relaxed(0, example, scores)
    assert loss > enumerated(case, list(case.totals()), gold, scores, math.inf, 1.0) + 1e-3
    assert -descent == pytest.approx(differences(lambda s: relaxed(0, example, s)[0], scores, 1e-6), abs=1e-4)
    by_ad3, _ = Objective(Loss(math.inf, 1.0), AD3(tolerance=1e-9, max_iterations=5000))(0, example, scores)
    assert by_ad3 == pytest.approx(loss, abs=1e-4)


@pytest.mark.parametrize("method", [Exact(), BeliefPropagation(fixed_iterations=4), SparseMAP(tolerance=1e-12)])
def test_l2_on_marginals(method):
    case, _, gold = case_of(4, (F.Pair, F.Table))
    example, scores = example_of(case, gold), scores_of(case)
    objective = Objective(Loss(on_marginals=True), method)
    loss, descent = objective(0, example, scores)
    if isinstance(method, Exact):
        target = np.bincount(example.gold, minlength=scores.size)
        assert loss == pytest.approx(np.sum((case.answers().marginals - target[: case.scores.size]) ** 2))
    assert -descent == pytest.approx(differences(lambda s: objective(0, example, s)[0], scores, 1e-6), abs=2e-4)


def test_sparsemap_has_a_loss_of_its_own():
    case, _, gold = case_of(5, (F.Pair, F.Table))
    example, scores = example_of(case, gold), scores_of(case)
    objective = Objective(Loss(2.0, 0.5), SparseMAP(tolerance=1e-12))
    loss, descent = objective(0, example, scores)
    assert loss >= 0.0
    assert -descent == pytest.approx(differences(lambda s: objective(0, example, s)[0], scores, 1e-6), abs=2e-4)
    # A gold assignment that wins by a large margin costs nothing, unlike in a CRF.
    assert objective(0, example, 100.0 * np.bincount(example.gold, minlength=scores.size) - 50.0)[0] == pytest.approx(
        0.0, abs=1e-6
    )


@pytest.mark.parametrize(("beta", "gamma"), [(1.0, 0.0), (1.0, 1.0), (math.inf, 1.0)])
def test_variables_that_are_not_observed_are_summed_or_maximized_over(beta, gamma):
    case, legal, gold = case_of(1)
    gold[[0, -1]] = -1
    known = gold >= 0
    scores = scores_of(case)

    def loss_of(scores):
        split = case.scores.size
        totals = np.array(case.truth.totals(scores[:split], scores[split:]))
        states = np.array(case.truth.assignments)
        agree = (states[:, known] == gold[known]).all(axis=1)
        costs = gamma * (states[:, known] != gold[known]).sum(axis=1)
        if math.isinf(beta):
            return (totals + costs).max() - totals[agree].max()
        return np.logaddexp.reduce(totals + costs) - np.logaddexp.reduce(totals[agree])

    loss, descent = Objective(Loss(beta, gamma), Exact())(0, example_of(case, gold), scores)
    assert loss == pytest.approx(loss_of(scores), abs=1e-9)
    assert -descent == pytest.approx(differences(loss_of, scores), abs=1e-5)
    assert len(legal) > 1


def test_crf_gradient_of_a_chain_equals_counts_of_label_pairs():
    rng = np.random.default_rng(1)
    n, k = 5, 3
    graph = FactorGraph()
    labels = graph.add_variables(n, num_states=k)
    graph.add(F.Sequence(labels, None))
    emission, transition, gold = rng.normal(size=(n, k)), rng.normal(size=(k, k)), rng.integers(k, size=n)
    scores = np.concatenate([emission.ravel(), np.tile(transition.ravel(), n - 1)])
    bordered = np.zeros((k + 1, k + 1))
    bordered[:k, :k] = transition
    oracle = EnumeratedChain(emission, bordered)
    example = Example.prepare(0, None, Parts(graph), gold.astype(np.int32), Costs())
    for method in (Exact(), BeliefPropagation(), None):
        loss, descent = Objective(Loss(), method)(0, example, scores)
        own = emission[np.arange(n), gold].sum() + transition[gold[:-1], gold[1:]].sum()
        assert loss == pytest.approx(oracle.log_partition - own)
        assert descent[: n * k] == pytest.approx((np.eye(k)[gold] - oracle.marginals()).ravel())
        counts = np.zeros((k, k))
        np.add.at(counts, (gold[:-1], gold[1:]), 1.0)
        got = descent[n * k :].reshape(n - 1, k, k).sum(axis=0)
        assert got == pytest.approx(counts - oracle.pair_counts()[:k, :k])


@pytest.mark.parametrize(
    ("loss", "method", "needed"),
    [
        (Loss(), AD3(), "log-partition function"),
        (Loss(math.inf, 1.0), BeliefPropagation(), "best assignment"),
        (Loss(on_marginals=True), AD3(), "gradients"),
    ],
)
def test_a_method_that_cannot_is_refused(loss, method, needed):
    case, _, gold = case_of(0)
    with pytest.raises(InvalidInputError, match=f"expects an inference method with .*{needed}"):
        Objective(loss, method)(0, example_of(case, gold), scores_of(case))


def test_a_forbidden_gold_assignment_is_refused():
    graph = FactorGraph()
    x = graph.add_variables(3)
    graph.add(F.AtMostOne(x))
    with pytest.raises(InvalidInputError, match="example 4 is forbidden"):
        Example.prepare(4, None, Parts(graph), np.array([1, 1, 0], dtype=np.int32), Costs())
    parts = Parts(graph).add_scores(x, [-np.inf, 0, 0])
    with pytest.raises(InvalidInputError, match="example 5 is forbidden"):
        Example.prepare(5, None, parts, np.array([1, 0, 0], dtype=np.int32), Costs())
