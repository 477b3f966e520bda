"""Factors whose algorithm is written in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ramify._core import factors as _core
from ramify.errors import InvalidInputError, UnsupportedError
from ramify.factors.base import Factor, check_scores
from ramify.factors.slots import Slots

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Oracle", "UserFactor"]


class Oracle(Protocol):
    """The one method that a user-defined factor needs (Assumption 1 of Martins, Almeida & Smith 2013).

    Optional methods: ``parts(y) -> 0/1 array of shape (num_parts,)``, needed where the factor has own parts;
    ``marginals(q, scores) -> (log_partition, marginals, part_marginals)``; ``score(y, scores) -> float``.
    """

    def argmax(self, q: NDArray[np.float64], scores: NDArray[np.float64]) -> ArrayLike | None:
        """Return the best assignment, one state per variable, or None where all is forbidden.

        Parameters
        ----------
        q : array of shape (num_coordinates,), may hold -inf and, on binary coordinates, +inf
        scores : array of shape (num_parts,)
        """


class UserFactor(Factor):
    """One factor, or several, whose best assignment a Python object finds.

    `project` comes from the active-set method over `argmax`, so that AD3 and SparseMAP work with nothing else;
    `marginals` and `score` are there if the oracle has them.

    Parameters
    ----------
    variables : shape (n,), (factors, n) or list of arrays
    oracles : an `Oracle`, or a list with one per factor
    scores : array of shape (num_parts,) of the only factor, or list of arrays, optional
    """

    def __init__(self, variables: Any, oracles: Any, scores: Any = None) -> None:
        slots = Slots.read("UserFactor", variables)
        self._oracles = list(oracles) if isinstance(oracles, (list, tuple)) else [oracles] * slots.num_factors
        if len(self._oracles) != slots.num_factors:
            raise InvalidInputError(
                f"UserFactor expects one oracle per factor ({slots.num_factors}); got {len(self._oracles)}."
            )
        if not all(hasattr(oracle, "argmax") for oracle in self._oracles):
            raise InvalidInputError("UserFactor expects oracles with a method argmax(q, scores); one has none.")
        rows = [np.zeros(0)] * slots.num_factors if scores is None else _rows(scores, slots.num_factors)
        flat = np.concatenate(rows) if rows else np.zeros(0)
        part_offsets = np.cumsum([0] + [len(row) for row in rows], dtype=np.int64)
        group = _core.make_callback_group(
            "UserFactor",
            slots.offsets,
            part_offsets,
            slots.num_states,
            _Argmax(self._oracles),
            _Marginals(self._oracles) if all(hasattr(o, "marginals") for o in self._oracles) else None,
            _Score(self._oracles) if all(hasattr(o, "score") for o in self._oracles) else None,
        )
        super().__init__(group, slots, check_scores(flat, flat.size, "UserFactor expects scores").copy())

    def __reduce__(self) -> tuple[Any, ...]:
        rows = np.split(self.scores, self.part_offsets[1:-1])
        return type(self), (self._slots.grouped(), self._oracles, rows if self.scores.size else None)

    def arguments(self) -> dict[str, NDArray[Any]]:
        """Refuse: an algorithm written in Python is no array."""
        raise UnsupportedError("UserFactor has no arguments to save: its oracle is a Python object, not an array.")


def _rows(scores: Any, num_factors: int) -> list[NDArray[np.float64]]:
    ragged = isinstance(scores, (list, tuple)) and any(np.ndim(row) for row in scores)
    rows = [np.asarray(row, dtype=np.float64).ravel() for row in (scores if ragged else [scores])]
    if len(rows) != num_factors:
        raise InvalidInputError(f"UserFactor expects scores for {num_factors} factors; got {len(rows)}.")
    return rows


class _Argmax:
    def __init__(self, oracles: list[Any]) -> None:
        self._oracles = oracles

    def __call__(self, factor: int, q: Any, scores: Any) -> Any:
        oracle = self._oracles[factor]
        y = oracle.argmax(q, scores)
        if y is None:
            return None
        y = np.ascontiguousarray(y, dtype=np.int32)
        parts = np.ascontiguousarray(oracle.parts(y), dtype=np.float64) if scores.size else np.zeros(0)
        return y, parts


class _Marginals:
    def __init__(self, oracles: list[Any]) -> None:
        self._oracles = oracles

    def __call__(self, factor: int, q: Any, scores: Any) -> Any:
        log_partition, mu, nu = self._oracles[factor].marginals(q, scores)
        return float(log_partition), np.ascontiguousarray(mu, np.float64), np.ascontiguousarray(nu, np.float64)


class _Score:
    def __init__(self, oracles: list[Any]) -> None:
        self._oracles = oracles

    def __call__(self, factor: int, y: Any, scores: Any) -> float:
        return float(self._oracles[factor].score(y, scores))
