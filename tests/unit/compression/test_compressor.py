from __future__ import annotations

import pickle
import re

import numpy as np
import pytest

from ramify.compression import Compressor, with_cuts
from ramify.data import Sentence
from ramify.errors import InvalidInputError, ModelError
from support.model_damage import resign


def sentence(adverb, verb="came", subject="men"):
    """Of which the adverb and the adjective are cut."""
    made = Sentence(
        ("Old", subject, adverb, verb, "home", "."),
        upos=("ADJ", "NOUN", "ADV", "VERB", "NOUN", "PUNCT"),
        heads=[2, 4, 4, 0, 4, 4],
        deprels=("amod", "nsubj", "advmod", "root", "obl", "punct"),
        misc=("_", "_", "_", "_", "SpaceAfter=No", "_"),
    )
    return with_cuts(made, np.array([False, True, False, True, True, True]))


TRAIN = [sentence(adverb) for adverb in ("slowly", "often", "soon", "late")]
OPTIONS = {"training.epochs": 3}


@pytest.fixture(scope="module")
def compressor():
    return Compressor.train(TRAIN, TRAIN[:2], options=OPTIONS, progress=False)


def test_it_learns_what_goes(compressor):
    (found,) = compressor.compress([sentence("late", "came", "dogs")])
    assert found.text == "Dogs came home."
    assert found.to_dict()["words"] == [2, 4, 5, 6]
    assert compressor.evaluate(TRAIN).f1 == 1.0
    assert "F1 100.00" in compressor.card


def test_budgets_hold(compressor):
    for most, text in ((1, ""), (2, "Men came."), (3, "Men came home."), (9, "Men came home.")):
        assert compressor.compress([TRAIN[0]], max_words=most)[0].text == text
    assert compressor.compress([TRAIN[0]], rate=1.0)[0].kept.sum() >= 4
    assert compressor.compress([TRAIN[0]], rate=0.4)[0].text == "Men came."


def test_files_hold_all_of_it(compressor, tmp_path):
    compressor.save(tmp_path / "model.zip")
    for other in (Compressor.load(tmp_path / "model.zip"), pickle.loads(pickle.dumps(compressor))):
        assert other.compress(TRAIN[:1])[0].score == compressor.compress(TRAIN[:1])[0].score


def test_training_repeats_itself():
    again = [Compressor.train(TRAIN, options=OPTIONS, progress=False) for _ in range(2)]
    files = [model.task.files.to_files(model._state) for model in again]
    assert files[0]["weights.safetensors"] == files[1]["weights.safetensors"]


def test_all_cases_are_learned():
    model = Compressor.train(TRAIN, preset="martins-smith-2009", options=OPTIONS, progress=False)
    assert model.compress([TRAIN[0]])[0].text == "Men came home."


@pytest.mark.parametrize("value", [0, 1.5, -1])
def test_rates_are_shares(compressor, value):
    with pytest.raises(InvalidInputError, match="rate above 0 and at most 1"):
        compressor.compress(TRAIN, rate=value)


def test_budgets_are_positive(compressor):
    with pytest.raises(InvalidInputError, match="max_words as at least 1; got 0"):
        compressor.compress(TRAIN, max_words=0)


def test_damaged_files(compressor, tmp_path):
    compressor.save(tmp_path / "model")
    path = tmp_path / "model" / "vocab.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"price":', '"prize":'), encoding="utf-8")
    with pytest.raises(ModelError):
        Compressor.load(tmp_path / "model")


@pytest.mark.parametrize("price", ["1" + "0" * 400, "NaN", "-Infinity", "true", '"1"'])
def test_prices_are_numbers(compressor, tmp_path, price):
    compressor.save(tmp_path / "model")
    path = tmp_path / "model" / "vocab.json"
    text = re.sub(r'"price": *[^,}\n]+', f'"price": {price}', path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8")
    resign(tmp_path / "model")
    with pytest.raises(ModelError, match=r"price: expected a number|vocab.json"):
        Compressor.load(tmp_path / "model")
