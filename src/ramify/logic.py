"""First-order statements over named arrays of binary variables, turned into factors.

Predicates are arrays of variables, indexes run over ranges, and a formula with free indexes holds for all their values:

>>> from ramify import FactorGraph
>>> from ramify.logic import Index, Theory, exists_one
>>> g = FactorGraph()
>>> theory = Theory(g)
>>> h, m = Index("h", 0, 4), Index("m", 1, 4)
>>> arc = theory.predicate("arc", h, m, where=h != m)
>>> theory.add(exists_one(h, arc(h, m)))
>>> g
FactorGraph(9 variables, 3 factors)

Martins, Figueiredo, Aguiar, Smith & Xing (2011), section 4 and Table 1, write a whole parser in this way.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError
from ramify.factors import AtMostOne, ExactlyOne, Or, OrOut, XorOut

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ramify.factors import Factor
    from ramify.graph import FactorGraph

    Grid = dict["Index", NDArray[np.int64]]

__all__ = [
    "Condition",
    "Formula",
    "Index",
    "Literal",
    "Predicate",
    "Theory",
    "at_most_one",
    "exists",
    "exists_one",
    "forall",
]

FALSE, TRUE, ABSENT = -1, -2, -3  # cells that are no variable


class Condition:
    """Which combinations of indexes are meant: made by comparing indexes, combined with ``&``, ``|`` and ``~``."""

    def __init__(self, holds: Callable[[Grid], Any]) -> None:
        self._holds = holds

    def __call__(self, grid: Grid) -> Any:
        """Return a boolean array over the grid."""
        return self._holds(grid)

    def __and__(self, other: Condition) -> Condition:
        return Condition(lambda grid: self(grid) & other(grid))

    def __or__(self, other: Condition) -> Condition:
        return Condition(lambda grid: self(grid) | other(grid))

    def __invert__(self) -> Condition:
        return Condition(lambda grid: ~self(grid))


def _compared(compare: Callable[[Any, Any], Any]) -> Callable[[_Term, Any], Condition]:
    """Return a method that compares a term with another one, or with a number."""
    return lambda self, other: Condition(lambda grid: compare(self.values(grid), _values(other, grid)))


class _Term:
    """An index, or an index plus a number."""

    index: Index
    shift: int

    def values(self, grid: Grid) -> NDArray[np.int64]:
        return grid[self.index] + self.shift

    def __add__(self, shift: int) -> _Shifted:
        return _Shifted(self.index, self.shift + int(shift))

    def __sub__(self, shift: int) -> _Shifted:
        return self + (-int(shift))

    def __hash__(self) -> int:
        return id(self)

    __eq__ = _compared(operator.eq)  # type: ignore[assignment]
    __ne__ = _compared(operator.ne)  # type: ignore[assignment]
    __lt__ = _compared(operator.lt)
    __le__ = _compared(operator.le)
    __gt__ = _compared(operator.gt)
    __ge__ = _compared(operator.ge)


class Index(_Term):
    """A name that runs over the integers from start to stop - 1.

    Comparing indexes, or an index and a number, gives a `Condition`; adding a number gives a shifted index.

    Parameters
    ----------
    name : for messages
    start, stop : int
        First value, and the value after the last one.
    """

    def __init__(self, name: str, start: int, stop: int) -> None:
        if not stop > start:
            raise InvalidInputError(f"Index {name} expects start < stop; got {start} and {stop}.")
        self.name = name
        self.start = start
        self.stop = stop
        self.index = self
        self.shift = 0

    @property
    def size(self) -> int:
        """Number of values."""
        return self.stop - self.start

    def __repr__(self) -> str:
        return f"Index({self.name!r}, {self.start}, {self.stop})"


class _Shifted(_Term):
    def __init__(self, index: Index, shift: int) -> None:
        self.index = index
        self.shift = shift

    def __repr__(self) -> str:
        return f"{self.index.name} {'+' if self.shift >= 0 else '-'} {abs(self.shift)}"


def _values(term: Any, grid: Grid) -> Any:
    return term.values(grid) if isinstance(term, _Term) else int(term)


class Predicate:
    """A named array of binary variables; some cells can be true or false for good.

    Attributes
    ----------
    name : for messages
    indexes : what it was declared over
    cells : integer array, one cell per combination: a variable, or -1 for false, -2 for true
    """

    def __init__(self, name: str, indexes: tuple[Index, ...], cells: NDArray[np.int64]) -> None:
        self.name = name
        self.indexes = indexes
        self.cells = cells

    def __call__(self, *terms: Any) -> Literal:
        """Make a literal of it; terms are indexes, shifted indexes or numbers."""
        if len(terms) != len(self.indexes):
            raise InvalidInputError(f"Predicate {self.name} expects {len(self.indexes)} terms; got {len(terms)}.")
        for term in terms:
            if isinstance(term, bool) or not isinstance(term, (_Term, int, np.integer)):
                raise InvalidInputError(
                    f"Predicate {self.name} expects indexes, shifted indexes or integers; got {type(term).__name__}."
                )
        return Literal(self, terms, False)

    def __getitem__(self, values: Any) -> int:
        """Variable of one combination of index values; an error where the cell is true or false for good."""
        values = values if isinstance(values, tuple) else (values,)
        cell = int(self._lookup([np.asarray(v) for v in values]))
        if cell < 0:
            raise InvalidInputError(f"{self.name}{values} is no variable; it is {'true' if cell == TRUE else 'false'}.")
        return cell

    def __repr__(self) -> str:
        ranges = ", ".join(f"{i.name} from {i.start} to {i.stop - 1}" for i in self.indexes)
        return f"Predicate({self.name!r}, {ranges}; {self.variables.size} variables)"

    def name_of(self, variable: int) -> str | None:
        """Return the predicate and the values that make up a variable, such as ``arc(2,0)``; None for one of others.

        Parameters
        ----------
        variable : of the graph
        """
        found = np.argwhere(self.cells == variable)
        if not len(found):
            return None
        values = (index.start + int(position) for index, position in zip(self.indexes, found[0], strict=True))
        return f"{self.name}({','.join(map(str, values))})"

    @property
    def variables(self) -> NDArray[np.int64]:
        """All its variables in the order of the cells; shape (num_variables,)."""
        return self.cells[self.cells >= 0]

    def _lookup(self, values: list[Any]) -> NDArray[np.int64]:
        """Cells at these values; what lies outside the declared ranges is false."""
        inside = np.ones(np.broadcast_shapes(*(np.shape(v) for v in values)), dtype=bool)
        positions = []
        for value, index in zip(values, self.indexes, strict=True):
            position = value - index.start
            inside &= (position >= 0) & (position < index.size)
            positions.append(np.clip(position, 0, index.size - 1))
        return np.where(inside, self.cells[tuple(positions)], FALSE)


class Formula:
    """What `Theory.add` takes: literals joined by ``&``, ``|``, ``>>`` (implies) and quantifiers."""

    def __and__(self, other: Formula) -> Formula:
        return _join("and", self, other)

    def __or__(self, other: Formula) -> Formula:
        return _join("or", self, other)

    def __rshift__(self, conclusion: Formula) -> Formula:
        return ~self | conclusion

    def __invert__(self) -> Formula:
        raise InvalidInputError("Negation expects literals, conjunctions or disjunctions; negate inside instead.")


@dataclass(frozen=True, eq=False)
class Literal(Formula):
    """A predicate applied to terms, perhaps negated; `iff` defines it by a formula."""

    predicate: Predicate
    terms: tuple[Any, ...]
    negated: bool

    def __repr__(self) -> str:
        terms = ", ".join(term.name if isinstance(term, Index) else repr(term) for term in self.terms)
        return f"{'~' if self.negated else ''}{self.predicate.name}({terms})"

    def __invert__(self) -> Literal:
        return replace(self, negated=not self.negated)

    def iff(self, formula: Formula) -> Formula:
        """Define: the literal is true exactly if the formula is (AND-, OR- and XOR-with-output factors).

        Parameters
        ----------
        formula : a literal, conjunction, disjunction, `forall`, `exists` or `exists_one`
        """
        group = _as_group(formula)
        if group.kind == "at-most-one":
            raise InvalidInputError("A definition expects forall, exists or exists_one; at_most_one defines nothing.")
        return _Definition(self, group)


@dataclass(frozen=True, eq=False)
class _Member:
    """A literal under quantifiers of its own."""

    literal: Literal
    indexes: tuple[Index, ...] = ()
    where: Condition | None = None


@dataclass(frozen=True, eq=False)
class _Group(Formula):
    kind: str  # "and", "or", "exactly-one" or "at-most-one"
    members: tuple[_Member, ...]

    def __invert__(self) -> Formula:
        if self.kind not in ("and", "or"):
            return super().__invert__()
        members = tuple(replace(member, literal=~member.literal) for member in self.members)
        return _Group("or" if self.kind == "and" else "and", members)


@dataclass(frozen=True, eq=False)
class _Definition(Formula):
    output: Literal
    group: _Group


def _as_group(formula: Formula, kind: str = "and") -> _Group:
    if isinstance(formula, _Group):
        return formula
    if isinstance(formula, Literal):
        return _Group(kind, (_Member(formula),))
    raise InvalidInputError(f"Expected literals and quantifiers; got {type(formula).__name__}.")


def _join(kind: str, first: Formula, second: Formula) -> Formula:
    groups = [_as_group(f, kind) for f in (first, second)]
    groups = [replace(g, kind=kind) if len(g.members) == 1 and not g.members[0].indexes else g for g in groups]
    if any(g.kind != kind for g in groups):
        raise InvalidInputError(
            f"'{kind}' expects literals and {'forall' if kind == 'and' else 'exists'}; got '{groups[0].kind}' and "
            f"'{groups[1].kind}'. Define a predicate for the inner formula."
        )
    return _Group(kind, groups[0].members + groups[1].members)


def _quantify(kind: str, arguments: tuple[Any, ...], where: Condition | None) -> Formula:
    *indexes, body = arguments
    if not indexes or not all(isinstance(i, Index) for i in indexes) or not isinstance(body, Literal):
        raise InvalidInputError("A quantifier expects one or more indexes and then a literal.")
    return _Group(kind, (_Member(body, tuple(indexes), where),))


def exists(*arguments: Any, where: Condition | None = None) -> Formula:
    """At least one: ``exists(h, arc(h, m))``; indexes, then a literal, with a condition on the indexes."""
    return _quantify("or", arguments, where)


def exists_one(*arguments: Any, where: Condition | None = None) -> Formula:
    """Exactly one: ``exists_one(h, arc(h, m))``."""
    return _quantify("exactly-one", arguments, where)


def at_most_one(*arguments: Any, where: Condition | None = None) -> Formula:
    """At most one: ``at_most_one(m, subject(v, m))``."""
    return _quantify("at-most-one", arguments, where)


def forall(*arguments: Any, where: Condition | None = None) -> Formula:
    """All: ``forall(k, path(h, k), where=h < k)``; at the top of a formula, free indexes mean the same."""
    return _quantify("and", arguments, where)


class Theory:
    """Statements about a graph's variables; each becomes factors as soon as it is added.

    Parameters
    ----------
    graph : FactorGraph that is not frozen yet
    """

    def __init__(self, graph: FactorGraph) -> None:
        self.graph = graph

    def predicate(
        self,
        name: str,
        *indexes: Index,
        where: Condition | None = None,
        true: Condition | None = None,
        variables: Any = None,
    ) -> Predicate:
        """Declare a predicate with new variables, or over those that are there.

        Parameters
        ----------
        name : for messages
        indexes : what it ranges over
        where : Condition; false for good elsewhere
        true : Condition; true for good there
        variables : integer array of the shape of the indexes, -1 for false; new variables if not given
        """
        if not indexes or not all(isinstance(index, Index) for index in indexes):
            raise InvalidInputError(
                f"Predicate {name} expects at least one index, and nothing else; "
                f"got {[type(index).__name__ for index in indexes]}."
            )
        shape = tuple(index.size for index in indexes)
        grid = _grid(indexes)
        allowed = np.ones(shape, dtype=bool) if where is None else np.broadcast_to(where(grid), shape)
        fixed = np.zeros(shape, dtype=bool) if true is None else np.broadcast_to(true(grid), shape)
        cells = np.full(shape, FALSE, dtype=np.int64)
        free = allowed & ~fixed
        if variables is None:
            cells[free] = self.graph.add_variables(int(free.sum())).indexes
        else:
            given = np.asarray(variables)
            if given.shape != shape or given.dtype.kind not in "ui":
                raise InvalidInputError(
                    f"Predicate {name} expects integer variables of shape {shape}; got {given.shape}."
                )
            cells[free] = np.maximum(given[free], FALSE)
        cells[fixed] = TRUE
        predicate = Predicate(name, indexes, cells)
        self.graph.add_names(predicate.name_of)
        return predicate

    def add(self, formula: Formula, *, where: Condition | None = None) -> None:
        """State that a formula holds for all values of its free indexes.

        Parameters
        ----------
        formula : literals joined by ``&``, ``|`` and ``>>``, quantifiers, and definitions by `Literal.iff`
        where : Condition on the free indexes; nothing is said elsewhere
        """
        definition = formula if isinstance(formula, _Definition) else None
        group = _as_group(formula) if definition is None else definition.group
        free = _free_indexes(group, () if definition is None else definition.output.terms)
        outer = _Outer(free, where)
        cells, negated = outer.evaluate(group)
        if definition is None:
            _state(self.graph, group.kind, _Rows(cells, negated, outer))
            return
        output, flipped = outer.evaluate(_as_group(definition.output))
        _define(self.graph, group.kind, _Rows(cells, negated, outer), output[:, 0], flipped[:, 0])


def _free_indexes(group: _Group, terms: tuple[Any, ...]) -> tuple[Index, ...]:
    found: dict[int, Index] = {id(t.index): t.index for t in terms if isinstance(t, _Term)}
    for member in group.members:
        bound = {id(i) for i in member.indexes}
        for term in member.literal.terms:
            if isinstance(term, _Term) and id(term.index) not in bound:
                found[id(term.index)] = term.index
    return tuple(found.values())


def _grid(indexes: tuple[Index, ...]) -> Grid:
    axes = np.ix_(*(np.arange(i.start, i.stop) for i in indexes)) if indexes else ()
    return dict(zip(indexes, axes, strict=True))


class _Outer:
    """All combinations of the free indexes' values for which something is said."""

    def __init__(self, indexes: tuple[Index, ...], where: Condition | None) -> None:
        shape = tuple(index.size for index in indexes)
        grid = _grid(indexes)
        keep = np.ones(shape, dtype=bool) if where is None else np.broadcast_to(where(grid), shape)
        positions = np.nonzero(keep) if indexes else ()
        self.indexes = indexes
        self.values = {index: position + index.start for index, position in zip(indexes, positions, strict=True)}
        self.size = int(keep.sum())

    def name(self, row: int) -> str:
        """Return the values of one combination, for messages."""
        return ", ".join(f"{index.name} = {int(values[row])}" for index, values in self.values.items()) or "all"

    def evaluate(self, group: _Group) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Cells and negations of shape (size, literals)."""
        cells, negated = [], []
        for member in group.members:
            part = self._evaluate(member)
            cells.append(part)
            negated.append(np.full(part.shape, member.literal.negated))
        return np.concatenate(cells, axis=1), np.concatenate(negated, axis=1)

    def _evaluate(self, member: _Member) -> NDArray[np.int64]:
        inner = _grid(member.indexes)
        depth = len(member.indexes)
        grid = {index: values.reshape(-1, *[1] * depth) for index, values in self.values.items()}
        grid.update({index: values[None] for index, values in inner.items()})
        shape = (self.size, *(index.size for index in member.indexes))
        values = [np.asarray(_values(term, grid)) for term in member.literal.terms]
        cells = np.broadcast_to(member.literal.predicate._lookup(values), shape)
        if member.where is not None:
            cells = np.where(np.broadcast_to(member.where(grid), shape), cells, ABSENT)
        return cells.reshape(self.size, -1)


@dataclass(frozen=True)
class _Rows:
    """One row of literals for each combination of free indexes.

    Attributes
    ----------
    cells : integer array of shape (rows, literals)
    negated : boolean array of the same shape
    outer : to name a row
    """

    cells: NDArray[np.int64]
    negated: NDArray[np.bool_]
    outer: _Outer

    @property
    def is_variable(self) -> NDArray[np.bool_]:
        return self.cells >= 0

    @property
    def num_variables(self) -> Any:
        return self.is_variable.sum(axis=1)

    @property
    def num_true(self) -> Any:
        """Literals that are true for good, per row."""
        return (((self.cells == TRUE) & ~self.negated) | ((self.cells == FALSE) & self.negated)).sum(axis=1)

    @property
    def flipped(self) -> _Rows:
        return replace(self, negated=~self.negated)

    def refuse(self, wrong: Any, why: str) -> None:
        if np.any(wrong):
            raise InvalidInputError(f"A formula cannot hold for {self.outer.name(int(np.argmax(wrong)))}: {why}.")


def _emit(
    graph: FactorGraph, family: type[Factor], rows: _Rows, keep: Any, output: Any = None, flip: Any = None
) -> None:
    """Add one factor per kept row over its variables (and the output); rows of equal length are one group."""
    mask = rows.is_variable
    counts = np.where(keep, rows.num_variables, 0)
    order = np.argsort(~mask, axis=1, kind="stable")
    for count in np.unique(counts[counts > 0]):
        chosen = np.flatnonzero(counts == count)
        at = order[chosen, :count]
        variables = np.take_along_axis(rows.cells[chosen], at, axis=1)
        negated = np.take_along_axis(rows.negated[chosen], at, axis=1)
        if output is not None:
            variables = np.concatenate([variables, output[chosen, None]], axis=1)
            negated = np.concatenate([negated, flip[chosen, None]], axis=1)
        graph.add(family(variables, negated=negated if negated.any() else None))  # type: ignore[call-arg]


def _set_all(graph: FactorGraph, rows: _Rows, keep: Any) -> None:
    """Every variable's literal of the kept rows is true."""
    chosen = rows.is_variable & np.asarray(keep)[:, None]
    if chosen.any():
        graph.add(Or(rows.cells[chosen][:, None], negated=rows.negated[chosen][:, None]))


