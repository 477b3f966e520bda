"""Penalties as the C++ learner takes them: what keeps weights small, and features few."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify._core import learn as _core

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["EVERY", "regularizer"]

EVERY = 500  # examples between two proximal steps, which look at many weights


def regularizer(
    *,
    l1: float = 0.0,
    l2: float = 0.0,
    rows: float = 0.0,
    sets: Sequence[_core.GroupSet] = (),
    budget: int | None = None,
    every: int = EVERY,
) -> _core.Regularizer:
    """Return a sum of penalties, of which each is relative to the sum of all losses; by default there is none.

    Parameters
    ----------
    l1 : of the sum of the sizes of weights
    l2 : of half the sum of their squares
    rows : of the sum of the norms of features over their labels, which taggers know
    sets : groups of templates, one set after the other
    budget : of all sets together: at most so many groups are left by a step; None leaves it to the sets
    every : examples between two steps
    """
    return _core.Regularizer(l1, l2, rows, list(sets), -1 if budget is None else budget, every)
