"""What a case may do: call things, and say what must hold. Everything is written down before it happens."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import RamifyError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

# What a wrong argument may raise: ours, Python's where the type is wrong, and numpy's own.
ALLOWED = (RamifyError, TypeError, ValueError, MemoryError)


class FoundError(AssertionError):
    """Something that must never be."""


class Recorder:
    """Makes calls for one case.

    Attributes
    ----------
    rng : where all that is random comes from
    called, refused : numbers of calls, and of those that ended with an error that is allowed
    skipped : names of inference methods that are left alone
    """

    def __init__(self, rng: np.random.Generator, write: Callable[[str], object], skipped: Collection[str] = ()) -> None:
        self.rng = rng
        self.skipped = skipped
        self.called = 0
        self.refused = 0
        self._write = write

    def call(self, name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return what the function returns, or None where it raises an error that it may."""
        shown = [short(value) for value in args] + [f"{key}={short(value)}" for key, value in kwargs.items()]
        self._write(f"{name}({', '.join(shown)})")
        self.called += 1
        try:
            return function(*args, **kwargs)
        except ALLOWED:
            self.refused += 1
            return None
        except Exception as error:
            raise FoundError(f"{name} raised {type(error).__name__}: {error}") from error

    def right(self, name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """As `call`, with arguments that nothing is wrong with: no error is allowed, nor a warning."""
        before = self.refused
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            out = self.call(name, function, *args, **kwargs)
        self.expect(self.refused == before, f"{name} refused arguments that are right")
        self.expect(not caught, f"{name} warned: {caught[0].message if caught else ''}")
        return out

    def expect(self, holds: Any, message: str) -> None:
        if not holds:
            raise FoundError(message)

    def pick(self, choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)


def short(value: Any) -> str:
    text = (
        f"array({value.tolist()}, {value.dtype})" if isinstance(value, np.ndarray) and value.size < 40 else repr(value)
    )
    return text if len(text) <= 300 else f"{text[:300]}…"


def strange(rng: np.random.Generator) -> Any:
    """Draw something that few arguments want."""
    size = int(rng.integers(0, 9))
    makers: list[Callable[[], Any]] = [
        lambda: None,
        lambda: int(rng.integers(-3, 12)),
        lambda: int(rng.choice([-(2**63), -(2**31) - 1, 2**31 - 1, 2**31, 2**32 + 1, 2**63 - 1])),
        lambda: 10**30,
        lambda: float(rng.choice([np.nan, np.inf, -np.inf, 0.5, -1e308, 1e308])),
        lambda: "text",
        lambda: b"\x00\xff",
        lambda: True,
        list,
        dict,
        lambda: object(),
        lambda: np.zeros(size),
        lambda: np.full(size, np.nan),
        lambda: rng.normal(size=size),
        lambda: rng.normal(size=2 * size)[::2],
        lambda: rng.normal(size=size).astype(np.float32),
        lambda: rng.normal(size=size) + 1j,
        lambda: rng.integers(-2, 9, size),
        lambda: rng.integers(-(2**62), 2**62, size),
        lambda: rng.integers(0, 5, size).astype(np.uint8),
        lambda: rng.integers(0, 4, (size, 3)),
        lambda: np.array(["a", "b"]),
        lambda: np.array([None, 1], dtype=object),
        lambda: [rng.integers(0, 4, int(n)) for n in rng.integers(0, 4, 3)],
        lambda: np.zeros((0, 3)),
        lambda: np.array(3),
    ]
    return makers[int(rng.integers(len(makers)))]()


def spoilt(rng: np.random.Generator, array: np.ndarray) -> Any:
    """Draw something near a right array: of another length, dtype or layout, or with one number that is wrong."""
    try:
        array = np.atleast_1d(np.array(array))
    except ValueError:  # rows of several lengths
        return strange(rng)
    makers: list[Callable[[], Any]] = [
        lambda: array[:-1],
        lambda: np.concatenate([array.ravel(), array.ravel()[:1]]),
        lambda: np.repeat(array, 2),
        lambda: array[::-1],
        lambda: array.astype(np.float32 if array.dtype.kind in "biufc" else bytes),
        lambda: array.astype(object),
        lambda: array.tolist(),
        lambda: array.reshape(-1, 1),
        lambda: array[:0],
        lambda: _with(rng, array, rng.choice([-1, -(2**31), 2**31 - 1, 7])),
        lambda: _with(rng, array, rng.choice([np.nan, np.inf, -np.inf, 1e308])),
        lambda: strange(rng),
    ]
    return makers[int(rng.integers(len(makers)))]()


def _with(rng: np.random.Generator, array: np.ndarray, value: Any) -> np.ndarray:
    out = array.copy().ravel()
    if out.size and out.dtype.kind in "biuf":
        kind = out.dtype.kind
        limits = np.iinfo(out.dtype) if kind in "iu" else None
        usable = kind == "f" or (limits is not None and limits.min <= value <= limits.max)
        out = out if usable else out.astype(np.float64)
        out[int(rng.integers(out.size))] = value
    return out


def misuse(r: Recorder, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call with one argument that is spoilt, or something else altogether."""
    given = list(arguments)
    at = int(r.rng.integers(len(given)))
    given[at] = spoilt(r.rng, given[at]) if isinstance(given[at], np.ndarray) else strange(r.rng)
    return r.call(name, function, *given)
