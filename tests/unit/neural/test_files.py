"""Networks in files: what is written can be read, and what does not fit is refused."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from ramify.neural.files import BadNetworkError, kinds_of, pack, shapes_of, to_json, unpack, vocabulary_of
from ramify.neural.options import Network
from ramify.neural.quantisation import quantise
from ramify.neural.vocabulary import RESERVED, Vocabulary
from support.networks import random_arrays

NAMES = Vocabulary(*[(*RESERVED, "a", "b")] * 5, ("nsubj", "obj"))
SIZES = {"hidden": 4, "arc_size": 3, "label_size": 2, "word_size": 3, "character_size": 2, "character_hidden": 2}
OPTIONS = Network(**SIZES, tag_size=3, rank=2)


def packed_arrays():
    return pack(quantise(random_arrays(OPTIONS, NAMES)))


def test_what_is_written_is_read():
    weights = quantise(random_arrays(OPTIONS, NAMES))
    found = unpack(pack(weights), OPTIONS, NAMES)
    assert found.keys() == weights.keys()
    for name, array in weights.items():
        np.testing.assert_array_equal(found[name], array, strict=True)


def test_every_array_has_its_type():
    kinds = {"I8": np.int8, "F32": np.float32}
    found = {name: (array.dtype.type, array.ndim) for name, array in packed_arrays().items()}
    assert found == {name: (kinds[kind], 1) for name, kind in kinds_of(OPTIONS, NAMES).items()}


@pytest.mark.parametrize("combinations", [(), ((0, 1, 1), (1, 0, 0))])
def test_names_survive(combinations):
    names = dataclasses.replace(NAMES, combinations=combinations)
    assert vocabulary_of(json.loads(json.dumps(to_json(names))), NAMES.labels) == names


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda names: None, "expected a table"),
        (lambda names: names | {"words": "ab"}, "words: expected a list"),
        (lambda names: names | {"words": ["a", "a"]}, "words: expected different names"),
        (lambda names: names | {"words": ["<root>"]}, "words: expected different names"),
        (lambda names: names | {"characters": ["\ud800"]}, "characters: expected a list"),
        (lambda names: names | {"upos": ["A\nB"]}, "upos: expected tags without control characters"),
        (lambda names: {name: names[name] for name in ("words", "upos")}, "characters: expected a list"),
        (lambda names: names | {"combinations": 3}, "combinations: expected lists of three numbers"),
        (lambda names: names | {"combinations": [[0, 1]]}, "combinations: expected lists of three numbers"),
        (lambda names: names | {"combinations": [[0, 1, 2]]}, "combinations: expected lists of three numbers"),
        (lambda names: names | {"combinations": [[0, 1, True]]}, "combinations: expected lists of three numbers"),
    ],
)
def test_odd_names_are_refused(change, message):
    with pytest.raises(BadNetworkError, match=message):
        vocabulary_of(change(to_json(NAMES)), NAMES.labels)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("arc.q", lambda a: a[1:], r"arc\.q: expected 12 values; found 11"),
        ("label.scale", lambda a: a[1:], r"label\.scale: expected 6 values; found 5"),
        ("words.weight.scale", lambda a: a * np.float32(np.nan), r"words\.weight\.scale: expected numbers from 0"),
        ("arc.scale", lambda a: -a, r"arc\.scale: expected numbers from 0"),
        ("dense.bias", lambda a: a + np.float32(np.inf), r"dense\.bias: expected numbers from -10000 to 10000"),
    ],
)
def test_odd_weights_are_refused(name, change, message):
    packed = packed_arrays()
    packed[name] = change(packed[name])
    with pytest.raises(BadNetworkError, match=message):
        unpack(packed, OPTIONS, NAMES)


def test_shapes_follow_from_options():
    assert "words.weight" not in shapes_of(Network(**SIZES | {"word_size": 0}), NAMES)
    assert shapes_of(OPTIONS, NAMES)["dense.weight"] == (2 * 3 + 2 * 2 + 5 * 2, 8)
