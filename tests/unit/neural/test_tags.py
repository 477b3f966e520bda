"""Tags are the best combination of what a network and other taggers say; loops over words find the same ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ramify.neural.tags import Advice, advised, best_tags

NAMES = (("A", "B", "C"), ("a", "b"), ("x", "y", "z", "w"))


@pytest.fixture
def scores():
    rng = np.random.default_rng(5)
    return [rng.normal(0, 2, (1100, len(names))).astype(np.float32) for names in NAMES]


def log_probability(row, i):
    return row[i] - math.log(sum(math.exp(score) for score in row))


def test_scores_become_log_probabilities(scores):
    found = advised(scores[0], NAMES[0], None, [0])
    for row, expected in zip(found[:20], scores[0].tolist(), strict=False):
        assert row.tolist() == pytest.approx([log_probability(expected, i) for i in range(3)], abs=1e-5)


def test_the_logarithms_of_another_tagger_are_added(scores):
    rng = np.random.default_rng(6)
    lengths = (400, 3, 697)
    given = [rng.dirichlet([0.3, 0.3], n) for n in lengths]
    advice = Advice(("C", "A"), given, 0.7)
    found = advised(scores[0][400:], NAMES[0], advice, [1, 2])
    for row, own, (c, a) in zip(found, scores[0][400:].tolist(), np.concatenate(given[1:]).tolist(), strict=True):
        for i, p in enumerate((a, 0.0, c)):  # it does not know B
            assert row[i] == pytest.approx(log_probability(own, i) + 0.7 * math.log(max(p, 1e-6)), abs=1e-4)


@pytest.mark.parametrize("combinations", [(), ((0, 0, 1), (0, 1, 3), (2, 1, 0), (1, 0, 0))])
def test_the_best_combination_wins(scores, combinations):
    found = best_tags(scores, combinations)
    allowed = combinations or [(u, x, f) for u in range(3) for x in range(2) for f in range(4)]
    for word, tags in enumerate(found.tolist()):
        values = {each: sum(float(scores[k][word, i]) for k, i in enumerate(each)) for each in allowed}
        assert values[tuple(tags)] == pytest.approx(max(values.values()), abs=1e-5)
