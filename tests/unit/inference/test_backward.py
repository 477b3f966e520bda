from __future__ import annotations

import numpy as np
import pytest

from ramify import factors as F  # noqa: N812
from ramify.errors import InvalidInputError
from ramify.graph import FactorGraph
from ramify.inference import BeliefPropagation, Schedule, backward
from support.random_graphs import hanging_graph

pytestmark = pytest.mark.engine

FAMILIES = [
    F.Pair,
    F.Table,
    F.TagLink,
    F.Sequence,
    F.ConsecutiveSiblings,
    F.AtMostOne,
    F.OrOut,
    F.Tree,
    F.ProjectiveTree,
]


def scalar(result, weights):
    marginals, parts, log_partition = weights
    return marginals @ result.marginals + parts @ result.part_marginals + log_partition * result.log_partition


def weights_for(rng, graph):
    return rng.normal(size=graph.num_coordinates), rng.normal(size=graph.part_scores.size), float(rng.normal())


def check_gradients(graph, method, scores, parts, weights, atol=2e-7, **evidence):
    result = graph.solve(method, scores, part_scores=parts, **evidence)
    grads = backward(result, grad_marginals=weights[0], grad_part_marginals=weights[1], grad_log_partition=weights[2])
    for which, grad in enumerate(grads):
        for at in range(grad.size):
            step = np.zeros(grad.size)
            step[at] = 1e-5
            ends = []
            for sign in (1, -1):
                moved = [scores, parts]
                moved[which] = moved[which] + sign * step
                ends.append(scalar(graph.solve(method, moved[0], part_scores=moved[1], **evidence), weights))
            assert grad[at] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=atol, rel=1e-5), (which, at)
    return result


@pytest.mark.parametrize("recompute", [False, True])
@pytest.mark.parametrize("schedule", Schedule)
def test_gradients_are_finite_differences(schedule, recompute):
    rng = np.random.default_rng(1)
    for iterations in (1, 2, 5):
        case = hanging_graph(rng, FAMILIES, loops=True, num_factors=5)
        method = BeliefPropagation(
            schedule=schedule,
            fixed_iterations=iterations,
            keep_tape=True,
            recompute=recompute,
            damping=0.25,
            temperature=1.3,
        )
        check_gradients(case.graph, method, case.scores, case.parts, weights_for(rng, case.graph))


@pytest.mark.parametrize("counting", ["concave", 0.6])
def test_gradients_with_counting_numbers(counting):
    rng = np.random.default_rng(2)
    for _ in range(2):
        case = hanging_graph(rng, FAMILIES, loops=True, num_factors=4)
        method = BeliefPropagation(counting=counting, fixed_iterations=3, keep_tape=True)
        check_gradients(case.graph, method, case.scores, case.parts, weights_for(rng, case.graph))


def test_gradients_of_exact_inference_are_the_hessian():
    """Converged on an acyclic graph, the gradient is the covariance that enumeration knows."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        case = hanging_graph(rng, FAMILIES)
        if case.truth.log_partition(case.scores, case.parts) == -np.inf:
            continue
        weights = weights_for(rng, case.graph)
        result = case.graph.solve(BeliefPropagation(keep_tape=True), case.scores)
        assert result.exact
        grads = backward(result, grad_marginals=weights[0], grad_part_marginals=weights[1])
        wanted = case.truth.hessian_product(case.scores, case.parts, weights[0], weights[1])
        for got, want in zip(grads, wanted, strict=True):
            np.testing.assert_allclose(got, want, atol=1e-9)
        grads = backward(result, grad_log_partition=1.0)
        for got, want in zip(grads, (result.marginals, result.part_marginals), strict=True):
            np.testing.assert_allclose(got, want, atol=1e-9)


def test_evidence_is_constant():
    g = FactorGraph()
    x = g.add_variables(4)
    g.add(F.Pair(x[[0, 1, 2, 3]], x[[1, 2, 3, 0]], [1.0, -2.0, 0.5, 1.0]))
    g.add(F.AtMostOne(x[[0, 2]]))
    rng = np.random.default_rng(4)
    weights = weights_for(rng, g)
    method = BeliefPropagation(fixed_iterations=3, keep_tape=True)
    scores, parts = rng.normal(size=4), g.part_scores
    result = g.solve(method, scores, evidence={0: 1})
    grad, _ = backward(result, grad_marginals=weights[0], grad_part_marginals=weights[1])
    assert grad[0] == 0.0
    assert grad[2] == pytest.approx(0.0, abs=1e-15)  # decided by the first
    free = np.array([0.0, 1.0, 0.0, 1.0])
    step = 1e-5 * free
    ends = [scalar(g.solve(method, scores + sign * step, evidence={0: 1}), (*weights[:2], 0.0)) for sign in (1, -1)]
    assert grad @ free == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-7)
    assert np.isfinite(parts).all()


def test_saturated_messages_keep_their_gradient():
    """A pair that is sure of one end still says something to the other, at any size of scores."""
    for size in (0.0, 15.0, 30.0, 200.0, 800.0):
        g = FactorGraph()
        x = g.add_variables(3)
        g.add(F.Table([x[[0, 1]], x[[1, 2]]], [[0.0, 0.3, -0.2, 1.0], [size, 0.0, 0.0, size + 0.5]]))
        method = BeliefPropagation(fixed_iterations=4, schedule="parallel", keep_tape=True)
        result = g.solve(method, [0.1, 0.2, -0.4])
        grad, _ = backward(result, grad_marginals=[1.0, 0.0, 0.0])
        step = np.array([0.0, 0.0, 1e-5])
        ends = [g.solve(method, [0.1, 0.2, -0.4] + sign * step).marginals[0] for sign in (1, -1)]
        assert grad[2] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-4, abs=1e-8), size
        assert abs(grad[2]) > 1e-3


def test_recomputing_takes_less_memory_and_gives_the_same():
    rng = np.random.default_rng(5)
    case = hanging_graph(rng, [F.Pair, F.Table], loops=True, num_factors=6)
    grads, sizes = [], []
    for recompute in (False, True):
        result = case.graph.solve(
            BeliefPropagation(fixed_iterations=36, schedule="parallel", keep_tape=True, recompute=recompute),
            case.scores,
        )
        grads.append(backward(result, grad_marginals=np.ones(result.marginals.size))[0])
        sizes.append(result.state.session.tape_size)
    np.testing.assert_allclose(grads[0], grads[1], atol=1e-14)
    assert sizes[1] * 5 < sizes[0]


def test_bad_use():
    g = FactorGraph()
    x = g.add_variables(2)
    g.add(F.Pair(x[0], x[1], 1.0))
    with pytest.raises(InvalidInputError, match="keep_tape=True"):
        backward(g.solve(BeliefPropagation()), grad_log_partition=1.0)
    with pytest.raises(InvalidInputError, match="keep_tape=True"):
        backward(g.solve(BeliefPropagation(product="max")), grad_log_partition=1.0)
    result = g.solve(BeliefPropagation(keep_tape=True))
    with pytest.raises(InvalidInputError, match="expects 2 finite numbers as grad_marginals; got 3"):
        backward(result, grad_marginals=[1.0, 2.0, 3.0])
