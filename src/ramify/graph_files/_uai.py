"""The UAI format: Markov and Bayesian networks as tables, with evidence and reference answers beside them."""

from __future__ import annotations

import codecs
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.atomic import replacing_file
from ramify.errors import InvalidInputError, ParseError
from ramify.factors import Table
from ramify.graph import FactorGraph

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

    from ramify.factors import Factor

__all__ = ["UAIModel", "read_uai", "read_uai_evidence", "read_uai_marginals", "read_uai_partition", "write_uai"]

_MAX_BYTES = 2**28
_MAX_LOG = 300.0  # exp of this is still a double that every reader understands


@dataclass(frozen=True)
class UAIModel:
    """A network as a factor graph.

    Attributes
    ----------
    graph : one `Table` group for each shape of table; tables of one variable are in the scores where they can be
    scores : array of shape (num_coordinates,)
    constant : what to add to values and log-partition functions
    kind : ``"MARKOV"`` or ``"BAYES"``
    num_states : integer array of shape (num_variables,), as in the file
        Where it is 1, the graph has a binary variable that is off.
    """

    graph: FactorGraph
    scores: NDArray[np.float64]
    constant: float
    kind: str
    num_states: NDArray[np.int64]


class _Tokens:
    """Words of a file, taken one after the other; lines are counted only where one has to be named."""

    def __init__(self, path: str | PathLike[str], max_bytes: int) -> None:
        self.file = str(path)
        size = Path(path).stat().st_size
        if size > max_bytes:
            raise ParseError(self.file, 0, "", f"at most {max_bytes} bytes (max_bytes)", f"{size}")
        self._text = Path(path).read_bytes().removeprefix(codecs.BOM_UTF8).decode("ascii", errors="replace")
        self._tokens = self._text.split()
        self._next = 0

    @property
    def num_left(self) -> int:
        return len(self._tokens) - self._next

    def word(self, what: str) -> str:
        if not self.num_left:
            raise self.error(what, "the end of the file", at=self._next)
        self._next += 1
        return self._tokens[self._next - 1]

    def integer(self, what: str, low: int, high: int) -> int:
        """Take a number from low to high, both included."""
        word = self.word(what)
        # Nothing but digits: int() would take signs, underscores and the digits of other scripts.
        if not word.isdecimal() or not word.isascii() or len(word) > 19 or not low <= int(word) <= high:
            raise self.error(f"{what} from {low} to {high}", repr(word[:40]), at=self._next - 1)
        return int(word)

    def numbers(self, count: int, what: str) -> NDArray[np.float64]:
        """Take finite numbers that are not negative."""
        if count > self.num_left:
            raise self.error(f"{count} {what}", f"only {self.num_left} more words", at=self._next)
        words = self._tokens[self._next : self._next + count]
        values = np.array([_number(word) for word in words])
        bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
        if bad.size:
            at = self._next + int(bad[0])
            raise self.error(f"{what}, finite and not negative", repr(self._tokens[at][:40]), at=at)
        self._next += count
        return values

    def finish(self, what: str) -> None:
        if self.num_left:
            raise self.error(f"the end of the file after {what}", repr(self._tokens[self._next][:40]), at=self._next)

    def error(self, expected: str, found: str, *, at: int | None = None) -> ParseError:
        position = self._next - 1 if at is None else at
        ends = np.cumsum([len(text.split()) for text in self._text.split("\n")])
        line = min(int(np.searchsorted(ends, position, side="right")) + 1, len(ends))
        return ParseError(self.file, line, f"word {position + 1} of the file", expected, found)


def _number(word: str) -> float:
    """Return NaN for what is no number."""
    try:
        return float(word)
    except ValueError:
        return float("nan")


