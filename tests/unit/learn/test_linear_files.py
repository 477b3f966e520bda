from __future__ import annotations

import numpy as np
import pytest

from ramify.compression.config import Config
from ramify.compression.model_files import FILES
from ramify.compression.state import State
from ramify.learn.arrays import BadTensorsError
from ramify.learn.linear import Linear
from ramify.learn.linear_files import number_of, unpack_weights
from ramify.learn.model_files import BadVocabularyError

WEIGHTS = Linear(np.array([1 << 24, 1 << 25], np.uint64), np.array([3, -4], np.int16), 0.5)


def test_files_come_back():
    facts = {"scores": {"f1": 0.5, "rate": 0.25, "epoch": 1, "epochs": 2}}
    files = FILES.to_files(State(Config(), WEIGHTS, facts, 1.5))
    assert "F1 50.00, 25.0% of the words stay" in files["card.md"].decode()
    state = FILES.from_files(files, "here")
    assert (state.price, state.weights.scale) == (1.5, 0.5)
    assert state.weights.keys.tolist() == WEIGHTS.keys.tolist()
    assert state.weights.weights.tolist() == [3, -4]


@pytest.mark.parametrize("value", [None, True, "1", float("nan"), float("inf"), 2e6, -2e6])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(BadVocabularyError, match=r"^price: expected a number$"):
        number_of({"price": value}, "price")


@pytest.mark.parametrize("value", [0, -1.0, float("nan")])
def test_what_is_too_small_is_refused(value):
    assert number_of({"scale": 1}, "scale", above=0) == 1.0
    with pytest.raises(BadVocabularyError, match=r"^scale: expected a number above 0$"):
        number_of({"scale": value}, "scale", above=0)


def test_more_weights_than_the_options_allow_are_refused():
    content = FILES.pack(State(Config(), WEIGHTS))
    assert len(unpack_weights(content, 0.5, 2).keys) == 2
    with pytest.raises(BadTensorsError, match=r"at most model.max-weights = 1"):
        unpack_weights(content, 0.5, 1)
