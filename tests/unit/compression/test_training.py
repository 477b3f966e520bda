from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ramify.compression import Cases, Config
from ramify.compression.decoding import best_cuts
from ramify.compression.state import read_tree
from ramify.compression.training import hinge, price_for
from ramify.data import Sentence

SENTENCE = Sentence(
    ("Old", "men", "often", "slept", "well", "there"),
    upos=("ADJ", "NOUN", "ADV", "VERB", "ADV", "ADV"),
    heads=[2, 4, 4, 0, 4, 4],
    deprels=("amod", "nsubj", "advmod", "root", "advmod", "advmod"),
)


@pytest.mark.parametrize("cases", list(Cases))
def test_gradient_equals_finite_differences(cases):
    tree = read_tree(SENTENCE, dataclasses.replace(Config().model, cases=cases))
    rng = np.random.default_rng(0)
    gold = best_cuts(tree.units.heads, rng.normal(size=len(tree.units)), rng.normal(size=len(tree.units)))
    for _ in range(10):
        scores = rng.normal(size=len(tree.rows))
        loss, gradient = hinge(tree, scores, gold, 0.5)
        assert loss >= 0
        for k in range(len(scores)):
            step = np.zeros(len(scores))
            step[k] = 1e-6
            slope = (hinge(tree, scores + step, gold, 0.5)[0] - hinge(tree, scores - step, gold, 0.5)[0]) / 2e-6
            assert slope == pytest.approx(gradient[k], abs=1e-6)


def test_the_right_choice_by_a_wide_margin_costs_nothing():
    tree = read_tree(SENTENCE, Config().model)
    gold = best_cuts(tree.units.heads, np.zeros(len(tree.units)), np.ones(len(tree.units)))
    loss, gradient = hinge(tree, np.full(len(tree.rows), -9.0), gold, 1.0)
    assert loss == 0
    assert not gradient.any()


def test_the_price_of_a_word_gives_the_share_of_words():
    trees = [read_tree(SENTENCE, Config().model)] * 3
    rng = np.random.default_rng(1)
    scores = rng.normal(size=len(trees[0].rows))
    shares = []
    for rate in (0.1, 0.4, 0.7, 1.0):
        price = price_for(trees, lambda _: scores, rate)
        cuts, stays = trees[0].split(scores)
        lengths = trees[0].units.lengths
        kept = best_cuts(trees[0].units.heads, cuts, stays + price * lengths)
        shares.append(lengths[kept].sum() / lengths.sum())
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert shares[0] < 1.0