def read_uai(path: str | PathLike[str], *, max_bytes: int = _MAX_BYTES) -> UAIModel:
    """Read a network; zeros in its tables become hard constraints (scores of minus infinity).

    Parameters
    ----------
    path : file in UAI format
    max_bytes : int
        Largest file to read; memory grows with the file, never with the numbers written in it.

    Raises
    ------
    ParseError : with line and position, if the file is not in this format
    """
    tokens = _Tokens(path, max_bytes)
    kind = tokens.word("MARKOV or BAYES")
    if kind not in ("MARKOV", "BAYES"):
        raise tokens.error("MARKOV or BAYES", repr(kind[:40]))
    num_variables = tokens.integer("the number of variables", 0, tokens.num_left)
    states = np.array([tokens.integer("a number of states", 1, 2**30) for _ in range(num_variables)], dtype=np.int64)
    num_tables = tokens.integer("the number of tables", 0, tokens.num_left)
    scopes = [_scope(tokens, num_variables) for _ in range(num_tables)]
    tables = [_table(tokens, [int(states[v]) for v in scope]) for scope in scopes]
    tokens.finish("the tables")
    return _build(kind, states, scopes, tables)


def _scope(tokens: _Tokens, num_variables: int) -> list[int]:
    arity = tokens.integer("the number of variables of a table", 0, min(num_variables, 64))
    scope = [tokens.integer("a variable", 0, num_variables - 1) for _ in range(arity)]
    if len(set(scope)) != arity:
        raise tokens.error("each variable once per table", f"{scope}")
    return scope


def _table(tokens: _Tokens, shape: list[int]) -> NDArray[np.float64]:
    size = 1
    for k in shape:
        size *= k
    count = tokens.integer("the size of a table", 1, 2**60)
    if count != size:
        raise tokens.error(f"a table of {size} numbers, by its variables' states", f"{count}")
    values = tokens.numbers(size, "table entries")
    with np.errstate(divide="ignore"):
        return np.log(values).reshape(shape)


def _build(
    kind: str, states: NDArray[np.int64], scopes: list[list[int]], tables: list[NDArray[np.float64]]
) -> UAIModel:
    graph = FactorGraph()
    x = graph.add_variables(states.size, np.maximum(states, 2))
    offsets = graph.coordinate_offsets
    scores = np.zeros(graph.num_coordinates)
    scores[offsets[:-1][states == 1]] = -np.inf
    constant = 0.0
    groups: dict[tuple[int, ...], list[tuple[list[int], NDArray[np.float64]]]] = defaultdict(list)
    for scope, table in zip(scopes, tables, strict=True):
        own = [v for v in scope if states[v] > 1]
        reduced = table.reshape([int(states[v]) for v in own])
        if not own:
            constant += float(reduced)
        elif len(own) == 1 and reduced.size > 2:
            scores[offsets[own[0]] : offsets[own[0] + 1]] += reduced
        elif len(own) == 1 and np.isfinite(reduced[0]):
            constant += float(reduced[0])
            scores[offsets[own[0]]] += reduced[1] - reduced[0]
        else:
            groups[reduced.shape].append((own, reduced))
    for members in groups.values():
        variables = x[np.array([own for own, _ in members])]
        graph.add(Table(variables, np.stack([table for _, table in members])))
    return UAIModel(graph, scores, constant, kind, states)


def read_uai_evidence(path: str | PathLike[str], model: UAIModel) -> dict[int, int]:
    """Read an ``.evid`` file: variable → the state it is known to have.

    Parameters
    ----------
    path : file with the number of observed variables, then variable and state of each
    model : the network it belongs to
    """
    tokens = _Tokens(path, _MAX_BYTES)
    if not tokens.num_left:
        return {}
    count = tokens.integer("the number of observed variables", 0, model.num_states.size)
    if count == 1 and tokens.num_left > 2:
        # An older form of the format begins with the number of samples.
        count = tokens.integer("the number of observed variables", 0, model.num_states.size)
    evidence: dict[int, int] = {}
    for _ in range(count):
        variable = tokens.integer("a variable", 0, model.num_states.size - 1)
        if variable in evidence:
            raise tokens.error("each variable once", f"{variable} again")
        evidence[variable] = tokens.integer("a state", 0, int(model.num_states[variable]) - 1)
    tokens.finish("the evidence")
    return evidence


def read_uai_partition(path: str | PathLike[str]) -> float:
    """Read a ``.PR`` file: the natural logarithm of the partition function (the file has it to base 10).

    Parameters
    ----------
    path : file with ``PR`` and a number
    """
    tokens = _Tokens(path, _MAX_BYTES)
    _expect(tokens, "PR")
    word = tokens.word("a logarithm")
    try:
        value = float(word)
    except ValueError:
        raise tokens.error("a logarithm", repr(word[:40])) from None
    tokens.finish("the logarithm")
    return value * float(np.log(10.0))


