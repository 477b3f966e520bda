"""What a caller gives as an array of numbers, as the engine takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["as_int32", "as_numbers"]


def as_numbers(who: str, values: Any) -> NDArray[np.float64]:
    """Real numbers in one block of memory, in the shape they came in; a copy only where it is needed.

    Parameters
    ----------
    who : beginning of the error message
    values : anything that numpy takes for an array of numbers
    """
    try:
        array = np.asarray(values)
        if array.size and array.dtype.kind not in "biuf":
            raise TypeError(f"got {array.dtype}")  # noqa: TRY301
        return np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{who} as an array of numbers; {error}.") from None


def as_int32(who: str, values: Any) -> NDArray[np.int32]:
    """Copy of integers that fit into 32 bits; larger ones are refused, where a cast would wrap them around.

    Parameters
    ----------
    who, values : as those of `as_numbers`, for integers
    """
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{who} as an array of integers; {error}.") from None
    limits = np.iinfo(np.int32)
    if array.size and (array.dtype.kind not in "ui" or array.min() < limits.min or array.max() > limits.max):
        raise InvalidInputError(f"{who} as integers of 32 bits; got {array.dtype} such as {array.ravel()[0]!r}.")
    return array.astype(np.int32)
