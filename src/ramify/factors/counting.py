"""How many variables may be on, what their number scores, or what they may cost together."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from ramify._core import factors as _core
from ramify.errors import InvalidInputError
from ramify.factors.base import Factor, check_choice, check_scores
from ramify.factors.slots import Slots

__all__ = ["Budget", "BudgetKind", "Count", "Knapsack"]


class BudgetKind(Enum):
    """How the number of true literals relates to the budget."""

    AT_MOST = "at-most"
    EXACTLY = "exactly"
    AT_LEAST = "at-least"


class Budget(Factor):
    """The number of true literals is at most, exactly or at least `budget`.

    Parameters
    ----------
    variables : shape (n,), (factors, n) or list of arrays of binary variables; n >= 1
    budget : int or integer array of shape (factors,), from 0
    kind : BudgetKind or its value
    negated : booleans in the shape of the variables, optional

    Notes
    -----
    Marginals by dynamic programming in O(n budget), projection in O(n log n).
    """

    def __init__(self, variables: Any, budget: Any, kind: BudgetKind | str = "at-most", negated: Any = None) -> None:
        chosen = check_choice(BudgetKind, kind, "Budget expects kind")
        slots = Slots.read("Budget", variables, binary=True)
        # More than all of them is no limit, and too much to ask for whatever the excess.
        budgets = np.minimum(slots.per_factor("Budget", "budget", budget), slots.lengths + 1).astype(np.int32)
        relation = getattr(_core.Relation, chosen.name)
        flags = slots.flags("Budget", negated)
        group = _core.make_budget(slots.offsets, flags, budgets, relation)
        super().__init__(group, slots, np.zeros(0), budget=budgets, kind=chosen.value, negated=flags)

    @property
    def kind(self) -> BudgetKind:
        """How the number of true literals relates to the budget."""
        return BudgetKind(self._own_arguments["kind"])

    @classmethod
    def _adopted(cls, arguments: dict[str, Any], slots: Slots) -> dict[str, Any]:
        kind = list(BudgetKind)[arguments["kind"][0]]  # in the order of the C++ enumeration
        return arguments | {"kind": kind.value, "negated": arguments["negated"].astype(np.uint8)}

    @classmethod
    def _rebuild(cls, variables: Any, scores: Any, **own: Any) -> Factor:
        return cls(variables, own["budget"], str(own["kind"]), own["negated"] if own["negated"].size else None)


class Knapsack(Factor):
    """The costs of the variables that are on sum to at most `capacity`.

    Parameters
    ----------
    variables : shape (n,), (factors, n) or list of arrays of binary variables; n >= 1
    costs : non-negative integers in the shape of the variables
    capacity : int or integer array of shape (factors,), from 0

    Notes
    -----
    Everything is that of the true 0/1 knapsack, in O(n capacity), except `project` and `constraints`: these are
    those of the linear relaxation ``{z in [0, 1]**n : costs @ z <= capacity}``, Almeida & Martins (2013), Appendix A.
    """

    def __init__(self, variables: Any, costs: Any, capacity: Any) -> None:
        slots = Slots.read("Knapsack", variables, binary=True)
        ragged = isinstance(costs, (list, tuple)) and any(np.ndim(row) for row in costs)
        flat = np.concatenate([np.ravel(row) for row in costs]) if ragged else np.ravel(costs)
        right = flat.size == slots.variables.size and flat.dtype.kind in "ui"
        if not right or np.any(flat < 0) or np.any(flat > np.iinfo(np.int32).max):
            raise InvalidInputError(
                f"Knapsack expects costs as integers from 0 to 2**31 - 1, one per variable ({slots.variables.size}); "
                f"got {flat.size} of {flat.dtype}. Scale and round fractional costs."
            )
        totals = (
            np.add.reduceat(flat.astype(np.int64), slots.offsets[:-1])
            if slots.num_factors
            else np.zeros(0, dtype=np.int64)
        )
        capacities = np.minimum(slots.per_factor("Knapsack", "capacity", capacity), totals).astype(np.int32)
        group = _core.make_knapsack(slots.offsets, flat.astype(np.int32), capacities)
        super().__init__(group, slots, np.zeros(0), costs=flat.astype(np.int32), capacity=capacities)

    @classmethod
    def _rebuild(cls, variables: Any, scores: Any, **own: Any) -> Factor:
        return cls(variables, own["costs"], own["capacity"])


class Count(Factor):
    """A score for the number of variables that are on.

    Parameters
    ----------
    variables : shape (n,), (factors, n) or list of arrays of binary variables; n >= 1
    scores : array of shape (k,) or (factors, k), or list of arrays; k >= 1
        Of 0, 1, ..., k - 2 variables, and of k - 1 or more.

    Notes
    -----
    Marginals by dynamic programming in O(n k), the best assignment by sorting in O(n log n), projection by active sets.
    Valency of Martins, Smith & Xing (2009), section 3.4; they have a number for each possible count.
    """

    def __init__(self, variables: Any, scores: Any) -> None:
        slots = Slots.read("Count", variables, binary=True)
        several = isinstance(scores, (list, tuple)) and any(np.ndim(row) for row in scores)
        rows = list(scores) if several or np.ndim(scores) == 2 else [scores] * slots.num_factors
        tables = [np.asarray(row, dtype=np.float64).ravel() for row in rows]
        if len(tables) != slots.num_factors or any(table.size == 0 for table in tables):
            raise InvalidInputError(
                f"Count expects scores for each of {slots.num_factors} factors, one or more; got {len(tables)} arrays "
                f"of lengths {sorted({table.size for table in tables})}."
            )
        lengths = np.array([table.size for table in tables], dtype=np.int32)
        group = _core.make_count(slots.offsets, lengths)
        flat = np.concatenate(tables)
        values = check_scores(flat, flat.size, "Count expects scores").copy()
        super().__init__(group, slots, values, num_scores=lengths)

    @classmethod
    def _rebuild(cls, variables: Any, scores: Any, **own: Any) -> Factor:
        return cls(variables, np.split(scores, np.cumsum(own["num_scores"])[:-1]))
