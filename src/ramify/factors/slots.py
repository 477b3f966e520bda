"""From what a constructor accepts as variables to flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError
from ramify.variables import VariableArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Slots"]


@dataclass(frozen=True)
class Slots:
    """Variables of a group of factors with their numbers of states, (num_slots,); factors begin at the offsets."""

    variables: NDArray[np.int64]
    num_states: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @property
    def num_factors(self) -> int:
        """Number of factors."""
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of variables of each factor, shape (num_factors,)."""
        return np.diff(self.offsets)

    @classmethod
    def read(cls, who: str, variables: Any, *, binary: bool = False, at_least: int = 1) -> Slots:
        """Accept one factor (shape (n,)), several of one size ((g, n)) or a list of arrays (ragged).

        Parameters
        ----------
        who : name of the family, for messages
        variables : VariableArray, integer array or list of them
        binary : refuse variables with more than two states
        at_least : smallest number of variables per factor
        """
        rows = list(variables) if isinstance(variables, (list, tuple)) else None
        if rows is not None and all(np.ndim(row) == 0 for row in rows):
            rows = None
        if rows is None:
            array = _as_variables(who, variables)
            if len(array.shape) not in (1, 2):
                raise InvalidInputError(
                    f"{who} expects variables of shape (n,) or (factors, n), or a list of arrays; "
                    f"got shape {array.shape}."
                )
            count, size = (1, array.shape[0]) if len(array.shape) == 1 else array.shape
            offsets = np.arange(count + 1, dtype=np.int64) * size
            flat, states = array.indexes.ravel(), array.num_states.ravel()
        else:
            arrays = [_as_variables(who, row) for row in rows]
            offsets = np.cumsum([0] + [a.size for a in arrays], dtype=np.int64)
            flat = np.concatenate([a.indexes.ravel() for a in arrays])
            states = np.concatenate([a.num_states.ravel() for a in arrays])
        slots = cls(flat, states, offsets)
        slots._check(who, binary, at_least)
        return slots

    @classmethod
    def checked(cls, who: str, variables: Any, num_states: Any, offsets: Any) -> Slots:
        """Slots from flat arrays of unknown origin.

        Parameters
        ----------
        who : name of the family, for messages
        variables, num_states : integer arrays of shape (num_slots,)
        offsets : integer array of shape (num_factors + 1,), from 0 to num_slots, never decreasing
        """
        arrays = [np.asarray(x) for x in (variables, num_states, offsets)]
        if any(x.ndim != 1 or x.dtype.kind not in "ui" for x in arrays) or arrays[0].shape != arrays[1].shape:
            raise InvalidInputError(f"{who} expects variables, num_states and offsets as flat integer arrays.")
        ends = arrays[2].astype(np.int64)
        if not ends.size or ends[0] != 0 or ends[-1] != arrays[0].size or np.any(np.diff(ends) < 0):
            raise InvalidInputError(f"{who} expects offsets from 0 to {arrays[0].size} that never decrease.")
        array = VariableArray(arrays[0], arrays[1])
        return cls(array.indexes, array.num_states, ends)

    def grouped(self) -> VariableArray | list[VariableArray]:
        """Return what `read` accepts: an array of shape (factors, n) where all have n variables, else a list."""
        lengths = self.lengths
        if lengths.size and np.all(lengths == lengths[0]):
            shape = (self.num_factors, int(lengths[0]))
            return VariableArray(self.variables.reshape(shape), self.num_states.reshape(shape))
        if not lengths.size:
            return VariableArray(np.zeros((0, 0), dtype=np.int64))
        ends = self.offsets[1:-1]
        pairs = zip(np.split(self.variables, ends), np.split(self.num_states, ends), strict=True)
        return [VariableArray(variables, states) for variables, states in pairs]

    def _check(self, who: str, binary: bool, at_least: int) -> None:
        if self.num_factors and self.lengths.min() < at_least:
            raise InvalidInputError(
                f"{who} expects at least {at_least} variables per factor; factor {int(self.lengths.argmin())} has "
                f"{int(self.lengths.min())}."
            )
        if self.variables.size and self.variables.min() < 0:
            raise InvalidInputError(f"{who} expects variable indexes from 0; got {int(self.variables.min())}.")
        if binary and np.any(self.num_states != 2):
            raise InvalidInputError(
                f"{who} expects binary variables; got one with {int(self.num_states.max())} states."
            )
        twice = self._repeated()
        if twice >= 0:
            raise InvalidInputError(f"{who} expects each variable once per factor; variable {twice} comes twice.")

    def _repeated(self) -> int:
        """Return a variable that some factor has twice, or -1."""
        lengths = self.lengths
        if lengths.size and np.all(lengths == lengths[0]):
            rows = self.variables.reshape(self.num_factors, -1)
            if rows.shape[1] > 3:
                rows = np.sort(rows, axis=1)
            # Up to three columns are compared each with each, more only with their neighbours in order.
            steps = range(1, rows.shape[1]) if rows.shape[1] <= 3 else range(1, 2)
            found = [rows[:, step:][rows[:, step:] == rows[:, :-step]] for step in steps]
        else:
            factor = np.repeat(np.arange(self.num_factors), lengths)
            order = np.lexsort((self.variables, factor))
            same = (np.diff(self.variables[order]) == 0) & (np.diff(factor[order]) == 0)
            found = [self.variables[order][1:][same]]
        return next((int(x[0]) for x in found if x.size), -1)

    def flags(self, who: str, negated: Any) -> NDArray[np.uint8]:
        """Return flags in the shape of the variables as a flat array; empty if there are none.

        Parameters
        ----------
        who : name of the family, for messages
        negated : bool, array or list of arrays, or None
        """
        if negated is None:
            return np.zeros(0, dtype=np.uint8)
        if isinstance(negated, (list, tuple)) and any(np.ndim(row) for row in negated):
            flat = np.concatenate([np.ravel(row) for row in negated])
        else:
            flat = np.ravel(negated)
            if flat.size == 1:
                flat = np.repeat(flat, self.variables.size)
            elif self.num_factors > 1 and flat.size == self.lengths[0] and np.all(self.lengths == flat.size):
                flat = np.tile(flat, self.num_factors)
        if flat.size != self.variables.size or flat.dtype.kind not in "bui":
            raise InvalidInputError(
                f"{who} expects negated as booleans in the shape of the variables ({self.variables.size}); "
                f"got {flat.size} of {flat.dtype}."
            )
        return np.ascontiguousarray(flat != 0, dtype=np.uint8)

    def per_factor(self, who: str, name: str, values: Any) -> NDArray[np.int32]:
        """One non-negative integer per factor, broadcast from a single one.

        Parameters
        ----------
        who, name : for messages
        values : int or integer array of shape (num_factors,)
        """
        array = np.atleast_1d(np.asarray(values))
        if array.size == 1:
            array = np.repeat(array.ravel(), self.num_factors)
        right = array.shape == (self.num_factors,) and (not array.size or array.dtype.kind in "ui")
        if not right or np.any(array < 0) or np.any(array > np.iinfo(np.int32).max):
            raise InvalidInputError(
                f"{who} expects {name} as integers from 0 to 2**31 - 1, one per factor ({self.num_factors}); "
                f"got {values!r}."
            )
        return array.astype(np.int32)


def _as_variables(who: str, variables: Any) -> VariableArray:
    if isinstance(variables, VariableArray):
        return variables
    try:
        return VariableArray(variables)
    except (InvalidInputError, ValueError, TypeError) as error:
        raise InvalidInputError(f"{who} expects variables as integer indexes: {error}") from error
