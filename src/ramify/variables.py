"""Arrays of variable indexes, as a factor graph hands them out and factors take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["VariableArray"]


MOST_STATES = 2**24


class VariableArray:
    """Immutable array of variable indexes with their numbers of states.

    Parameters
    ----------
    indexes : integer array of any shape
    num_states : int or integer array of the same shape, each at least 2
        2 is binary: off (state 0) and on (state 1).
    """

    __slots__ = ("_indexes", "_num_states")

    def __init__(self, indexes: Any, num_states: Any = 2) -> None:
        array = np.array(indexes)
        if array.size == 0:
            array = array.astype(np.int64)
        if not np.issubdtype(array.dtype, np.integer):
            raise InvalidInputError(f"VariableArray expects integer indexes; got {array.dtype}.")
        given = np.asarray(num_states)
        if given.size and (given.dtype.kind not in "ui" or given.min() < 2 or given.max() > MOST_STATES):
            raise InvalidInputError(
                f"VariableArray expects at least 2 states per variable, and at most {MOST_STATES}; got {num_states!r}."
            )
        self._indexes: NDArray[np.int64] = array.astype(np.int64)
        self._num_states: NDArray[np.int32] = np.broadcast_to(given, array.shape).astype(np.int32)
        self._indexes.setflags(write=False)
        self._num_states.setflags(write=False)

    @property
    def indexes(self) -> NDArray[np.int64]:
        """Indexes, read-only, any shape."""
        return self._indexes

    @property
    def num_states(self) -> NDArray[np.int32]:
        """Numbers of states, read-only, the shape of `indexes`."""
        return self._num_states

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self._indexes.shape

    @property
    def size(self) -> int:
        """Number of variables."""
        return self._indexes.size

    def __len__(self) -> int:
        return len(self._indexes)

    def __getitem__(self, key: Any) -> VariableArray:
        return VariableArray(self._indexes[key], self._num_states[key])

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return self._indexes.astype(dtype or np.int64)

    def __repr__(self) -> str:
        return f"VariableArray(shape={self.shape}, num_states={np.unique(self._num_states).tolist()})"