def _state(graph: FactorGraph, kind: str, rows: _Rows, keep: Any = True) -> None:
    keep = np.broadcast_to(keep, (len(rows.cells),))
    n, true = rows.num_variables, rows.num_true
    if kind == "and":
        rows.refuse(keep & (rows.flipped.num_true > 0), "a literal is false for good")
        _set_all(graph, rows, keep)
    elif kind == "or":
        rows.refuse(keep & (true == 0) & (n == 0), "no literal can be true")
        _emit(graph, Or, rows, keep & (true == 0))
    else:
        rows.refuse(keep & (true > 1), "two literals are true for good")
        _set_all(graph, rows.flipped, keep & (true == 1))
        if kind == "exactly-one":
            rows.refuse(keep & (true == 0) & (n == 0), "no literal can be true")
            _emit(graph, ExactlyOne, rows, keep & (true == 0))
        else:
            _emit(graph, AtMostOne, rows, keep & (true == 0) & (n > 1))


def _define(graph: FactorGraph, kind: str, rows: _Rows, output: NDArray[np.int64], flip: NDArray[np.bool_]) -> None:
    if kind == "and":  # De Morgan
        _define(graph, "or", rows.flipped, output, ~flip)
        return
    out = _Rows(output[:, None], flip[:, None], rows.outer)
    out_true, out_false, out_free = out.num_true > 0, out.flipped.num_true > 0, output >= 0
    n, true = rows.num_variables, rows.num_true
    if kind == "exactly-one":
        rows.refuse(true > 1, "two literals are true for good")
        _set_all(graph, rows.flipped, true == 1)
    _state(graph, "and", out, true > 0)
    _state(graph, "and", out.flipped, (true == 0) & (n == 0))
    open_rows = (true == 0) & (n > 0)
    _emit(graph, OrOut if kind == "or" else XorOut, rows, open_rows & out_free, output, flip)
    _state(graph, kind, rows, open_rows & out_true)
    _set_all(graph, rows.flipped, open_rows & out_false)
