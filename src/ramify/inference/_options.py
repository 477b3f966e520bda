"""Options of inference methods: each is declared once, with its rule, its default and what it is for."""

from __future__ import annotations

import inspect
import textwrap
import time
from collections.abc import Collection
from dataclasses import Field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ramify.factors import Factor
from ramify.options import Integer, Number, Rule, checked, refusal, rule_of

if TYPE_CHECKING:
    from ramify.graph import Method, Problem
    from ramify.inference.result import Result

__all__ = [
    "COUNT",
    "PENALTY",
    "SECONDS",
    "TOLERANCE",
    "Groups",
    "InferenceMethod",
    "Options",
    "Temperatures",
    "TimedMethod",
]

COUNT = Integer(1)
SECONDS = Number(0)
PENALTY = Number(0, above=True, below=True)
TOLERANCE = Number(0)


class Options(checked):
    """Base of the methods: frozen dataclasses whose options are checked when they are made.

    The docstring of a method gets a section "Parameters" from its options, before the notes.
    """

    def __init_subclass__(cls) -> None:
        """Write the section; the class is not yet a dataclass, so that its own options are still attributes."""
        options = [_described(name, made) for name, made in vars(cls).items() if isinstance(made, Field)]
        text, notes, rest = inspect.cleandoc(cls.__doc__ or "").partition("\n\nNotes\n-----\n")
        if not options:
            return
        section = "\n".join(["Parameters", "----------", *options])
        cls.__doc__ = f"{text}\n\n{section}{notes}{rest}\n"

    @classmethod
    def _refusal(cls, name: str, rule: Rule[Any], value: object) -> str:
        return refusal(cls.__name__, name, rule, value)


class TimedMethod(Options):
    """Base of the methods whose results say how long all of `solve` took."""

    def solve(self, problem: Problem, warm_start: Any = None) -> Result:
        """Solve a problem.

        Parameters
        ----------
        problem : scores and evidence on a graph
        warm_start : the state of an earlier result of the same method on the same graph; methods that know no states
            ignore it
        """
        start = time.perf_counter()
        return replace(self._solve(problem, warm_start), seconds=time.perf_counter() - start)

    def _solve(self, problem: Problem, warm_start: Any) -> Result:
        raise NotImplementedError


def _described(name: str, made: Field[Any]) -> str:
    text = f"{made.metadata['doc']} The value is {rule_of(made).expected}."
    return "\n".join([name, *textwrap.wrap(text, 116, initial_indent="    ", subsequent_indent="    ")])


class Temperatures(Rule["float | tuple[float, ...]"]):
    """A finite number above 0, or several of them."""

    expected = "a finite number above 0, or a sequence of such numbers"
    _each = Number(0, above=True, below=True)

    def check(self, value: object) -> float | tuple[float, ...]:
        """Keep one number as a number, and of several a tuple."""
        if isinstance(value, (str, bytes)):
            raise ValueError  # noqa: TRY004 - the caller makes the message
        several = tuple(self._each.check(item) for item in np.atleast_1d(np.asarray(value, dtype=object)))
        if not several:
            raise ValueError
        return several[0] if len(several) == 1 else several


class InferenceMethod(Rule["Method"]):
    """An object that solves problems."""

    expected = "an inference method as an object, such as AD3()"

    def check(self, value: object) -> Method:
        """Refuse names and classes."""
        if isinstance(value, type) or not callable(getattr(value, "solve", None)):
            raise ValueError  # noqa: TRY004 - as above
        return cast("Method", value)


class Groups(Rule["Collection[Factor]"]):
    """Groups of factors of a graph."""

    expected = "a collection of groups of factors"

    def check(self, value: object) -> Collection[Factor]:
        """Refuse a single group."""
        if not isinstance(value, Collection) or not all(isinstance(item, Factor) for item in value):
            raise ValueError
        return value
