"""Saliency of words is the derivative of the difference between two trees; finite differences agree."""

from __future__ import annotations

import dataclasses

import pytest

torch = pytest.importorskip("torch", reason="saliency needs PyTorch: pip install 'ramify[neural]'")

from ramify import Parser  # noqa: E402
from ramify.data import read  # noqa: E402
from ramify.errors import InvalidInputError  # noqa: E402
from ramify.neural.batches import Corpus  # noqa: E402
from ramify.parsing.network_training import example_of  # noqa: E402
from ramify.parsing.saliency import difference, network_of  # noqa: E402
from support.networks import OWN_TAGS, random_state  # noqa: E402


@pytest.fixture(scope="module", params=[{}, OWN_TAGS], ids=["reads tags", "predicts tags"])
def state(request, sample):
    return random_state(list(read(sample))[:60], request.param)


@pytest.fixture(scope="module")
def sentence(sample):
    return next(s for s in read(sample) if len(s) == 9)


def test_saliency_is_a_derivative(state, sentence):
    explanation = Parser(state).explain(sentence, 3, saliency=True)
    assert explanation.rival is not None
    assert {"arc", "any-sibling", "grand"} <= set(explanation.by_kind())
    model = network_of(state.config.network, state.network)
    batch = Corpus([example_of(sentence)], state.network.vocabulary).batch([0])

    def scaled(word, factor):
        inputs = model.inputs(batch).detach()
        inputs[0, word] *= factor
        return difference(model, batch, inputs, explanation).item()

    assert scaled(1, 1.0) == pytest.approx(explanation.difference, rel=0.05, abs=0.3)  # 8 bits in one, 32 in the other
    found = explanation.saliency
    assert len(found) == 9
    for word in range(1, 10):
        step = 0.01
        slope = (scaled(word, 1 + step) - scaled(word, 1 - step)) / (2 * step)
        assert found[word - 1] == pytest.approx(slope, rel=0.05, abs=0.01)


def test_saliency_is_shown_and_written(state, sentence):
    explanation = Parser(state).explain(sentence, 3, saliency=True)
    assert explanation.to_dict()["saliency"] == list(explanation.saliency)
    assert "Words that matter most to the difference" in explanation.text()
    assert "Words that matter" not in dataclasses.replace(explanation, saliency=()).text()
    assert "saliency" not in Parser(state).explain(sentence, 3).to_dict()


def test_features_have_no_saliency(parser, sentence):
    with pytest.raises(InvalidInputError, match="explain expects a parser with a network for saliency"):
        parser.explain(sentence, 3, saliency=True)
