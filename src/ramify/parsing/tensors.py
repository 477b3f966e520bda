"""The arrays of a model as the bytes of a safetensors file, small to store and safe to read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.learn import arrays as tensors
from ramify.parsing.state import Frame, Weights

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

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


def pack(frame: Frame, weights: Weights) -> bytes:
    """Return a file's bytes."""
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
        }
    )


def unpack(content: bytes, vocabulary: Mapping[str, Any], config: Config) -> tuple[Frame, Weights]:
    """Return what the bytes hold, having checked that it fits the names and options of the model.

    Parameters
    ----------
    content : of the file
    vocabulary : checked content of ``vocab.json``
    config : of the model
    """
    arrays = tensors.read_arrays(content, _NAMES)
    num_tags, num_labels = len(vocabulary["tags"]), len(vocabulary["labels"])
    pairs = num_tags**2
    tensors.check_shape(arrays, "longest", pairs * 2)
    tensors.check_shape(arrays, "allowed", math.ceil(pairs * num_labels / 8))
    tensors.check_shape(arrays, "pruner", 1 << config.pruner.bits)
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
    return frame, Weights(keys, values, scale, arrays["pruner"], pruner_scale)


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
