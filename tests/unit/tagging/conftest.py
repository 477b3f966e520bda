"""Small taggers that several tests look at."""

from __future__ import annotations

import pytest

from ramify.data import LabelSequence, read
from ramify.tagging import Config, Tagger


@pytest.fixture(scope="session")
def sentences(sample):
    return list(read(sample))


@pytest.fixture(scope="session")
def upos(sentences):
    return Tagger.train(train=sentences, preset="upos", options={"training.epochs": "3"})


def entities():
    """Sentences with names of places (one or two words) and people, in IOB2."""
    rows = [
        ("Ann lives in New York .", "B-PER O O B-LOC I-LOC O"),
        ("Bob lives in Oslo .", "B-PER O O B-LOC O"),
        ("Ann Lee met Bob .", "B-PER I-PER O B-PER O"),
        ("They live here .", "O O O O"),
        ("Bob Lee left Oslo .", "B-PER I-PER O B-LOC O"),
    ]
    return [LabelSequence({"form": tuple(w.split()), "label": tuple(t.split())}) for w, t in rows] * 4


def ner_config(**options):
    text = """
    [model]
    spans = "bioes"
    [features]
    templates = ["bias", "w[0]", "w[-1]", "w[1]", "x[0]"]
    [training]
    epochs = 5
    """
    return Config.parse(text).override(options)


@pytest.fixture(scope="session")
def ner():
    return Tagger.train(train=entities(), config=ner_config())