def read_uai_marginals(path: str | PathLike[str]) -> list[NDArray[np.float64]]:
    """Read a ``.MAR`` file: one array of probabilities per variable, one number per state.

    Parameters
    ----------
    path : file with ``MAR``, the number of variables, and for each its number of states and probabilities
    """
    tokens = _Tokens(path, _MAX_BYTES)
    _expect(tokens, "MAR")
    count = tokens.integer("the number of variables", 0, tokens.num_left)
    out = [
        tokens.numbers(tokens.integer("a number of states", 1, tokens.num_left), "probabilities") for _ in range(count)
    ]
    tokens.finish("the marginals")
    return out


def _expect(tokens: _Tokens, what: str) -> None:
    word = tokens.word(what)
    if word != what:
        raise tokens.error(what, repr(word[:40]))


def write_uai(
    path: str | PathLike[str], graph: FactorGraph, scores: ArrayLike | None = None, *, max_table: int = 2**20
) -> float:
    """Write a graph as a Markov network; factors of every family become tables.

    Parameters
    ----------
    path : file to write
    graph : with factors that can `score`
    scores : array of shape (num_coordinates,); all 0 if not given
    max_table : int
        Largest number of entries of a table; a factor with more joint states is refused.

    Returns
    -------
    float : natural logarithm of what the tables were divided by, so that no number overflows; 0 for usual scores
    """
    unary = graph.problem(scores).scores
    offsets = graph.coordinate_offsets
    scopes: list[list[int]] = []
    tables: list[NDArray[np.float64]] = []
    for variable, k in enumerate(graph.num_states):
        own = unary[offsets[variable] : offsets[variable + 1]]
        scopes.append([variable])
        tables.append(own if k > 2 else np.array([0.0, own[0]]))
    for factor in graph.factors:
        for scope, table in _tables(factor, max_table):
            scopes.append(scope)
            tables.append(table)
    lines = ["MARKOV", str(graph.num_variables), " ".join(map(str, graph.num_states)), str(len(scopes))]
    lines += [" ".join(map(str, [len(scope), *scope])) for scope in scopes]
    divided = 0.0
    for table in tables:
        shift = float(np.max(table)) if np.max(table) > _MAX_LOG else 0.0
        divided += shift
        potentials = np.exp(table - shift)
        lost = np.flatnonzero((potentials == 0) & np.isfinite(table))
        if lost.size:
            raise InvalidInputError(
                f"write_uai expects tables whose numbers are doubles; one has score {table[lost[0]]:g} beside "
                f"{float(np.max(table)):g}, which would become a forbidden 0. Save the graph with save_graph instead."
            )
        entries = " ".join(repr(float(value)) for value in potentials)
        lines += ["", str(table.size), entries]
    with replacing_file(path) as file:
        file.write(("\n".join(lines) + "\n").encode("ascii"))
    return divided


def _tables(factor: Factor, max_table: int) -> list[tuple[list[int], Any]]:
    """Scope and table of every factor of a group: all factors score their n-th joint state at once."""
    ends = factor._slots.offsets
    sizes = [float(np.prod(factor.num_states[a:b], dtype=np.float64)) for a, b in pairwise(ends)]
    if sizes and max(sizes) > max_table:
        raise InvalidInputError(
            f"write_uai expects factors of at most max_table={max_table} joint states; {type(factor).__name__} has "
            f"{max(sizes):.0f}. Save the graph with save_graph instead."
        )
    count = int(max(sizes, default=0))
    counts = np.array(sizes, dtype=np.int64)
    # The last slot of a factor varies fastest.
    strides = np.ones(factor.variables.size, dtype=np.int64)
    for a, b in pairwise(ends):
        strides[a:b] = np.cumprod(np.append(factor.num_states[a + 1 : b], 1)[::-1])[::-1]
    slot_counts = np.repeat(counts, np.diff(ends))
    values = np.empty((count, counts.size))
    for key in range(count):
        values[key] = factor.score((key % slot_counts) // strides % factor.num_states)
    return [(factor.variables[a:b].tolist(), values[: counts[f], f]) for f, (a, b) in enumerate(pairwise(ends))]
