"""Factor graphs: variables, factors over them, and the question what is likely or best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ramify._core import graph as _core
from ramify.arrays import as_numbers
from ramify.errors import InvalidInputError
from ramify.factors import Factor
from ramify.variables import VariableArray

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from ramify.inference.result import Result

__all__ = ["FactorGraph", "Method", "Problem"]

MOST_VARIABLES = 2**28


class Method(Protocol):
    """An inference method with its options."""

    def solve(self, problem: Problem, warm_start: Any = None) -> Result:
        """Answer a problem, starting from an earlier result's state if there is one."""


@dataclass(frozen=True)
class Problem:
    """A graph with scores and evidence: what an inference method gets.

    Attributes
    ----------
    graph : the frozen graph
    scores : array of shape (num_coordinates,); evidence is in it as −inf and, for a binary variable that is on, +inf
    part_scores : array of shape (num_parts,), all factors' own scores one after the other
    offset : what the forced coordinates scored; part of value, bound and log-partition function
    """

    graph: FactorGraph
    scores: NDArray[np.float64]
    part_scores: NDArray[np.float64]
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.graph, FactorGraph):
            raise InvalidInputError(f"Problem expects a FactorGraph; got {type(self.graph).__name__}.")
        self.graph.freeze()  # what fits now must still fit later
        sizes = {"scores": self.graph.num_coordinates, "part_scores": self.graph.num_parts}
        for name, size in sizes.items():
            array = as_numbers(f"Problem expects {name}", getattr(self, name))
            if array.shape != (size,) or np.isnan(array).any():
                raise InvalidInputError(
                    f"Problem expects {name} of shape ({size},) without NaN; got {array.shape}. "
                    "FactorGraph.problem puts them together."
                )
            object.__setattr__(self, name, array)

    @property
    def core(self) -> _core.FactorGraph:
        """The C++ graph."""
        return self.graph.freeze()

    def value(self, assignment: ArrayLike) -> float:
        """Return the objective of an assignment of shape (num_variables,), −inf if it is forbidden."""
        y = self._checked_assignment(assignment)
        free = np.where(np.isposinf(self.scores), 0.0, self.scores)
        on_where_forced = self._is_on_where_forced(y)
        return self.core.score(free, self.part_scores, y) + self.offset if on_where_forced else -np.inf

    def _checked_assignment(self, assignment: ArrayLike) -> NDArray[np.int32]:
        num_states = self.graph.num_states
        y = np.asarray(assignment)
        if y.shape != num_states.shape or (y.size and y.dtype.kind not in "bui"):
            raise InvalidInputError(
                f"Problem.value expects one integer for each of {num_states.size} variables; "
                f"got {y.dtype} of shape {y.shape}."
            )
        wrong = np.flatnonzero((y < 0) | (y >= num_states))
        if wrong.size:
            at = int(wrong[0])
            raise InvalidInputError(
                f"Problem.value expects a state from 0 to {int(num_states[at]) - 1} for variable {at}; got {y[at]}."
            )
        return np.ascontiguousarray(y, dtype=np.int32)

    def _is_on_where_forced(self, assignment: NDArray[np.int32]) -> bool:
        forced = np.flatnonzero(np.isposinf(self.scores))
        variables = np.searchsorted(self.graph.coordinate_offsets, forced, side="right") - 1
        return bool(np.all(assignment[variables] == 1))


