"""Networks that nobody trained: everything but accuracy can be tested with them, and without PyTorch."""

from __future__ import annotations

import numpy as np

from ramify import Parser
from ramify.data import read
from ramify.learn.corpus import Corpus
from ramify.neural.files import shapes_of
from ramify.neural.quantisation import quantise
from ramify.neural.vocabulary import Example, Vocabulary
from ramify.parsing import Config
from ramify.parsing.corpus import frame_of
from ramify.parsing.state import NO_WEIGHTS, ModelState, NetworkWeights

SMALL = {
    "network.word-size": 6,
    "network.character-size": 4,
    "network.character-hidden": 3,
    "network.tag-size": 5,
    "network.layers": 2,
    "network.hidden": 8,
    "network.arc-size": 7,
    "network.label-size": 5,
    "network.rank": 4,
}
OWN_TAGS = {"network.tag-size": 0, "network.predict-tags": True, "network.feed-tags": True}


def example_of(sentence):
    heads = sentence.heads.tolist()
    return Example(sentence.forms, sentence.upos, sentence.xpos, sentence.feats, heads, sentence.deprels)


def random_arrays(options, vocabulary, seed=0, size=0.7):
    rng = np.random.default_rng(seed)
    shapes = shapes_of(options, vocabulary)
    return {name: rng.normal(0, size, shape).astype(np.float32) for name, shape in shapes.items()}


def random_state(sentences, options=None, seed=0):
    """The state of a parser with a network of random weights, for the names in some sentences."""
    config = Config.preset("neural").override(SMALL | (options or {}))
    frame = frame_of(Corpus(sentences), config)
    collected = Vocabulary.collect(map(example_of, sentences), 2)
    vocabulary = Vocabulary(**vars(collected) | {"labels": frame.labels})
    arrays = random_arrays(config.network, vocabulary, seed)
    network = NetworkWeights(vocabulary, quantise(arrays))
    return ModelState(config, frame, NO_WEIGHTS, network=network)


def random_parser(path, options=None, seed=0):
    return Parser(random_state(list(read(path)), options, seed))
