"""Temperatures: the best one is found, kept and used."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ramify import Parser
from ramify.data import read
from ramify.parsing import Config, train
from ramify.parsing.calibration import calibration_error, fit_temperature, with_temperature

SMALL = Config.preset("first").override({"training.epochs": "2", "pruner.bits": "16", "pruner.epochs": "1"})


@pytest.fixture(scope="module")
def halves(sample):
    sentences = list(read(sample))
    return sentences[::2], sentences[1::2]


@pytest.fixture(scope="module")
def state(halves):
    return train(SMALL, *halves)


def plain(state):
    """Without the curve."""
    inference = dataclasses.replace(state.config.inference, curve=())
    return dataclasses.replace(state, config=dataclasses.replace(state.config, inference=inference))


def loss(state, sentences):
    results = Parser(plain(state)).parse(sentences, marginals=True)
    gold = [
        result.marginals[sentence.heads, np.arange(1, len(sentence) + 1)]
        for sentence, result in zip(sentences, results, strict=True)
    ]
    return -np.log(np.maximum(np.concatenate(gold), 1e-6)).sum()


def test_the_best_temperature_is_found(state, halves):
    found = fit_temperature(plain(state), halves[1], 1)
    assert found == state.config.inference.temperature
    best = loss(state, halves[1])
    for factor in (0.6, 1.6):
        assert loss(with_temperature(state, found * factor), halves[1]) > best


def test_calibration_helps(state, halves):
    assert calibration_error(state, halves[1], 1) == state.facts["scores"]["calibration_error"]
    assert state.facts["scores"]["calibration_error"] < calibration_error(with_temperature(state, 10.0), halves[1], 1)


def test_calibration_error_is_the_mean_distance_of_bins(state, halves):
    results = Parser(state).parse(halves[1], marginals=True)
    chosen = np.concatenate([result.probabilities for result in results])
    right = np.concatenate([r.heads == s.heads for r, s in zip(results, halves[1], strict=True)])
    expected = 0.0
    for low in range(10):
        inside = (chosen * 10 >= low) & ((chosen * 10 < low + 1) | (low == 9))
        if inside.any():
            expected += inside.mean() * abs(chosen[inside].mean() - right[inside].mean())
    assert calibration_error(state, halves[1], 1) == pytest.approx(expected)


def test_temperatures_change_no_tree(state, halves):
    hot = Parser(with_temperature(state, 50.0)).parse(halves[1])
    assert [r.sentence for r in hot] == [r.sentence for r in Parser(state).parse(halves[1])]


def test_a_temperature_that_is_given_is_kept(halves):
    config = SMALL.override({"inference.temperature": "0.7"})
    assert train(config, *halves).config.inference.temperature == 0.7


def test_without_dev_there_is_nothing_to_fit(halves):
    assert train(SMALL, halves[0]).config.inference.temperature == 0.0


def test_the_curve_helps(state, halves):
    """Chosen arcs are as likely to be right as they say, better than without the curve."""

    def unlikelihood(model):
        results = Parser(model).parse(halves[1], marginals=True)
        p = np.concatenate([result.probabilities for result in results]).clip(1e-9, 1 - 1e-9)
        right = np.concatenate([r.heads == s.heads for r, s in zip(results, halves[1], strict=True)])
        return -np.log(np.where(right, p, 1 - p)).sum()

    assert unlikelihood(state) < unlikelihood(plain(state))
    curve = state.config.inference.curve
    assert list(curve) == sorted(curve)


def test_probabilities_of_heads_still_sum_to_one(state, halves):
    for result in Parser(state).parse(halves[1][:20], marginals=True):
        np.testing.assert_allclose(result.marginals[:, 1:].sum(axis=0), 1.0, atol=1e-6)
