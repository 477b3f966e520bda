"""Gradients through inference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.errors import InvalidInputError
from ramify.inference._coordinates import check_gradient

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ramify.inference.result import Result

__all__ = ["backward"]


def backward(
    result: Result,
    *,
    grad_marginals: ArrayLike | None = None,
    grad_part_marginals: ArrayLike | None = None,
    grad_log_partition: float = 0.0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gradients of a scalar of a result with respect to the scores it was computed from.

    Parameters
    ----------
    result : of a method that kept what this needs, such as ``BeliefPropagation(keep_tape=True)``
    grad_marginals : array of shape (num_coordinates,), gradient of the scalar with respect to the marginals
    grad_part_marginals : array of shape (num_parts,)
    grad_log_partition : number

    Returns
    -------
    grad_scores : array of shape (num_coordinates,)
    grad_part_scores : array of shape (num_parts,)

    Notes
    -----
    Reverse mode through every update that was made (Gormley et al. 2015, section 5). Scores that forbid or force are
    constants: their gradient is 0.
    """
    run = getattr(result.state, "backward", None)
    if run is None or result.part_marginals is None:
        raise InvalidInputError(
            "backward expects a result with a tape; got one without. Solve with BeliefPropagation(keep_tape=True)."
        )
    marginals = check_gradient("backward", "grad_marginals", grad_marginals, result.marginals.size)
    parts = check_gradient("backward", "grad_part_marginals", grad_part_marginals, result.part_marginals.size)
    grads: tuple[NDArray[np.float64], NDArray[np.float64]] = run(marginals, parts, float(grad_log_partition))
    return grads
