"""What every inference method returns, and how it says why it stopped."""

from __future__ import annotations

import copy
import enum
import textwrap
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Result", "Status"]


class Status(enum.Enum):
    """Why a method stopped."""

    CERTIFIED = "certified"  # the assignment is optimal, and that is proved
    CONVERGED = "converged"
    ITERATION_LIMIT = "iteration limit"
    TIME_LIMIT = "time limit"
    INFEASIBLE = "infeasible"


@dataclass(frozen=True)
class Result:
    """Answer of an inference method.

    Attributes
    ----------
    marginals : array of shape (num_coordinates,); of being on for a binary variable, of each state for others
    part_marginals : array of shape (num_parts,), or None where the method has none
    exact : whether the marginals are those of the distribution (or the optimum) itself, not an approximation
    value : objective reached by `assignment` (or by the marginals, where they are fractional); −inf if infeasible
    bound : proved upper bound of the objective, +inf where the method has none
    certified : value equals bound, with an integral solution. The proof holds up to a share of the largest score and of
        the value: 1e-8 for `AD3` and `Subgradient`, 1e-6 for `LP` and `ILP`, and rounding for `Exact` and max-product.
        Results are not certified where the largest score is below 1e-290 or the sum of all could exceed 1e300.
    assignment : integer array of shape (num_variables,), or None
    relaxed_value : objective of the marginals where the method solves a relaxation, or None
    log_partition : log-partition function or its estimate, or None
    iterations, primal_residual, dual_residual, seconds : how it went
    active_factors, active_messages : arrays of shape (iterations,), by iteration the share of the factors that were
        solved again, and of the messages that belong to them, or None; AD3 leaves out factors whose inputs have not
        moved
    status : why it stopped
    message : more about that; if infeasible, a small set of factors and evidence in conflict (as
        `explain_infeasibility` finds it, which also returns it as numbers)
    state : warm start for the next call; pickles do not have that of AD3 and SparseMAP, nor the tape for gradients
    """

    marginals: NDArray[np.float64]
    value: float
    status: Status
    part_marginals: NDArray[np.float64] | None = None
    exact: bool = False
    bound: float = float("inf")
    certified: bool = False
    assignment: NDArray[np.int32] | None = None
    relaxed_value: float | None = None
    log_partition: float | None = None
    iterations: int = 0
    primal_residual: float = 0.0
    dual_residual: float = 0.0
    seconds: float = 0.0
    active_factors: NDArray[np.float64] | None = field(default=None, repr=False)
    active_messages: NDArray[np.float64] | None = field(default=None, repr=False)
    message: str = ""
    state: Any = field(default=None, repr=False)

    def __repr__(self) -> str:
        """Say how it ended, without the arrays."""
        facts = [self.status.value, f"value={self.value:.6g}"]
        facts += [f"bound={self.bound:.6g}"] if self.bound < float("inf") and not self.certified else []
        facts += [f"log_partition={self.log_partition:.6g}"] if self.log_partition is not None else []
        facts += [f"{self.marginals.size} marginals"]
        facts += [f"assignment of {self.assignment.size} variables"] if self.assignment is not None else []
        facts += [f"iterations={self.iterations}"] if self.iterations else []
        facts += [repr(textwrap.shorten(self.message, 100, placeholder=" …"))] if self.message else []
        return f"Result({', '.join(facts)})"

    def __reduce__(self) -> tuple[Any, ...]:
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return _rebuild, (type(self), values | {"state": _portable(self.state)})

    def __copy__(self) -> Result:
        return replace(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Result:
        values = {item.name: getattr(self, item.name) for item in fields(self) if item.name != "state"}
        return replace(self, **copy.deepcopy(values, memo))  # no method changes a state: copies share it


def _portable(state: Any) -> Any:
    """Return a state without what only the engine knows: warm starts of AD3, tapes of belief propagation."""
    if type(state).__module__.startswith("ramify._core"):
        return None
    if not is_dataclass(state) or isinstance(state, type):
        return state
    return replace(state, **{item.name: _portable(getattr(state, item.name)) for item in fields(state)})


def _rebuild(kind: type[Result], values: dict[str, Any]) -> Result:
    return kind(**values)
