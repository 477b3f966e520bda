"""The layer for any factor graph against enumeration, finite differences and the methods themselves."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ramify import FactorGraph
from ramify.errors import InvalidInputError, UnsupportedError
from ramify.factors import AtMostOne, ExactlyOne, Pair, Sequence
from ramify.inference import AD3, LP, BeliefPropagation, Exact, SparseMAP

torch = pytest.importorskip("torch", reason="ramify.torch needs PyTorch: pip install 'ramify[neural]'")
from torch.autograd import gradcheck  # noqa: E402

from ramify.torch import FactorGraphLayer  # noqa: E402

pytestmark = pytest.mark.engine

PRECISE = BeliefPropagation(tolerance=1e-13, max_iterations=1000)


def matching(n=2, weight=0.3):
    """Binary x[i, j]: each row chooses one column, and no column is chosen twice; the diagonal has a bonus."""
    graph = FactorGraph()
    x = graph.add_variables((n, n))
    for i in range(n):
        graph.add(ExactlyOne(x[i]))
        graph.add(AtMostOne(x[:, i]))
    graph.add(Pair(x[0, :1], x[1, 1:2], weight))
    return graph


def chain(n=3, k=3):
    graph = FactorGraph()
    graph.add(Sequence(graph.add_variables(n, k), np.linspace(-1, 1, (n - 1) * k * k)))
    return graph


def random_scores(*shape, seed=0):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def values_of_matchings(scores, weight=0.3):
    """Scores of both matchings of two with two."""
    s = scores.reshape(2, 2)
    return np.array([s[0, 0] + s[1, 1] + weight, s[0, 1] + s[1, 0]])


def test_exact_equals_enumeration():
    scores = random_scores(3, 4)
    answer = FactorGraphLayer(matching(), Exact())(scores)
    for row, value, marginals in zip(scores.numpy(), answer.values, answer.marginals, strict=True):
        totals = values_of_matchings(row)
        assert value.item() == pytest.approx(np.logaddexp(*totals))
        first = np.exp(totals[0] - np.logaddexp(*totals))
        assert np.allclose(marginals, [first, 1 - first, 1 - first, first])


@pytest.mark.parametrize("method", [Exact(), PRECISE, SparseMAP(tolerance=1e-12)])
@pytest.mark.parametrize("graph", [matching(), chain()])
def test_gradients(method, graph):
    layer = FactorGraphLayer(graph, method)
    scores = random_scores(2, graph.num_coordinates).requires_grad_()
    parts = random_scores(graph.num_parts, seed=1).requires_grad_()
    assert gradcheck(lambda *given: tuple(layer(*given)), (scores, parts), atol=1e-4)


def test_graphs_of_different_shapes():
    graphs = [matching(), chain(), matching(3)]
    scores = [random_scores(graph.num_coordinates, seed=i).requires_grad_() for i, graph in enumerate(graphs)]
    together = FactorGraphLayer(graphs, Exact())(scores)
    for i, (graph, own) in enumerate(zip(graphs, scores, strict=True)):
        alone = FactorGraphLayer(graph, Exact())(own)
        assert torch.allclose(together.values[i], alone.values)
        assert torch.allclose(together.marginals[i], alone.marginals)
        assert torch.allclose(together.part_marginals[i], alone.part_marginals)
    grads = torch.autograd.grad(together.marginals[2][0], scores, allow_unused=True)
    assert grads[2].abs().sum() > 0
    assert grads[0].abs().sum() == 0


@pytest.mark.parametrize("single", [True, False])
def test_log_prob(single):
    graph, scores, gold = matching(), random_scores(2, 4), torch.tensor([[1, 0, 0, 1], [0, 1, 1, 0]])
    if single:
        found = FactorGraphLayer(graph, Exact()).log_prob(gold, scores)
    else:
        found = FactorGraphLayer([graph, graph], Exact()).log_prob(list(gold), list(scores))
    totals = np.array([values_of_matchings(row) for row in scores.numpy()])
    assert np.allclose(found, totals[[0, 1], [0, 1]] - np.logaddexp(*totals.T))


@pytest.mark.parametrize("method", [AD3(exact=True), LP()])
def test_hinge_equals_enumeration(method):
    graph, scores, gold = matching(), random_scores(4, 4).requires_grad_(), torch.tensor([[1, 0, 0, 1]] * 4)
    layer = FactorGraphLayer(graph, method)
    loss = layer.hinge(gold, scores, cost=0.5)
    totals = np.array([values_of_matchings(row) for row in scores.detach().numpy()])
    assert np.allclose(loss.detach(), np.maximum(totals[:, 0], totals[:, 1] + 4 * 0.5) - totals[:, 0], atol=1e-6)
    loss.sum().backward()
    wrong = totals[:, 1] + 2 > totals[:, 0]
    expected = wrong[:, None] * (np.array([[0, 1, 1, 0]]) - np.array([[1, 0, 0, 1]]))
    assert np.allclose(scores.grad, expected, atol=1e-6)


def test_hinge_of_variables_with_several_states():
    graph, scores, gold = chain(), random_scores(9), np.array([0, 2, 1])
    table = np.linspace(-1, 1, 18).reshape(2, 3, 3)
    rows = scores.numpy().reshape(3, 3)

    def total(y):
        return sum(rows[i, s] for i, s in enumerate(y)) + table[0, y[0], y[1]] + table[1, y[1], y[2]]

    best = max(total(y) + np.sum(np.array(y) != gold) for y in itertools.product(range(3), repeat=3))
    loss = FactorGraphLayer(graph, AD3()).hinge(gold, scores)
    assert loss.item() == pytest.approx(best - total(gold), abs=1e-6)


def test_perturb_and_map():
    layer, scores = FactorGraphLayer(matching(), AD3()), random_scores(4).requires_grad_()
    answer = layer.perturb_and_map(scores, num_samples=200, seed=0)
    assert torch.equal(answer.values, layer.perturb_and_map(scores, num_samples=200, seed=0).values)
    answer.values.backward()
    assert torch.allclose(scores.grad, answer.marginals)
    exact = FactorGraphLayer(matching(), Exact())(scores.detach())
    assert (answer.marginals[0] > 0.5) == (exact.marginals[0] > 0.5)
    assert answer.marginals[0] + answer.marginals[1] == pytest.approx(1, abs=1e-6)


def test_compiled():
    layer = FactorGraphLayer(matching(), Exact())

    def loss(scores):
        answer = layer(scores.double())
        return answer.values.sum() + answer.marginals[:, 0].sum()

    scores = random_scores(2, 4).float()
    grads = []
    for function in (loss, torch.compile(loss, backend="aot_eager", fullgraph=True)):
        given = scores.clone().requires_grad_()
        function(given).backward()
        grads.append(given.grad)
    assert torch.allclose(*grads)


def test_layer_may_go_before_the_gradient():
    scores = random_scores(4).requires_grad_()
    value = FactorGraphLayer(matching(), Exact())(scores).values
    value.backward()
    assert scores.grad.sum() == pytest.approx(2)


def test_refusals():
    graph = matching()
    layer = FactorGraphLayer(graph, AD3())
    with pytest.raises(UnsupportedError, match="gradients of marginals; Exact"):
        layer(random_scores(4).requires_grad_()).marginals[0].backward()
    with pytest.raises(UnsupportedError, match="the log-partition function"):
        layer.log_prob([1, 0, 0, 1], random_scores(4))
    with pytest.raises(UnsupportedError, match="the best assignment"):
        FactorGraphLayer(graph, Exact()).perturb_and_map(random_scores(4))
    with pytest.raises(InvalidInputError, match=r"scores as a float tensor of shape \(4,\) or \(batch, 4\)"):
        layer(random_scores(5))
    with pytest.raises(InvalidInputError, match="a list of tensors of shapes"):
        FactorGraphLayer([graph])(random_scores(4))
    with pytest.raises(InvalidInputError, match="item 0 is none"):
        layer.score([1, 1, 0, 0], random_scores(4))
    with pytest.raises(InvalidInputError, match="expects 2 assignments; got 1"):
        layer.score([[1, 0, 0, 1]], random_scores(2, 4))
    with pytest.raises(InvalidInputError, match="Item 1 has no assignment"):
        FactorGraphLayer([graph, graph], Exact())([torch.zeros(4), torch.full((4,), -torch.inf)])
    with pytest.raises(InvalidInputError, match="a factor graph or a list"):
        FactorGraphLayer([])
    with pytest.raises(InvalidInputError, match="part_scores in the form of the scores"):
        layer(random_scores(4), random_scores(1, 1))
