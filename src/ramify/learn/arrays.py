"""Arrays of a model as the bytes of a safetensors file, small to store and safe to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

__all__ = [
    "BadTensorsError",
    "check_scale",
    "check_shape",
    "halved",
    "pack_keys",
    "read_arrays",
    "unpack_keys",
    "write_arrays",
]

_LOW_BITS = 24  # of a key that are 0
_LONGEST_STEP = (1 << 24) - 1  # differences of neighbouring keys are stored in three bytes
_LARGEST_WEIGHT = 1e6  # sums of a few hundred of them stay far from the limits of arithmetic
_DTYPES: dict[str, type[np.generic]] = {
    "U8": np.uint8,
    "I8": np.int8,
    "U16": np.uint16,
    "I16": np.int16,
    "I32": np.int32,
    "U32": np.uint32,
    "U64": np.uint64,
    "F16": np.float16,
    "F32": np.float32,
    "F64": np.float64,
}


class BadTensorsError(Exception):
    """What is wrong with the bytes; the caller says of which file."""


def write_arrays(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Return a file's bytes."""
    from safetensors.numpy import save

    return save({name: np.ascontiguousarray(array) for name, array in arrays.items()})


def read_arrays(content: bytes, names: Mapping[str, str | tuple[str, ...]]) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a file, each with one axis.

    Parameters
    ----------
    content : of the file
    names : of the arrays there must be, with their types as safetensors calls them
    """
    from safetensors import SafetensorError, deserialize

    try:
        entries = dict(deserialize(content))  # type: ignore[no-untyped-call]
    except (SafetensorError, ValueError, UnicodeError) as error:
        raise BadTensorsError(f"expected a safetensors file ({error})") from None
    if set(entries) != set(names):
        odd = sorted(set(entries) ^ set(names))[0]
        raise BadTensorsError(f"expected the arrays {', '.join(names)}; {odd[:40]!r} is odd or missing")
    arrays = {}
    for name, entry in entries.items():
        allowed = names[name]
        kinds = (allowed,) if isinstance(allowed, str) else allowed
        if entry["dtype"] not in kinds or len(entry["shape"]) != 1:
            raise BadTensorsError(f"{name}: expected one axis of {' or '.join(kinds)}; found {entry['dtype']}")
        arrays[name] = np.frombuffer(entry["data"], np.dtype(_DTYPES[entry["dtype"]]).newbyteorder("<"))
    return arrays


def halved(weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float16]:
    """Return weights in half the bytes; those that are too large for that are infinite."""
    with np.errstate(over="ignore"):
        return weights.astype(np.float16)


def check_shape(arrays: Mapping[str, npt.NDArray[Any]], name: str, size: int) -> None:
    """Refuse an array of another size."""
    if arrays[name].size != size:
        raise BadTensorsError(f"{name}: expected {size:,} values; found {arrays[name].size:,}")


def check_scale(scale: float) -> float:
    """Refuse weights so large that sums of them would overflow."""
    if not 0.0 <= scale * np.iinfo(np.int16).max <= _LARGEST_WEIGHT:
        raise BadTensorsError(f"scales: expected weights of at most {_LARGEST_WEIGHT:g}; found a scale of {scale:g}")
    return scale


def pack_keys(keys: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return differences of ascending keys, shape (n,), in three bytes each, and where among them each key is.

    Long steps are cut by keys in between, which stand for nothing.
    """
    short = (keys >> np.uint64(_LOW_BITS)).astype(np.int64)
    gaps = np.diff(short, prepend=0)
    fillers = np.maximum((gaps - 1) // _LONGEST_STEP, 0)  # so many longest steps, and a rest of one at least
    position = np.arange(len(short)) + np.cumsum(fillers)
    steps = np.full(len(short) + int(fillers.sum()), _LONGEST_STEP, np.int64)
    steps[position] = gaps - fillers * _LONGEST_STEP
    packed = np.empty((len(steps), 3), np.uint8)
    for byte in range(3):
        packed[:, byte] = (steps >> (8 * byte)) & 0xFF
    return packed.reshape(-1), position


def unpack_keys(packed: npt.NDArray[np.uint8], count: int) -> npt.NDArray[np.uint64]:
    """Return the keys of `pack_keys`, shape (count,), those in between included."""
    if packed.size != 3 * count:
        raise BadTensorsError(f"keys: expected {3 * count:,} bytes, three a key; found {packed.size:,}")
    padded = np.zeros((count, 4), np.uint8)
    padded[:, :3] = packed.reshape(-1, 3)
    steps = padded.reshape(-1).view("<u4")
    if not np.all(steps[1:]):
        raise BadTensorsError("keys: expected ascending keys")
    short = np.cumsum(steps, dtype=np.uint64)
    if len(short) and int(short[-1]) >> (64 - _LOW_BITS):
        raise BadTensorsError(f"keys: expected keys of {64 - _LOW_BITS} bits")
    short <<= np.uint64(_LOW_BITS)
    return short
