"""Check the input of the tree functions: a score matrix, a batch of them, or a list of arcs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as np

from ramify.arrays import as_int32, as_numbers
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]
    Scores: TypeAlias = "ArrayLike | ArcList"

__all__ = ["LARGEST_SCORE", "ArcList", "Problem", "TreeOptions", "as_problem", "raise_for_item"]

LARGEST_SCORE = 1e12
"""Finite scores beyond plus or minus this are refused; minus infinity is always welcome."""


MOST_WORDS = 2**24
MOST_DENSE_WORDS = 16383


class TreeOptions(TypedDict, total=False):
    """Keyword arguments of all tree functions; `max_arborescence` describes them."""

    single_root: bool
    lengths: ArrayLike | None
    num_threads: int


@dataclass(frozen=True, eq=False)
class ArcList:
    """Candidate arcs of one sentence, for sentences in which most of the matrix would be minus infinity.

    Parameters
    ----------
    heads : int array of shape (num_arcs,), 0 (the root) … num_words
    modifiers : int array of shape (num_arcs,), 1 … num_words; no arc may come twice
    scores : float array of shape (num_arcs,)
    num_words : number of words, the root not counted
    """

    heads: Ints
    modifiers: Ints
    scores: Floats
    num_words: int

    def __post_init__(self) -> None:
        for name in ("heads", "modifiers"):
            object.__setattr__(self, name, as_int32(f"ArcList expects {name}", getattr(self, name)))
        object.__setattr__(self, "scores", as_numbers("ArcList expects scores", self.scores).copy())
        self._check()
        # What was checked must stay so: these are copies, and nobody writes to them.
        for array in (self.heads, self.modifiers, self.scores):
            array.setflags(write=False)

    def _check(self) -> None:
        if not (self.heads.ndim == 1 and self.heads.shape == self.modifiers.shape == self.scores.shape):
            raise InvalidInputError(
                "ArcList expects heads, modifiers and scores of one shape (num_arcs,); got "
                f"{self.heads.shape}, {self.modifiers.shape} and {self.scores.shape}."
            )
        if isinstance(self.num_words, bool) or not isinstance(self.num_words, (int, np.integer)):
            raise InvalidInputError(f"ArcList expects num_words as an integer; got {self.num_words!r}.")
        if not 1 <= self.num_words <= MOST_WORDS:
            raise InvalidInputError(
                f"ArcList expects at least one word and at most {MOST_WORDS}; got num_words={self.num_words}."
            )
        wrong = (self.heads < 0) | (self.heads > self.num_words) | (self.modifiers < 1)
        wrong |= (self.modifiers > self.num_words) | (self.heads == self.modifiers)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise InvalidInputError(
                f"ArcList expects heads in 0…{self.num_words} and other modifiers in 1…{self.num_words}; "
                f"got arc {i} = ({self.heads[i]}, {self.modifiers[i]})."
            )
        keys = self.heads.astype(np.int64) * (self.num_words + 1) + self.modifiers
        if np.unique(keys).size != keys.size:
            raise InvalidInputError(
                "ArcList expects every arc once; got duplicates. Add or log-add their scores first."
            )
        bad = _malformed(self.scores)
        if bad.any():
            i = int(np.argmax(bad))
            raise InvalidInputError(
                f"Scores are numbers within ±{LARGEST_SCORE:g}, or -inf for a pruned arc; "
                f"got {self.scores[i]} for arc ({self.heads[i]}, {self.modifiers[i]})."
            )

    def to_matrix(self) -> Floats:
        """Scores of shape (num_words + 1, num_words + 1), minus infinity where there is no arc."""
        if self.num_words > MOST_DENSE_WORDS:
            raise InvalidInputError(
                f"A matrix of arcs expects at most {MOST_DENSE_WORDS} words, two gigabytes; "
                f"got num_words={self.num_words}."
            )
        self._check()  # the arrays are read-only, unless somebody made them writable
        matrix = np.full((self.num_words + 1, self.num_words + 1), -np.inf)
        matrix[self.heads, self.modifiers] = self.scores
        return matrix

    def gather(self, matrix: Floats) -> Floats:
        """Entries of a matrix of shape (num_words + 1, num_words + 1) at the arcs; shape (num_arcs,)."""
        return np.ascontiguousarray(matrix[self.heads, self.modifiers])


@dataclass(frozen=True, eq=False)
class Problem:
    """Scores as one array of shape (num_items, n + 1, n + 1), with lengths of shape (num_items,) or None."""

    scores: Floats
    lengths: Ints | None
    is_batch: bool
    arcs: ArcList | None
    single_root: bool
    num_threads: int

    @property
    def options(self) -> TreeOptions:
        """What a tree function takes besides the scores."""
        return {"single_root": self.single_root, "lengths": self.lengths, "num_threads": self.num_threads}

    @property
    def size(self) -> int:
        """Number of words plus one for the root."""
        return int(self.scores.shape[1])

    def items(self) -> Iterator[Floats]:
        """Score matrices one by one, without their padding."""
        for i, matrix in enumerate(self.scores):
            size = self.size if self.lengths is None else int(self.lengths[i]) + 1
            yield np.ascontiguousarray(matrix[:size, :size])

    def matrices(self, dtype: Any = np.float64) -> Any:
        """Room for one matrix per item."""
        return np.empty(self.scores.shape, dtype)

    def give(self, array: Any) -> Any:
        """Return a result with one matrix per item in the same form as the scores were given."""
        if self.is_batch:
            return array
        return array[0] if self.arcs is None else self.arcs.gather(array[0])

    def give_values(self, values: Floats) -> Any:
        """Return one number per item, or the number itself if the scores were no batch."""
        return values if self.is_batch else float(values[0])

    def run(self, function: Callable[..., int], *results: Any, vectors: tuple[Floats, ...] = ()) -> None:
        """Let the engine fill the arrays in `results`; raise the error of the first item that it could not solve."""
        failed = function(self.scores, *vectors, self.lengths, self.single_root, self.num_threads, *results)
        if failed >= 0:
            raise_for_item(self, failed)


def as_problem(
    scores: Scores, *, single_root: bool = False, lengths: ArrayLike | None = None, num_threads: int = 1
) -> Problem:
    """Check shapes; the numbers themselves are checked in C++ on the way."""
    if isinstance(scores, ArcList):
        if lengths is not None:
            raise InvalidInputError("lengths belong to a batch of matrices; an ArcList has num_words instead.")
        return Problem(scores.to_matrix()[np.newaxis], None, False, scores, single_root, num_threads)
    array = as_numbers("scores are expected", scores)
    shape = array.shape
    if array.ndim not in (2, 3) or shape[-1] != shape[-2]:
        raise InvalidInputError(
            f"scores must have shape (n + 1, n + 1) or (batch, n + 1, n + 1), indexed [head, modifier]; got {shape}."
        )
    if shape[-1] < 2:
        raise InvalidInputError(f"A tree needs at least one word besides the root; got scores of shape {shape}.")
    if array.ndim == 2:
        if lengths is not None:
            raise InvalidInputError("lengths belong to a batch of matrices; slice a single matrix instead.")
        return Problem(array.reshape(1, *shape), None, False, None, single_root, num_threads)
    known = None if lengths is None else _as_lengths(lengths, shape)
    return Problem(array, known, True, None, single_root, num_threads)


def _as_lengths(lengths: ArrayLike, shape: tuple[int, ...]) -> Ints:
    raw = np.array(lengths)  # a copy: another thread may change the caller's array after the check
    if raw.shape != shape[:1] or raw.dtype.kind not in "iu":
        raise InvalidInputError(
            f"lengths must be integers of shape ({shape[0]},), one per item; got {raw.dtype} of shape {raw.shape}."
        )
    if raw.size and (raw.min() < 1 or raw.max() > shape[1] - 1):
        raise InvalidInputError(
            f"lengths must lie in 1…{shape[1] - 1}, the root not counted; got {raw.min()} to {raw.max()}."
        )
    return np.ascontiguousarray(raw, dtype=np.int32)


def _malformed(scores: Floats) -> NDArray[np.bool_]:
    bad: NDArray[np.bool_] = np.isnan(scores) | (scores > LARGEST_SCORE)
    bad |= (scores < -LARGEST_SCORE) & (scores != -np.inf)
    return bad


def raise_for_item(problem: Problem, item: int) -> None:
    """Raise the error for one item: it names a malformed score, or the words that no tree reaches."""
    place = f"item {item}: " if problem.is_batch else ""
    size = problem.size if problem.lengths is None else int(problem.lengths[item]) + 1
    scores = problem.scores[item, :size, :size].copy()
    np.fill_diagonal(scores, -np.inf)
    scores[:, 0] = -np.inf
    bad = _malformed(scores)
    if bad.any():
        head, modifier = np.argwhere(bad)[0]
        raise InvalidInputError(
            f"{place}scores must be numbers within ±{LARGEST_SCORE:g}, or -inf for a pruned arc; "
            f"got {scores[head, modifier]} at [{head}, {modifier}]."
        )
    words = _unreached(scores > -np.inf, [0])
    if words:
        raise InvalidInputError(f"{place}no tree exists: no path of arcs leads from the root to {_name(words)}.")
    if problem.single_root:
        _raise_for_single_root(scores > -np.inf, place)
    raise AssertionError(f"{place}a tree exists but was not found")


def _raise_for_single_root(allowed: NDArray[np.bool_], place: str) -> None:
    allowed = allowed.copy()
    roots = np.flatnonzero(allowed[0])
    allowed[0] = False
    missing = min((_unreached(allowed, [int(root)]) for root in roots), key=len)
    raise InvalidInputError(
        f"{place}no tree with a single root arc exists: from the best candidate for it, "
        f"{_name(missing)} cannot be reached. Allow more arcs, or set single_root=False."
    )


def _unreached(allowed: NDArray[np.bool_], start: list[int]) -> list[int]:
    reached = np.zeros(len(allowed), dtype=bool)
    reached[0] = True
    frontier = start
    while frontier:
        reached[frontier] = True
        frontier = [int(word) for word in np.flatnonzero(allowed[frontier].any(axis=0) & ~reached)]
    return [int(word) for word in np.flatnonzero(~reached)]


def _name(words: list[int]) -> str:
    shown = ", ".join(map(str, words[:10])) + (", …" if len(words) > 10 else "")
    return f"word {shown}" if len(words) == 1 else f"words {shown}"
