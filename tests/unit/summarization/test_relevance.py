import itertools

import numpy as np
import pytest

from ramify.learn.linear import rows_of
from ramify.summarization.concepts import find_concepts
from ramify.summarization.relevance import cosines, learn_ranking, marginal_relevance, ranking_loss
from ramify.summarization.source import read_source
from ramify.summarization.summarizer import english


def pairwise(scores, gains):
    pairs = [(i, j) for i, j in itertools.permutations(range(len(scores)), 2) if gains[i] > gains[j]]
    return sum(max(0.0, 1 - (scores[i] - scores[j])) for i, j in pairs) / max(len(pairs), 1)


def test_the_loss_is_that_of_all_pairs():
    rng = np.random.default_rng(3)
    for _ in range(20):
        scores, gains = rng.normal(size=6), rng.integers(0, 4, 6)
        loss, gradient = ranking_loss(scores, gains)
        assert loss == pytest.approx(pairwise(scores, gains))
        for i, slope in enumerate(gradient):
            moved = scores.copy()
            moved[i] += 1e-6
            assert (pairwise(moved, gains) - loss) / 1e-6 == pytest.approx(slope, abs=1e-4)


def test_ranking_learns_what_is_better():
    rng = np.random.default_rng(5)
    inputs = []
    for _ in range(10):
        good = rng.permutation([1.0, 0.0, 0.0, 1.0])
        inputs.append((rows_of([[f"good={value}", f"any={rng.integers(3)}"] for value in good]), good))
    scores = learn_ranking(inputs).scores(rows_of([["good=0.0"], ["good=1.0"]]))
    assert scores[1] > scores[0]


def test_redundancy_is_avoided():
    texts = ["The old mill burned down. The old mill burned down again. Nobody was hurt."]
    concepts = find_concepts(read_source(texts, english().segmenter))
    alike = cosines(concepts)
    assert np.diag(alike) == pytest.approx(1.0)
    assert alike[0, 1] > alike[0, 2]
    relevance, lengths = np.array([2.0, 1.9, 1.0]), [5, 6, 3]
    assert marginal_relevance(relevance, alike, lengths, 11) == [0, 1]
    assert marginal_relevance(relevance, alike, lengths, 11, redundancy=0.7) == [0, 2]


def test_what_does_not_fit_is_passed_over():
    alike = np.eye(3)
    assert marginal_relevance(np.array([3.0, 2.0, 1.0]), alike, [9, 4, 4], 8) == [1, 2]
    assert marginal_relevance(np.array([3.0, 2.0, 1.0]), alike, [9, 9, 9], 8) == []
    assert marginal_relevance(np.zeros(0), np.zeros((0, 0)), [], 8) == []
