"""What a group of factors answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FactorArgmax", "FactorConstraints", "FactorMarginals", "FactorMessages", "FactorProjection"]


@dataclass(frozen=True)
class FactorMarginals:
    """Sum-product result of a group.

    Attributes
    ----------
    log_partition : array of shape (num_factors,); -inf where nothing is feasible
    marginals : array of shape (num_coordinates,)
    part_marginals : array of shape (num_parts,)
    """

    log_partition: NDArray[np.float64]
    marginals: NDArray[np.float64]
    part_marginals: NDArray[np.float64]


@dataclass(frozen=True)
class FactorMessages:
    """Outgoing messages of a group.

    Attributes
    ----------
    value : array of shape (num_factors,)
        Log-partition (sum-product) or best value (max-product).
    messages : array of shape (num_coordinates,)
        Log-odds minus the incoming score; k-ary variables relative to their state 0.
    """

    value: NDArray[np.float64]
    messages: NDArray[np.float64]


@dataclass(frozen=True)
class FactorArgmax:
    """Best assignment of each factor.

    Attributes
    ----------
    value : array of shape (num_factors,); -inf where nothing is feasible
    states : integer array of shape (num_slots,), one state per variable
    parts : array of shape (num_parts,), 0 or 1
    """

    value: NDArray[np.float64]
    states: NDArray[np.int32]
    parts: NDArray[np.float64]


@dataclass(frozen=True)
class FactorProjection:
    """Closest points.

    Attributes
    ----------
    value : array of shape (num_factors,); -inf where nothing is feasible
    point : array of shape (num_coordinates,)
    parts : array of shape (num_parts,)
    """

    value: NDArray[np.float64]
    point: NDArray[np.float64]
    parts: NDArray[np.float64]


@dataclass(frozen=True)
class FactorConstraints:
    """Rows of one factor's polytope: ``lower <= A x <= upper``, A as triplets.

    Columns of x: coordinates (one per binary variable, k per k-ary one), own parts, auxiliaries; the first two lie
    in [0, 1], auxiliaries in [0, aux_upper].

    Attributes
    ----------
    num_coordinates, num_parts, num_auxiliaries : int
    rows, columns : integer arrays of shape (num_nonzeros,)
    values : array of shape (num_nonzeros,)
    lower, upper : arrays of shape (num_rows,)
    aux_upper : float
    exact : bool
        The rows describe the convex hull of the legal assignments; otherwise a relaxation whose integral points
        are the legal assignments.
    """

    num_coordinates: int
    num_parts: int
    num_auxiliaries: int
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    aux_upper: float
    exact: bool

    @classmethod
    def from_core(cls, rows: Any) -> FactorConstraints:
        """Copy out of the C++ object.

        Parameters
        ----------
        rows : the engine's Constraints
        """
        sizes = rows.num_coords, rows.num_parts, rows.num_auxiliaries
        arrays = rows.rows(), rows.columns(), rows.values(), rows.lower(), rows.upper()
        return cls(*sizes, *arrays, rows.aux_upper, rows.exact)
