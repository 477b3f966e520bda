import pytest

from ramify.data import read
from ramify.parsing import Parser


@pytest.fixture(scope="package")
def sentences(sample):
    return [sentence for sentence in read(sample) if 3 <= len(sentence) <= 12]


def train(sentences, **model):
    options = {"training.epochs": "1", "pruner.epochs": "1", "pruner.bits": "14"}
    options |= {f"model.{name}": value for name, value in model.items()}
    return Parser.train(train=sentences[:60], preset="smith-eisner-2008", options=options)


@pytest.fixture(scope="package")
def second_order(sentences):
    return train(sentences, parts="sibling,grand")


@pytest.fixture(scope="package")
def projective_parsers(sentences):
    return {parts: train(sentences, parts=parts, tree="projective") for parts in ("grand", "sibling,grand")}
