"""Networks in model files: names as JSON, weights with 8 bits. Everything that is read is checked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.neural.quantisation import scale_shape
from ramify.neural.vocabulary import RESERVED, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from ramify.neural.options import Network

__all__ = ["FED_SIZE", "BadNetworkError", "kinds_of", "pack", "shapes_of", "to_json", "unpack", "vocabulary_of"]

FED_SIZE = 100
"""Size of the expected embedding of predicted tags."""
_MOST_NAMES = 1 << 20
_TAGS = ("upos", "xpos", "feats")
_LIMIT = 1e4  # of a weight: trained ones are far below


class BadNetworkError(Exception):
    """What is wrong with names or weights."""


def to_json(vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the names of a vocabulary, without the reserved ones and the labels, which the model has."""
    names: dict[str, Any] = {n: list(getattr(vocabulary, n)[len(RESERVED) :]) for n in ("words", "characters", *_TAGS)}
    return names | ({"combinations": vocabulary.combinations} if vocabulary.combinations else {})


def vocabulary_of(content: object, labels: tuple[str, ...]) -> Vocabulary:
    """Return the vocabulary that `to_json` wrote, whoever wrote it."""
    if not isinstance(content, dict):
        raise BadNetworkError("network: expected a table of names")
    names: dict[str, Any] = {}
    for name in ("words", "characters", *_TAGS):
        found = content.get(name)
        if not isinstance(found, list) or len(found) > _MOST_NAMES or not all(map(_is_text, found)):
            raise BadNetworkError(f"network: {name}: expected a list of at most {_MOST_NAMES:,} names")
        names[name] = (*RESERVED, *found)
        if len(set(names[name])) < len(names[name]):
            raise BadNetworkError(f"network: {name}: expected different names")
        if name in _TAGS and not all(map(_is_cell, found)):
            raise BadNetworkError(f"network: {name}: expected tags without control characters")
    counts = [len(names[name]) - len(RESERVED) for name in _TAGS]
    return Vocabulary(labels=labels, **names, combinations=_combinations(content.get("combinations", []), counts))


def _combinations(content: object, counts: Sequence[int]) -> tuple[tuple[int, int, int], ...]:
    def fits(numbers: object) -> bool:
        if not isinstance(numbers, (list, tuple)) or len(numbers) != len(counts):
            return False
        return all(type(i) is int and 0 <= i < count for i, count in zip(numbers, counts, strict=True))

    if not isinstance(content, (list, tuple)) or len(content) > _MOST_NAMES or not all(map(fits, content)):
        raise BadNetworkError("network: combinations: expected lists of three numbers of tags")
    return tuple((u, x, f) for u, x, f in content)


def _is_text(name: object) -> bool:
    return isinstance(name, str) and (name.isascii() or not any("\ud800" <= c <= "\udfff" for c in name))


def _is_cell(name: str) -> bool:
    return bool(name) and not any(c < " " or c == "\x7f" for c in name)


def shapes_of(options: Network, vocabulary: Vocabulary) -> dict[str, tuple[int, ...]]:
    """Return the shape of every array of a network, by its name in PyTorch."""
    shapes: dict[str, tuple[int, ...]] = {}
    tags = [len(getattr(vocabulary, name)) for name in _TAGS]
    size = options.word_size + vocabulary.encoder_width + options.tag_size
    labels = len(vocabulary.labels)
    shapes["arc"] = (options.arc_size + 1, options.arc_size)
    shapes["label"] = (options.label_size + 1, labels, options.label_size + 1)
    if options.word_size:
        shapes["words.weight"] = (len(vocabulary.words), options.word_size)
    if options.character_size:
        shapes["characters.weight"] = (len(vocabulary.characters), options.character_size)
        shapes |= _lstm("spelling", options.character_size, options.character_hidden)
        size += 2 * options.character_hidden
    if options.tag_size:
        shapes |= {f"tags.{i}.weight": (count, options.tag_size) for i, count in enumerate(tags)}
    fed = FED_SIZE if options.predict_tags and options.feed_tags and options.layers > 1 else 0
    for i in range(options.layers):
        inputs = (2 * options.hidden if i else size) + (fed if i + 1 == options.layers else 0)
        shapes |= _lstm(f"layers.{i}", inputs, options.hidden)
    dense = 2 * options.arc_size + 2 * options.label_size + (5 * options.rank)
    shapes |= {"dense.weight": (dense, 2 * options.hidden), "dense.bias": (dense,)}
    if options.predict_tags:
        for i, count in enumerate(tags):
            shapes |= {f"tag_heads.{i}.weight": (count, 2 * options.hidden), f"tag_heads.{i}.bias": (count,)}
        if options.feed_tags:
            shapes |= {f"fed.{i}.weight": (FED_SIZE, count) for i, count in enumerate(tags)}
    return shapes


def _lstm(name: str, inputs: int, hidden: int) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {}
    for direction in ("", "_reverse"):
        shapes[f"{name}.weight_ih_l0{direction}"] = (4 * hidden, inputs)
        shapes[f"{name}.weight_hh_l0{direction}"] = (4 * hidden, hidden)
        shapes[f"{name}.bias_ih_l0{direction}"] = (4 * hidden,)
        shapes[f"{name}.bias_hh_l0{direction}"] = (4 * hidden,)
    return shapes


def pack(weights: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of `quantise` with one axis each."""
    return {name: array.reshape(-1) for name, array in weights.items()}


def kinds_of(options: Network, vocabulary: Vocabulary) -> dict[str, str]:
    """Return the type of every array of `quantise`, as safetensors calls it."""
    kinds: dict[str, str] = {}
    for name, shape in shapes_of(options, vocabulary).items():
        kinds |= {f"{name}.q": "I8", f"{name}.scale": "F32"} if len(shape) > 1 else {name: "F32"}
    return kinds


def unpack(
    packed: Mapping[str, npt.NDArray[Any]], options: Network, vocabulary: Vocabulary
) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays that `pack` gave, checked to have the shapes that the options and the names ask for."""
    weights = {}
    for name, shape in shapes_of(options, vocabulary).items():
        if len(shape) == 1:
            weights[name] = _shaped(name, packed, shape)
            continue
        weights[f"{name}.q"] = _shaped(f"{name}.q", packed, shape)
        weights[f"{name}.scale"] = _shaped(f"{name}.scale", packed, scale_shape(name, shape))
    return weights


def _shaped(name: str, packed: Mapping[str, npt.NDArray[Any]], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    array, size = packed[name], math.prod(shape)
    if array.size != size:
        raise BadNetworkError(f"{name}: expected {size:,} values; found {array.size:,}")
    least = 0.0 if name.endswith(".scale") else -_LIMIT
    if array.dtype != np.int8 and not np.all((array >= least) & (array <= _LIMIT)):
        raise BadNetworkError(f"{name}: expected numbers from {least:g} to {_LIMIT:g}")
    return array.reshape(shape)
