"""The arrays of a model as the bytes of a safetensors file, small to store and safe to read."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.learn import arrays as tensors
from ramify.neural.encoder_files import EncoderState, shaped
from ramify.neural.files import BadNetworkError, kinds_of
from ramify.neural.files import pack as pack_network
from ramify.neural.files import unpack as unpack_network
from ramify.parsing.state import NO_WEIGHTS, Frame, NetworkWeights, Weights

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from ramify.neural.vocabulary import Vocabulary
    from ramify.parsing.config import Config

__all__ = ["pack", "unpack"]

_NAMES = {
    "keys": "U8",
    "weights": "I16",
    "scales": "F64",
    "pruner": "I16",
    "frequent": "U64",
    "longest": "I32",
    "allowed": "U8",
}
_NETWORK = "network."  # before the names of a network's arrays
_ENCODER = "encoder."  # and of those of a fine-tuned encoder


def pack(frame: Frame, weights: Weights, network: NetworkWeights | None = None) -> bytes:
    """Return a file's bytes."""
    arrays = {} if network is None else pack_network(network.arrays)
    tuned = {} if network is None or network.encoder is None else pack_network(network.encoder.arrays)
    keys, values = _pack_keys(weights.keys, weights.values)
    return tensors.write_arrays(
        {
            "keys": keys,
            "weights": values,
            "scales": np.array([weights.scale, weights.pruner_scale]),
            "pruner": weights.pruner,
            "frequent": frame.frequent,
            "longest": frame.longest,
            "allowed": np.packbits(frame.allowed),
            **{f"{_NETWORK}{name}": array for name, array in arrays.items()},
            **{f"{_ENCODER}{name}": array for name, array in tuned.items()},
        }
    )


def unpack(
    content: bytes,
    vocabulary: Mapping[str, Any],
    config: Config,
    names: Vocabulary | None = None,
    encoder: EncoderState | None = None,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
) -> tuple[Frame, Weights, NetworkWeights | None]:
    """Return what the bytes hold, having checked that it fits the names and options of the model.

    Parameters
    ----------
    content : of the file
    vocabulary : checked content of ``vocab.json``
    config : of the model
    names : that the network knows, if the model has one
    encoder, shapes : of the network without its weights, and the shapes of these
    """
    kinds = {} if names is None else kinds_of(config.network, names)
    expected = {f"{_NETWORK}{name}": kind for name, kind in kinds.items()}
    expected |= {f"{_ENCODER}{name}": "F16" for name in shapes or {}}
    arrays = tensors.read_arrays(content, _NAMES | expected)
    num_tags, num_labels = len(vocabulary["tags"]), len(vocabulary["labels"])
    pairs = num_tags**2
    tensors.check_shape(arrays, "longest", pairs * 2)
    tensors.check_shape(arrays, "allowed", math.ceil(pairs * num_labels / 8))
    tensors.check_shape(arrays, "pruner", 1 << config.pruner.bits if names is None else len(NO_WEIGHTS.pruner))
    tensors.check_shape(arrays, "scales", 2)
    scale, pruner_scale = (tensors.check_scale(value) for value in arrays["scales"].tolist())
    if np.any(arrays["frequent"][1:] <= arrays["frequent"][:-1]):
        raise tensors.BadTensorsError("frequent: expected ascending hashes")
    keys, values = _unpack_keys(arrays["keys"], arrays["weights"])
    frame = Frame(
        tuple(vocabulary["tags"]),
        tuple(vocabulary["labels"]),
        tuple(vocabulary["empty-columns"]),
        vocabulary["single-root"],
        arrays["frequent"],
        arrays["longest"],
        np.unpackbits(arrays["allowed"], count=pairs * num_labels),
    )
    weights = Weights(keys, values, scale, arrays["pruner"], pruner_scale)
    if names is None:
        return frame, weights, None
    if encoder is not None:
        encoder = replace(encoder, arrays=_tuned(_part(arrays, _ENCODER), shapes or {}))
    return frame, weights, replace(_network(_part(arrays, _NETWORK), config, names), encoder=encoder)


def _part(arrays: Mapping[str, npt.NDArray[Any]], prefix: str) -> dict[str, npt.NDArray[Any]]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _tuned(
    arrays: Mapping[str, npt.NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, npt.NDArray[np.float16]]:
    try:
        return shaped(arrays, shapes)
    except BadNetworkError as error:
        raise tensors.BadTensorsError(str(error)) from None


def _network(arrays: Mapping[str, npt.NDArray[Any]], config: Config, names: Vocabulary) -> NetworkWeights:
    try:
        return NetworkWeights(names, unpack_network(arrays, config.network, names))
    except BadNetworkError as error:
        raise tensors.BadTensorsError(f"{_NETWORK}{error}") from None


def _pack_keys(
    keys: npt.NDArray[np.uint64], values: npt.NDArray[np.int16]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int16]]:
    """Return packed keys and the weights; keys that only cut long steps have weight 0."""
    packed, position = tensors.pack_keys(keys)
    spread = np.zeros(len(packed) // 3, np.int16)
    spread[position] = values
    return packed, spread


def _unpack_keys(
    packed: npt.NDArray[np.uint8], values: npt.NDArray[np.int16]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int16]]:
    keys = tensors.unpack_keys(packed, values.size)
    used = values != 0
    return (keys, values) if used.all() else (keys[used], values[used])
