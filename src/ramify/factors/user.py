"""Factors whose algorithm is written in Python."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np

from ramify._core import factors as _core
from ramify.errors import InvalidInputError, UnsupportedError
from ramify.factors.base import Factor, check_scores
from ramify.factors.slots import Slots

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Oracle", "UserFactor"]

_ROUNDING = 1e-6  # how far a probability may be off


class Oracle(Protocol):
    """The one method that a user-defined factor needs (Assumption 1 of Martins, Almeida & Smith 2013).

    Optional methods:

    ``parts(y) -> array of shape (num_parts,)``
        0 or 1 for each own part; needed where the factor has own parts.
    ``marginals(q, scores) -> (log_partition, marginals, part_marginals)``
        In this order: a number, an array of shape (num_coordinates,) and one of shape (num_parts,). Here `q` may hold
        -inf and, on binary coordinates, +inf, which forces the variable on and counts as 0.
    ``score(y, scores) -> float``
        The sum of the scores of the parts of `y`, or -inf where `y` is forbidden. Without it, the score comes from
        `argmax` and `parts`.
    """

    def argmax(self, q: NDArray[np.float64], scores: NDArray[np.float64]) -> ArrayLike | None:
        """Return the best assignment, one state per variable, or None where all is forbidden.

        Parameters
        ----------
        q : array of shape (num_coordinates,), finite: what is forbidden or forced gets a score so large that it decides
        scores : array of shape (num_parts,), finite in the same way
        """


class UserFactor(Factor):
    """One factor, or several, whose best assignment a Python object finds.

    `project` comes from the active-set method over `argmax`, and `score` from asking `argmax` for one assignment, so
    that AD3, SparseMAP, subgradient steps and enumeration work with nothing else; `marginals` is there if the oracle
    has it. Bounds and certificates are right only if `argmax` returns a best assignment, not just a good one.

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
        if not all(callable(getattr(oracle, "argmax", None)) for oracle in self._oracles):
            raise InvalidInputError("UserFactor expects oracles with a method argmax(q, scores); one has none.")
        rows = [np.zeros(0)] * slots.num_factors if scores is None else _rows(scores, slots.num_factors)
        for oracle, row in zip(self._oracles, rows, strict=True):
            if row.size and not callable(getattr(oracle, "parts", None)):
                raise InvalidInputError(
                    f"UserFactor expects an oracle with a method parts(y), because it has {row.size} own parts; "
                    f"{type(oracle).__name__} has none."
                )
        flat = np.concatenate(rows) if rows else np.zeros(0)
        part_offsets = np.cumsum([0] + [len(row) for row in rows], dtype=np.int64)
        begin = slots.offsets.tolist()
        states = [slots.num_states[a:b] for a, b in itertools.pairwise(begin)]
        asked = [_Asked(oracle, k) for oracle, k in zip(self._oracles, states, strict=True)]
        group = _core.make_callback_group(
            "UserFactor",
            slots.offsets,
            part_offsets,
            slots.num_states,
            lambda factor, q, own: asked[factor].argmax(q, own),
            (lambda factor, q, own: asked[factor].marginals(q, own))
            if all(a.has("marginals") for a in asked)
            else None,
            lambda factor, y, own: asked[factor].score(y, own),
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


class _Asked:
    """An oracle whose answers are checked: a wrong one is an error here, and never reaches the engine."""

    def __init__(self, oracle: Any, num_states: NDArray[np.int32]) -> None:
        self._oracle = oracle
        self._num_states = num_states
        self._num_coordinates = int(np.where(num_states == 2, 1, num_states).sum())

    def has(self, name: str) -> bool:
        return callable(getattr(self._oracle, name, None))

    def argmax(self, q: NDArray[np.float64], scores: NDArray[np.float64]) -> Any:
        """Return states and parts, or None."""
        y = self._oracle.argmax(*_finite(q, scores))
        if y is None:
            return None
        y = self._states(y)
        return y, self._parts(y, scores.size)

    def marginals(self, q: NDArray[np.float64], scores: NDArray[np.float64]) -> Any:
        answer = self._oracle.marginals(q, scores)
        order = "(log_partition, marginals, part_marginals)"
        if not isinstance(answer, (tuple, list)) or len(answer) != 3:
            self._refuse("marginals", order, type(answer).__name__)
        log_partition = self._array("marginals", "log_partition, the first,", answer[0], ())
        marginals = self._array("marginals", "marginals, the second,", answer[1], (self._num_coordinates,))
        parts = self._array("marginals", "part_marginals, the third,", answer[2], (scores.size,))
        for values in (marginals, parts):
            if np.any(values < -_ROUNDING) or np.any(values > 1.0 + _ROUNDING):
                self._refuse(
                    "marginals", f"{order} with probabilities from 0 to 1", f"{values.min():g} to {values.max():g}"
                )
        if log_partition == np.inf:
            self._refuse("marginals", "a log_partition below +inf", "+inf")
        return float(log_partition), np.clip(marginals, 0.0, 1.0), np.clip(parts, 0.0, 1.0)

    def score(self, y: NDArray[np.int32], scores: NDArray[np.float64]) -> float:
        """Ask the oracle, or derive it: an assignment is legal if it is the best where all else costs."""
        if self.has("score"):
            given = float(self._array("score", "a number", self._oracle.score(y.copy(), scores.copy()), ()))
            if given == -np.inf:
                return given
            expected = self._sum(y, scores)
            size = float(np.abs(scores[np.isfinite(scores)]).max(initial=1.0))
            if given != expected and not abs(given - expected) <= 1e-9 * size:
                self._refuse("score", f"the sum of the scores of its parts, {expected:g}, or -inf", f"{given:g}")
            return expected
        found = self._oracle.argmax(self._only(y), np.zeros(scores.size))
        if found is None or not np.array_equal(self._states(found), y):
            return -np.inf
        return self._sum(y, scores)

    def _sum(self, y: NDArray[np.int32], scores: NDArray[np.float64]) -> float:
        return float(scores[self._parts(y, scores.size) > 0].sum())

    def _only(self, y: NDArray[np.int32]) -> NDArray[np.float64]:
        """Scores under which this assignment beats every other."""
        own = [
            [1.0 if state else -1.0] if k == 2 else _one_hot(k, state)
            for k, state in zip(self._num_states, y, strict=True)
        ]
        return np.concatenate([np.zeros(0), *own])

    def _states(self, y: Any) -> NDArray[np.int32]:
        given = np.asarray(y)
        if given.shape != self._num_states.shape or given.dtype.kind not in "uib":
            what = f"{given.dtype} of shape {given.shape}"
            self._refuse("argmax", f"{self._num_states.size} integers, one state for each variable, or None", what)
        wrong = np.flatnonzero((given < 0) | (given >= self._num_states))
        if wrong.size:
            v = int(wrong[0])
            self._refuse(
                "argmax", f"a state from 0 to {self._num_states[v] - 1} for variable {v} of the factor", given[v]
            )
        return np.ascontiguousarray(given, dtype=np.int32)

    def _parts(self, y: NDArray[np.int32], size: int) -> NDArray[np.float64]:
        if not size:
            return np.zeros(0)
        parts = self._array("parts", "an array", self._oracle.parts(y.copy()), (size,))
        if not np.all((parts == 0.0) | (parts == 1.0)):
            self._refuse("parts", "0 or 1 for each part", parts)
        return parts

    def _array(self, method: str, what: str, values: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
        try:
            array = np.array(values, dtype=np.float64)
        except (TypeError, ValueError):
            self._refuse(method, f"{what} to be of shape {shape}", type(values).__name__)
        if array.shape != shape or np.isnan(array).any():
            got = "NaN" if array.shape == shape else f"shape {array.shape}"
            self._refuse(method, f"{what} to be of shape {shape} and without NaN", got)
        return array

    def _refuse(self, method: str, expected: str, got: Any) -> NoReturn:
        raise InvalidInputError(
            f"UserFactor expects {type(self._oracle).__name__}.{method} to return {expected}; got {got}."
        )


def _one_hot(size: int, state: int) -> NDArray[np.float64]:
    row = np.zeros(size)
    row[state] = 1.0
    return row


def _finite(q: NDArray[np.float64], scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Put numbers so large that they decide for infinite ones: an oracle that adds scores up needs no special cases."""
    both = np.concatenate([q, scores])
    finite = np.isfinite(both)
    if finite.all():
        return q, scores
    large = min(1.0 + 2.0 * float(np.abs(both[finite]).sum()), 1e300)
    both = np.where(finite, both, np.copysign(large, both))
    return both[: q.size], both[q.size :]
