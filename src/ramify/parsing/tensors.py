"""The arrays of a model as the bytes of a safetensors file, small to store and safe to read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.parsing.state import Frame, Weights

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from ramify.parsing.config import Config

__all__ = ["BadTensorsError", "pack", "unpack"]

_LOW_BITS = 24  # of a key that are 0
_LONGEST_STEP = (1 << 24) - 1  # differences of neighbouring keys are stored in three bytes
_LARGEST_WEIGHT = 1e6  # sums of a few hundred of them stay far from the limits of arithmetic
_DTYPES = {"U8": np.uint8, "I16": np.int16, "I32": np.int32, "U64": np.uint64, "F64": np.float64}
_NAMES = {
    "keys": "U8",
    "weights": "I16",
    "scales": "F64",
    "pruner": "I16",
    "frequent": "U64",
    "longest": "I32",
    "allowed": "U8",
}


class BadTensorsError(Exception):
    """What is wrong with the bytes; the caller says of which file."""


def pack(frame: Frame, weights: Weights) -> bytes:
    """Return a file's bytes."""
    from safetensors.numpy import save

    keys, values = _pack_keys(weights.keys, weights.values)
    return save(
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
    arrays = _read(content)
    num_tags, num_labels = len(vocabulary["tags"]), len(vocabulary["labels"])
    pairs = num_tags**2
    _check_shape(arrays, "longest", pairs * 2)
    _check_shape(arrays, "allowed", math.ceil(pairs * num_labels / 8))
    _check_shape(arrays, "pruner", 1 << config.pruner.bits)
    _check_shape(arrays, "scales", 2)
    scale, pruner_scale = (_checked_scale(value) for value in arrays["scales"].tolist())
    if np.any(arrays["frequent"][1:] <= arrays["frequent"][:-1]):
        raise BadTensorsError("frequent: expected ascending hashes")
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


def _read(content: bytes) -> dict[str, npt.NDArray[Any]]:
    from safetensors import SafetensorError, deserialize

    try:
        entries = dict(deserialize(content))  # type: ignore[no-untyped-call]
    except (SafetensorError, ValueError, UnicodeError) as error:
        raise BadTensorsError(f"expected a safetensors file ({error})") from None
    if set(entries) != set(_NAMES):
        odd = sorted(set(entries) ^ set(_NAMES))[0]
        raise BadTensorsError(f"expected the arrays {', '.join(_NAMES)}; {odd[:40]!r} is odd or missing")
    arrays = {}
    for name, entry in entries.items():
        if entry["dtype"] != _NAMES[name] or len(entry["shape"]) != 1:
            raise BadTensorsError(f"{name}: expected one axis of {_NAMES[name]}; found {entry['dtype']}")
        arrays[name] = np.frombuffer(entry["data"], np.dtype(_DTYPES[_NAMES[name]]).newbyteorder("<"))
    return arrays


def _check_shape(arrays: Mapping[str, npt.NDArray[Any]], name: str, size: int) -> None:
    if arrays[name].size != size:
        raise BadTensorsError(f"{name}: expected {size:,} values; found {arrays[name].size:,}")


def _checked_scale(scale: float) -> float:
    if not 0.0 <= scale * np.iinfo(np.int16).max <= _LARGEST_WEIGHT:
        raise BadTensorsError(f"scales: expected weights of at most {_LARGEST_WEIGHT:g}; found a scale of {scale:g}")
    return scale


def _pack_keys(
    keys: npt.NDArray[np.uint64], values: npt.NDArray[np.int16]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int16]]:
    """Return differences of keys, three bytes each, and the weights; long steps are cut by keys of weight 0."""
    short = (keys >> np.uint64(_LOW_BITS)).astype(np.int64)
    gaps = np.diff(short, prepend=0)
    fillers = np.maximum((gaps - 1) // _LONGEST_STEP, 0)  # so many longest steps, and a rest of one at least
    position = np.arange(len(short)) + np.cumsum(fillers)
    steps = np.full(len(short) + int(fillers.sum()), _LONGEST_STEP, np.int64)
    spread = np.zeros(len(steps), np.int16)
    steps[position] = gaps - fillers * _LONGEST_STEP
    spread[position] = values
    packed = np.empty((len(steps), 3), np.uint8)
    for byte in range(3):
        packed[:, byte] = (steps >> (8 * byte)) & 0xFF
    return packed.reshape(-1), spread


def _unpack_keys(
    packed: npt.NDArray[np.uint8], values: npt.NDArray[np.int16]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int16]]:
    if packed.size != 3 * values.size:
        raise BadTensorsError(f"keys: expected {3 * values.size:,} bytes, three a weight; found {packed.size:,}")
    padded = np.zeros((values.size, 4), np.uint8)
    padded[:, :3] = packed.reshape(-1, 3)
    steps = padded.reshape(-1).view("<u4")
    if not np.all(steps[1:]):
        raise BadTensorsError("keys: expected ascending keys")
    short = np.cumsum(steps, dtype=np.uint64)
    if len(short) and int(short[-1]) >> (64 - _LOW_BITS):
        raise BadTensorsError(f"keys: expected keys of {64 - _LOW_BITS} bits")
    short <<= np.uint64(_LOW_BITS)
    used = values != 0
    return (short, values) if used.all() else (short[used], values[used])