class FactorGraph:
    """Variables and factors, built from arrays; frozen by the first question, and then asked any number of times.

    It can be pickled and copied; a copy is not frozen before it is asked itself.

    Examples
    --------
    >>> from ramify.factors import ExactlyOne
    >>> g = FactorGraph()
    >>> x = g.add_variables(3)
    >>> _ = g.add(ExactlyOne(x))
    >>> g
    FactorGraph(3 variables, 1 factors)
    """

    def __init__(self) -> None:
        self._num_states: list[NDArray[np.int32]] = []
        self._num_variables = 0
        self._factors: list[Factor] = []
        self._core: _core.FactorGraph | None = None
        self._offsets: NDArray[np.int64] | None = None
        self._namers: list[Callable[[int], str | None]] = []

    def __repr__(self) -> str:
        return f"FactorGraph({self._num_variables} variables, {self.num_factors} factors)"

    def __getstate__(self) -> dict[str, Any]:
        # The copy connects its variables and factors anew when it is first asked; lists of its own keep it apart.
        return vars(self) | {"_num_states": list(self._num_states), "_factors": list(self._factors), "_core": None}

    @classmethod
    def adopt(cls, core: _core.FactorGraph, part_scores: NDArray[np.float64]) -> FactorGraph:
        """Take over a graph that C++ built, with its groups as the classes of their families; it is frozen.

        Parameters
        ----------
        core : the C++ graph
        part_scores : array of shape (num_parts,)
        """
        graph = cls()
        graph._core = core
        graph._num_states = [core.num_states()]
        graph._num_variables = graph._num_states[0].size
        begin = 0
        for index in range(core.num_groups):
            group, variables = core.group(index), core.variables(index)
            end = begin + int(group.part_offsets()[-1])
            graph._factors.append(Factor.adopt(group, variables, graph.num_states[variables], part_scores[begin:end]))
            begin = end
        return graph

    # --- building ---------------------------------------------------------------------------------------------------

    def add_variables(self, shape: int | tuple[int, ...], num_states: Any = 2) -> VariableArray:
        """Add variables and return them as an array.

        Parameters
        ----------
        shape : number of variables, or the shape of an array of them
        num_states : int or integer array of that shape; 2 is binary: off (state 0) and on (state 1)
        """
        self._refuse_if_frozen("add_variables")
        try:
            if np.min(shape, initial=0) < 0:
                raise ValueError("a length is negative")  # noqa: TRY301
            size = math.prod(int(length) for length in np.atleast_1d(shape))
            if self._num_variables + size > MOST_VARIABLES:
                raise ValueError(f"a graph has at most {MOST_VARIABLES} variables")  # noqa: TRY301
            indexes = (self._num_variables + np.arange(size)).reshape(shape)
            array = VariableArray(indexes, num_states)
        except (ValueError, TypeError, OverflowError) as error:
            raise InvalidInputError(
                f"FactorGraph.add_variables expects a shape and numbers of states that fit it; got {shape!r}: {error}"
            ) from None
        self._num_states.append(array.num_states.ravel())
        self._num_variables += size
        return array

    def add(self, factor: Factor) -> Factor:
        """Add a factor, or a whole group of one family, over variables of this graph; returns it."""
        self._refuse_if_frozen("add")
        if not isinstance(factor, Factor):
            raise InvalidInputError(f"FactorGraph.add expects a factor; got {type(factor).__name__}.")
        name = type(factor).__name__
        variables = factor.variables
        if variables.size and int(variables.max()) >= self._num_variables:
            raise InvalidInputError(
                f"FactorGraph.add expects variables of this graph (0 to {self._num_variables - 1}); "
                f"{name} has variable {int(variables.max())}. Add variables first."
            )
        own = self.num_states[variables]
        wrong = np.flatnonzero(own != factor.num_states)
        if wrong.size:
            slot = int(wrong[0])
            raise InvalidInputError(
                f"{name} expects variable {int(variables[slot])} to have {int(factor.num_states[slot])} states; in the "
                f"graph it has {int(own[slot])}. Pass the VariableArray that add_variables returned."
            )
        self._factors.append(factor)
        return factor

    def add_names(self, name_of: Callable[[int], str | None]) -> None:
        """Let messages call variables by names.

        Parameters
        ----------
        name_of : from a variable to its name, or None where it knows none; the first that knows one decides
        """
        self._namers.append(name_of)

    def name_of(self, variable: int) -> str | None:
        """Return the name of a variable, or None where it has none."""
        return next((name for namer in self._namers if (name := namer(variable)) is not None), None)

    def _refuse_if_frozen(self, what: str) -> None:
        if self._core is not None:
            raise InvalidInputError(
                f"FactorGraph.{what}: the graph is frozen, because it has been solved; build a new one to change it."
            )

    def freeze(self) -> _core.FactorGraph:
        """Connect variables and factors; nothing can be added from now on."""
        if self._core is None:
            groups = tuple(factor._group for factor in self._factors)
            self._core = _core.FactorGraph(self.num_states, groups, [factor.variables for factor in self._factors])
        return self._core

    # --- what it holds ----------------------------------------------------------------------------------------------

    @property
    def factors(self) -> tuple[Factor, ...]:
        """Groups of factors, in the order they were added."""
        return tuple(self._factors)

    @property
    def num_variables(self) -> int:
        """Number of variables."""
        return self._num_variables

    @property
    def num_factors(self) -> int:
        """Number of factors in all groups."""
        return sum(factor.num_factors for factor in self._factors)

    @property
    def num_states(self) -> NDArray[np.int32]:
        """Number of states of every variable, shape (num_variables,)."""
        if len(self._num_states) != 1:
            self._num_states = [np.concatenate([np.zeros(0, dtype=np.int32), *self._num_states])]
            self._num_states[0].setflags(write=False)
        return self._num_states[0]

    @property
    def coordinate_offsets(self) -> NDArray[np.int64]:
        """Variable v's scores are ``scores[offsets[v]:offsets[v + 1]]``: one if binary, else one a state."""
        if self._offsets is None or self._offsets.size != self._num_variables + 1:
            widths = np.where(self.num_states == 2, 1, self.num_states)
            self._offsets = np.concatenate([[0], np.cumsum(widths, dtype=np.int64)])
            self._offsets.setflags(write=False)
        return self._offsets

    @property
    def num_coordinates(self) -> int:
        """Number of scores that `solve` takes."""
        return int(self.coordinate_offsets[-1])

    @property
    def num_parts(self) -> int:
        """Number of the factors' own scores."""
        return sum(factor.scores.size for factor in self._factors)

    @property
    def part_scores(self) -> NDArray[np.float64]:
        """The factors' own scores, group after group, shape (num_parts,)."""
        return np.concatenate([np.zeros(0), *(factor.scores for factor in self._factors)])

    def coordinates(self, variables: Any) -> NDArray[np.int64]:
        """Positions of variables' scores in the graph-wide arrays; all states of a k-ary variable in a row."""
        indexes = np.ravel(np.asarray(variables))
        if indexes.size and indexes.dtype.kind not in "ui":
            raise InvalidInputError(f"FactorGraph.coordinates expects variables as integers; got {indexes.dtype}.")
        if indexes.size and (indexes.min() < 0 or indexes.max() >= self._num_variables):
            raise InvalidInputError(
                f"FactorGraph.coordinates expects variables from 0 to {self._num_variables - 1}; "
                f"got {int(indexes.min())} to {int(indexes.max())}."
            )
        offsets = self.coordinate_offsets
        return np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(offsets[v], offsets[v + 1]) for v in indexes)])

    # --- asking -----------------------------------------------------------------------------------------------------

    def solve(
        self,
        method: Method,
        scores: ArrayLike | None = None,
        *,
        part_scores: ArrayLike | None = None,
        evidence: Mapping[int, int] | None = None,
        forbidden: Mapping[int, Any] | None = None,
        warm_start: Any = None,
    ) -> Result:
        """Run inference.

        Parameters
        ----------
        method : `AD3`, `BeliefPropagation`, `LP`, …, with its options
        scores : array of shape (num_coordinates,), log-potentials of the variables' states: of being on for a binary
            one, of each state for others; all 0 if not given. −inf forbids.
        part_scores : array of shape (num_parts,), instead of those the factors were built with
        evidence : variable → the state it is known to have
        forbidden : variable → state or states it cannot have
        warm_start : an earlier result of the same method on this graph; `ILP` takes one of any method
        """
        _check_method(method)
        whole = getattr(method, "starts_from_results", False)
        state = warm_start if whole else getattr(warm_start, "state", warm_start)
        return method.solve(self.problem(scores, part_scores, evidence, forbidden), state)

    def problem(
        self,
        scores: ArrayLike | None = None,
        part_scores: ArrayLike | None = None,
        evidence: Mapping[int, int] | None = None,
        forbidden: Mapping[int, Any] | None = None,
    ) -> Problem:
        """Check scores and evidence and put them together; the parameters are those of `solve`."""
        unary = _checked("scores", scores, self.num_coordinates)
        parts = self.part_scores if part_scores is None else _checked("part_scores", part_scores, self.num_parts)
        offset = 0.0
        for name, given in (("evidence", evidence), ("forbidden", forbidden)):
            if given is not None and not isinstance(given, Mapping):
                raise InvalidInputError(
                    f"FactorGraph.problem expects {name} as a mapping from variables to states; "
                    f"got {type(given).__name__}."
                )
        for variable, state in (evidence or {}).items():
            offset += self._clamp(unary, variable, state)
        for variable, states in (forbidden or {}).items():
            for state in np.ravel(np.asarray(states)).tolist():
                offset += self._forbid(unary, variable, state)
        return Problem(self, unary, parts, offset)

    def _check_state(self, variable: int, state: int) -> tuple[int, int]:
        if not all(isinstance(number, (int, np.integer)) for number in (variable, state)):
            raise InvalidInputError(f"Evidence expects integers as variables and states; got {variable!r}: {state!r}.")
        if not 0 <= variable < self._num_variables:
            raise InvalidInputError(
                f"Evidence expects variables from 0 to {self._num_variables - 1}; got variable {variable}."
            )
        if not 0 <= state < self.num_states[variable]:
            raise InvalidInputError(
                f"Evidence expects a state from 0 to {self.num_states[variable] - 1} for variable {variable}; "
                f"got {state}."
            )
        return int(self.coordinate_offsets[variable]), int(self.num_states[variable])

    def _clamp(self, unary: NDArray[np.float64], variable: int, state: int) -> float:
        """Forbid all other states; returns what the forced state scores where its coordinate becomes +inf."""
        begin, k = self._check_state(variable, state)
        if k > 2:
            others = [begin + s for s in range(k) if s != state]
            unary[others] = -np.inf
            return 0.0
        return self._forbid(unary, variable, 1 - state)

    def _forbid(self, unary: NDArray[np.float64], variable: int, state: int) -> float:
        begin, k = self._check_state(variable, state)
        if k > 2:
            unary[begin + state] = -np.inf
            return 0.0
        old = unary[begin]
        if state == 1:
            contradiction = old == np.inf
            unary[begin] = np.nan if contradiction else -np.inf
        else:
            contradiction = old == -np.inf
            unary[begin] = np.nan if contradiction else np.inf
        if contradiction:
            raise InvalidInputError(
                f"Evidence forbids both states of variable {variable}: nothing is left for it. Remove one of the two."
            )
        return float(old) if state == 0 and np.isfinite(old) else 0.0


def _check_method(method: Any) -> None:
    if isinstance(method, type) or not callable(getattr(method, "solve", None)):
        got = f"the class {method.__name__}; write {method.__name__}()" if isinstance(method, type) else repr(method)
        raise InvalidInputError(
            "FactorGraph.solve expects an inference method as an object, such as AD3(), BeliefPropagation(), "
            f"Exact(), ILP(), LP(), Relax(), SparseMAP() or Subgradient() from ramify.inference; got {got}."
        )


def _checked(name: str, values: ArrayLike | None, size: int) -> NDArray[np.float64]:
    if values is None:
        return np.zeros(size)
    array = np.array(as_numbers(f"FactorGraph.solve expects {name}", values)).ravel()
    if array.size != size:
        raise InvalidInputError(f"FactorGraph.solve expects {size} {name}; got {array.size}.")
    bad = np.flatnonzero(np.isnan(array) | np.isposinf(array))
    if bad.size:
        raise InvalidInputError(
            f"FactorGraph.solve expects {name} below +inf and no NaN; got {array[bad[0]]} at position {int(bad[0])}."
        )
    return array
