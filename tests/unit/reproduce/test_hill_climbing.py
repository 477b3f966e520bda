"""Hill climbing stays among trees, never falls, and ends where no single head helps."""

import itertools

import numpy as np
import pytest

from ramify.factors import Pair, Tree
from ramify.graph import FactorGraph
from ramify.parsing.parse_graph import ParseGraph
from ramify.reproduce.hill_climbing import climb

N = 4


def reaches_root(heads, m):
    for _ in heads:
        m = heads[m - 1] if m else 0
    return m == 0


def trees(single_root):
    for heads in itertools.product(range(N + 1), repeat=N):
        if all(reaches_root(heads, m) for m in range(1, N + 1)) and (not single_root or heads.count(0) == 1):
            yield heads


def problem(rng, single_root):
    arcs = np.array([(h, m) for m in range(1, N + 1) for h in range(N + 1) if h != m])
    pairs = np.array([(a, b) for a, b in itertools.combinations(range(len(arcs)), 2) if rng.random() < 0.5])
    scores, pair_scores = rng.normal(size=len(arcs)), 2 * rng.normal(size=len(pairs))
    graph = FactorGraph()
    variables = graph.add_variables(len(arcs))
    graph.add(Tree(variables, *arcs.T, N, single_root=single_root))
    graph.add(Pair(*pairs.T, pair_scores))

    def value(heads):
        on = np.array([heads[m - 1] == h for h, m in arcs])
        return float(scores[on].sum() + pair_scores[on[pairs].all(axis=1)].sum())

    return ParseGraph(graph, *arcs.T, scores, 0.0), value


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_climbs_to_a_local_optimum(seed, single_root):
    rng = np.random.default_rng(seed)
    graph, value = problem(rng, single_root)
    every = {heads: value(heads) for heads in trees(single_root)}
    start = list(every)[int(rng.integers(len(every)))]
    heads, values = climb(graph, start)
    end = tuple(heads.tolist())
    assert end in every
    assert values[0] == pytest.approx(every[start])
    assert values[-1] == pytest.approx(every[end])
    assert np.all(np.diff(values) > 0)
    near = [other for other in every if sum(a != b for a, b in zip(end, other, strict=True)) == 1]
    assert all(every[other] <= every[end] + 1e-9 for other in near)
    # The first step is the best of all.
    beside = [every[other] for other in every if sum(a != b for a, b in zip(start, other, strict=True)) == 1]
    assert len(values) == 1 or values[1] == pytest.approx(max(beside))


def test_the_best_tree_stays():
    graph, value = problem(np.random.default_rng(11), True)
    best = max(trees(True), key=value)
    heads, values = climb(graph, best)
    assert tuple(heads) == best
    assert len(values) == 1


def test_climbing_from_the_best_projective_tree_of_a_parser(second_order, sentences):
    start = second_order.with_options({"model.tree": "projective", "inference.method": "dynamic-program"})
    exact = second_order.with_options({"inference.method": "exact"})
    for sentence in sentences[60:75]:
        first, best = start.parse(sentence), exact.parse(sentence)
        graph = second_order.factor_graph(sentence, loose=True)
        heads, values = climb(graph, first.heads.tolist())
        assert values[0] + graph.constant == pytest.approx(first.value)
        assert first.value - 1e-9 <= values[-1] + graph.constant <= best.value + 1e-6
        assert len(heads) == len(sentence)
