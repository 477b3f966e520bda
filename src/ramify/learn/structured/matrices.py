"""Matrices of features, of numpy or scipy.sparse, as rows of numbered columns with values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.arrays import as_numbers
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Matrix"]


@dataclass(frozen=True)
class Matrix:
    """A sparse matrix by rows.

    Attributes
    ----------
    num_columns : its width
    begin : row r's entries are ``columns[begin[r]:begin[r + 1]]``, shape (num_rows + 1,)
    columns, values : of the entries
    """

    num_columns: int
    begin: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]

    @property
    def num_rows(self) -> int:
        """Number of rows."""
        return self.begin.size - 1

    @classmethod
    def read(cls, who: str, features: Any) -> Matrix:
        """Accept a matrix of numpy or scipy.sparse, or None for a single 1.

        Parameters
        ----------
        who : beginning of the error message
        features : the matrix
        """
        if features is None:
            return cls(1, np.array([0, 1]), np.zeros(1, dtype=np.int32), np.ones(1))
        if hasattr(features, "tocsr"):  # scipy is only used by those who pass its matrices
            sparse = features.tocsr(copy=True)
            sparse.sum_duplicates()
            values = as_numbers(who, sparse.data)
            arrays = sparse.indptr.astype(np.int64), sparse.indices.astype(np.int32), values
            return cls(int(sparse.shape[1]), *arrays)._checked(who)
        array = as_numbers(who, features)
        if array.ndim != 2:
            raise InvalidInputError(f"{who} as a matrix with one row for each part; got shape {array.shape}.")
        row, columns = np.nonzero(array)
        begin = np.searchsorted(row, np.arange(array.shape[0] + 1)).astype(np.int64)
        return cls(array.shape[1], begin, columns.astype(np.int32), array[row, columns])._checked(who)

    def _checked(self, who: str) -> Matrix:
        if not self.num_columns:
            raise InvalidInputError(f"{who} with at least one column; got none.")
        if not np.isfinite(self.values).all():
            raise InvalidInputError(f"{who} that are finite numbers; one is not.")
        return self
