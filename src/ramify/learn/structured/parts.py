"""What a model learns from: a factor graph, and the features of its parts by template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.arrays import as_numbers
from ramify.errors import InvalidInputError
from ramify.factors import Factor, Sequence
from ramify.graph import FactorGraph
from ramify.inference.exact import _coordinates
from ramify.learn.structured.matrices import Matrix

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ramify.variables import VariableArray

__all__ = ["Block", "Parts"]


@dataclass(frozen=True)
class Block:
    """Rows of features of one template, and the parts that each row scores.

    Attributes
    ----------
    template : whose weights, an array of shape (number of columns, width), the rows are multiplied with
    slots : where the parts are among the coordinates and then the own parts of the graph, row after row; a slice where
        they follow each other, which takes no memory
    rows, width : there are so many rows of so many parts
    matrix : the features; a single row where all rows are the same
    """

    template: str
    slots: slice | NDArray[np.int64]
    rows: int
    width: int
    matrix: Matrix

    @property
    def num_sums(self) -> int:
        """Number of different scores."""
        return self.matrix.num_rows * self.width

    def spread(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return scores of all parts from the different ones; the row that stands for all is looked up once.

        Parameters
        ----------
        sums : shape (num_sums,)
        """
        return np.tile(sums, self.rows // self.matrix.num_rows)

    def gather(self, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return gradients of the different scores.

        Parameters
        ----------
        gradient : of all coordinates and parts of the graph
        """
        own = gradient[self.slots]
        return own if self.matrix.num_rows == self.rows else own.reshape(self.rows, self.width).sum(axis=0)


class Parts:
    """A factor graph whose scores are learned: every score is a sum of features times weights.

    Parts are states of variables and scores of factors. Those that one template scores share its weights, in this graph
    and in all others.

    Parameters
    ----------
    graph : its own scores of factors are kept: they are added to the learned ones, and −inf forbids
        Examples of the same shape may share one graph; nothing about it is computed twice then.

    Examples
    --------
    >>> graph = FactorGraph()
    >>> labels = graph.add_variables(4, num_states=3)
    >>> chain = graph.add(Sequence(labels, None))
    >>> Parts(graph).add("word", labels, np.ones((4, 5))).add("neighbours", chain)
    Parts(FactorGraph(4 variables, 1 factors), neighbours: 1 × 9, word: 5 × 3)
    """

    def __init__(self, graph: FactorGraph) -> None:
        if not isinstance(graph, FactorGraph):
            raise InvalidInputError(f"Parts expects a FactorGraph; got {type(graph).__name__}.")
        self.graph = graph
        self.blocks: list[Block] = []
        self._fixed: list[tuple[slice | NDArray[np.int64], NDArray[np.float64]]] = []

    def __repr__(self) -> str:
        shapes = [f"{name}: {d} × {k}" for name, (d, k) in sorted(self.shapes().items())]
        return f"Parts({', '.join([repr(self.graph), *shapes])})"

    # --- building ---------------------------------------------------------------------------------------------------

    def add(self, template: str, to: VariableArray | Factor | ArrayLike, features: Any = None) -> Parts:
        """Score parts by a template's weights, in addition to what else scores them; returns itself.

        Parameters
        ----------
        template : its name; the same name stands for the same weights everywhere
        to : variables of the graph, whose states are scored, or one of its factors, whose parts are
        features : matrix of numpy or scipy.sparse, shape (rows, d); one feature that is always 1 if not given
            One row for each variable, factor, or step of a `Sequence`: then every state, or every cell of the table,
            has d weights of its own. Or one row for each single state or cell: then all share the same d weights. Or
            one row for all: then nothing is shared, each state of each variable has d weights of its own.
        """
        if not isinstance(template, str) or not template.isprintable() or not template:
            raise InvalidInputError(f"Parts.add expects a template's name as text; got {template!r}.")
        slots, width = self._slots(to)
        if not slots.size:
            return self  # a sequence of one variable has no neighbours
        rows = slots.size // width
        matrix = Matrix.read(f"Parts.add({template!r}) expects features", features)
        if features is not None and matrix.num_rows in (slots.size, 1):
            rows, width = matrix.num_rows, slots.size // matrix.num_rows
        elif matrix.num_rows not in (rows, 1):
            raise InvalidInputError(
                f"Parts.add({template!r}) expects features with {rows} rows (one for each variable, factor or step), "
                f"{slots.size} (one for each of their states or cells) or 1 (for all together); got {matrix.num_rows}."
            )
        known = self.shapes().get(template)
        if known is not None and known != (matrix.num_columns, width):
            raise InvalidInputError(
                f"Parts.add expects template {template!r} to have {known[0]} features and {known[1]} weights of each, "
                f"as before; got {matrix.num_columns} and {width}."
            )
        self.blocks.append(Block(template, _compact(slots), rows, width, matrix))
        return self

    def add_scores(self, to: VariableArray | Factor | ArrayLike, scores: ArrayLike) -> Parts:
        """Add scores that are not learned; −inf forbids a state or a cell. Returns itself.

        Parameters
        ----------
        to : as in `add`
        scores : one number for each state (of a binary variable: for being on) or cell
        """
        slots, _ = self._slots(to)
        values = as_numbers("Parts.add_scores expects scores", scores).ravel()
        if values.size != slots.size or np.isnan(values).any() or np.isposinf(values).any():
            raise InvalidInputError(f"Parts.add_scores expects {slots.size} scores below +inf; got {values.size}.")
        self._fixed.append((_compact(slots), values))
        return self

    # --- reading ----------------------------------------------------------------------------------------------------

    def shapes(self) -> dict[str, tuple[int, int]]:
        """Return for each template the numbers of its features and of weights for each of them."""
        return {block.template: (block.matrix.num_columns, block.width) for block in self.blocks}

    def fixed_scores(self) -> NDArray[np.float64]:
        """Return what is not learned: scores of all coordinates and then of all parts of the graph."""
        out = np.concatenate([np.zeros(self.graph.num_coordinates), self.graph.part_scores])
        for slots, values in self._fixed:
            out[slots] += values
        return out

    # --- where parts are --------------------------------------------------------------------------------------------

    def _slots(self, to: Any) -> tuple[NDArray[np.int64], int]:
        """Positions of parts, and how many follow each other in a row of features; 1 where rows would differ."""
        if isinstance(to, Factor):
            return self._slots_of_factor(to)
        variables = np.ravel(np.asarray(to))
        if np.unique(variables).size != variables.size:
            raise InvalidInputError("Parts expects every variable once; one comes twice.")
        if variables.size and (variables.dtype.kind not in "ui" or variables.max() >= self.graph.num_variables):
            raise InvalidInputError("Parts expects variables of its graph, or one of its factors; got others.")
        variables = variables.astype(np.int64)
        return _coordinates(self.graph, variables), _even(np.diff(self.graph.coordinate_offsets)[variables])

    def _slots_of_factor(self, factor: Factor) -> tuple[NDArray[np.int64], int]:
        begin = self.graph.num_coordinates
        for own in self.graph.factors:
            if own is factor:
                break
            begin += own.scores.size
        else:
            raise InvalidInputError(f"Parts expects a factor of its graph; got another {type(factor).__name__}.")
        if not factor.scores.size and factor.variables.size > factor.num_factors:
            raise InvalidInputError(f"Parts expects a factor with scores; {type(factor).__name__} has none to learn.")
        states = factor.num_states
        if isinstance(factor, Sequence) and states.size and np.all(states == states[0]):
            width = int(states[0]) ** 2
        else:
            width = _even(np.diff(factor.part_offsets))
        return begin + np.arange(factor.scores.size), width


def _compact(slots: NDArray[np.int64]) -> slice | NDArray[np.int64]:
    begin = int(slots[0]) if slots.size else 0
    return slice(begin, begin + slots.size) if np.array_equal(slots, begin + np.arange(slots.size)) else slots


def _even(sizes: NDArray[Any]) -> int:
    return int(sizes[0]) if sizes.size and np.all(sizes == sizes[0]) else 1
