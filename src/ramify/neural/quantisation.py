"""Weights of a network as bytes, which model files hold and the engine runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["full", "quantise", "scale_shape"]

_BY_FIRST_AXIS = ("arc", "label")
"""These are multiplied with vectors along the first axis, all others along the last one."""


def quantise(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Turn every matrix X into bytes ``X.q`` and a scale for each row, ``X.scale``; vectors stay as they are.

    Parameters
    ----------
    arrays : weights by name, as `ramify.neural.network.weights_of` gives them

    Returns
    -------
    ``X.q * X.scale`` is nearly X: the largest number of a row keeps its value, and the others change by at most half of
    the row's scale. The same weights give the same bytes.
    """
    result: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        values = np.ascontiguousarray(array, np.float32)
        if values.ndim < 2:
            result[name] = values
            continue
        largest = np.abs(values).max(0 if name in _BY_FIRST_AXIS else -1, keepdims=True)
        scale = (largest / np.float32(127)).astype(np.float32)
        safe = np.where(scale > 0, scale, np.float32(1))
        result[f"{name}.q"] = np.clip(np.rint(values / safe), -127, 127).astype(np.int8)
        result[f"{name}.scale"] = scale
    return result


def full(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the weights that `quantise` rounded, with 32 bits."""
    found = {name[:-2]: arrays[name] * arrays[f"{name[:-2]}.scale"] for name in arrays if name.endswith(".q")}
    return found | {name: array for name, array in arrays.items() if not name.endswith((".q", ".scale"))}


def scale_shape(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of the scales of a matrix."""
    return (1, *shape[1:]) if name in _BY_FIRST_AXIS else (*shape[:-1], 1)
