"""What the engine computes of one table of scores per item, with NumPy arrays in and out.

A structure has a `size`, that of the padded items, and knows how its table is laid out. All functions take the table of
shape (batch, parts), and int32 lengths of shape (batch,).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from ramify import _core, trees
from ramify.errors import InvalidInputError
from ramify.factors import Sequence
from ramify.trees._inputs import LARGEST_SCORE

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]

__all__ = ["Chains", "ProjectiveTrees", "Structure", "Trees", "from_name", "max_marginals_vjp", "name_of"]

T = TypeVar("T")
_FORCED = 1024
"""Tables that are solved at once for the gradient of max-marginals."""


class Structure(Protocol):
    """What operators ask of a kind of structure."""

    def log_partition(self, table: Floats, lengths: Ints, threads: int) -> Floats:
        """Return log Z of each item, shape (batch,)."""

    def marginals(self, table: Floats, lengths: Ints, threads: int) -> tuple[Floats, Floats]:
        """Return log Z of each item and the probability of each part."""

    def products(self, table: Floats, direction: Floats, lengths: Ints, threads: int) -> Floats:
        """Return the Hessian of log Z times a direction."""

    def best(self, table: Floats, lengths: Ints, threads: int) -> Ints:
        """Return the best structure of each item: heads, or labels; −1 in the padding."""

    def max_marginals(self, table: Floats, lengths: Ints, threads: int) -> Floats:
        """Return the score of the best structure with each part; −inf where there is none."""

    def rivals(self, part: int) -> NDArray[np.int64]:
        """Return the parts that cannot be there beside one that can be asked for: the other heads of its modifier."""

    def indicators(self, structures: Ints, lengths: Ints) -> Floats:
        """Return a table with 1 for every part of one structure per item."""


def max_marginals_vjp(engine: Structure, table: Floats, grad: Floats, lengths: Ints, threads: int) -> Floats:
    """Return the gradient of the table: for each part, the best structure that is forced to have it."""
    items, parts = np.nonzero(grad)
    out = np.zeros_like(table)
    for begin in range(0, len(items), _FORCED):
        chosen, forced = items[begin : begin + _FORCED], parts[begin : begin + _FORCED]
        tables = table[chosen]
        for row, part in zip(tables, forced.tolist(), strict=True):
            row[engine.rivals(part)] = -np.inf
        found = engine.indicators(engine.best(tables, lengths[chosen], threads), lengths[chosen])
        np.add.at(out, chosen, found * grad[chosen, forced][:, None])
    return out


@dataclass(frozen=True)
class Trees:
    """Non-projective trees; the table holds the matrix of arcs."""

    size: int
    single_root: bool

    def _matrices(self, table: Floats) -> Floats:
        return table.reshape(-1, self.size, self.size)

    def _options(self, lengths: Ints, threads: int) -> dict[str, Any]:
        return {"single_root": self.single_root, "lengths": lengths, "num_threads": threads}

    def log_partition(self, table: Floats, lengths: Ints, threads: int) -> Floats:
        """See `Structure`."""
        return trees.log_partition(self._matrices(table), **self._options(lengths, threads))

    def marginals(self, table: Floats, lengths: Ints, threads: int) -> tuple[Floats, Floats]:
        """See `Structure`."""
        mu, log_z = trees.marginals(self._matrices(table), **self._options(lengths, threads))
        return log_z, mu.reshape(table.shape)

    def products(self, table: Floats, direction: Floats, lengths: Ints, threads: int) -> Floats:
        """See `Structure`."""
        matrices = self._matrices(table), self._matrices(direction)
        return trees.marginals_vjp(*matrices, **self._options(lengths, threads)).reshape(table.shape)

    def best(self, table: Floats, lengths: Ints, threads: int) -> Ints:
        """See `Structure`."""
        return trees.max_arborescence(self._matrices(table), **self._options(lengths, threads))[0]

    def max_marginals(self, table: Floats, lengths: Ints, threads: int) -> Floats:
        """See `Structure`."""
        return trees.max_marginals(self._matrices(table), **self._options(lengths, threads)).reshape(table.shape)

    def rivals(self, part: int) -> NDArray[np.int64]:
        """See `Structure`."""
        head, modifier = divmod(part, self.size)
        others = np.arange(self.size) * self.size + modifier
        return np.delete(others, head)

    def indicators(self, structures: Ints, lengths: Ints) -> Floats:
        """See `Structure`."""
        heads = np.arange(self.size)[:, None] == structures[:, None, :]
        return heads.astype(np.float64).reshape(len(structures), -1)

    def k_best(self, table: Floats, k: int, lengths: Ints, threads: int) -> list[Ints]:
        """Return the k best trees of each item, or as many as there are: heads of shape (k', n + 1)."""
        pairs = trees.k_best(self._matrices(table), k, single_root=self.single_root, lengths=lengths)
        return [heads for heads, _ in pairs]

    def sample(self, table: Floats, count: int, seed: int, lengths: Ints, threads: int) -> Ints:
        """Draw trees: heads of shape (batch, count, n + 1)."""
        return trees.sample(self._matrices(table), count, seed, **self._options(lengths, threads))


@dataclass(frozen=True)
class ProjectiveTrees:
    """Projective trees; the table is the one that the engine has for the order of the parts."""

    size: int
    single_root: bool
    order: str

    def _run(self, function: Callable[..., T], table: Floats, lengths: Ints, threads: int, *more: Any) -> T:
        if table.size and not table.max() <= LARGEST_SCORE:
            raise InvalidInputError(f"Projective trees expect scores of at most {LARGEST_SCORE:g} and not NaN.")
        order = _core.ProjectiveOrder[self.order]
        return function(order, table, lengths, self.size, self.single_root, threads, *more)

    def _require_trees(self, log_z: Floats) -> None:
        empty = np.flatnonzero(np.isneginf(log_z))
        if empty.size:
            raise InvalidInputError(f"item {empty[0]}: no projective tree exists. Allow more arcs.")

    def log_partition(self, table: Floats, lengths: Ints, threads: int) -> Floats:
        """See `Structure`."""
        return self._run(_core.projective_log_partition, table, lengths, threads)

    def marginals(self, table: Floats, lengths: Ints, threads: int) -> tuple[Floats, Floats]:
        """See `Structure`."""
        mu, log_z = self._run(_core.projective_marginals, table, lengths, threads)
        self._require_trees(log_z)
        return log_z, mu

    def products(self, table: Floats, direction: Floats, lengths: Ints, threads: int) -> Floats:
        """See `Structure`."""
        return self._run(_core.projective_marginals_vjp, table, lengths, threads, direction)

    def best(self, table: Floats, lengths: Ints, threads: int) -> Ints:
        """See `Structure`."""
        heads, values = self._run(_core.projective_best_trees, table, lengths, threads)
        self._require_trees(values)
        return heads

    def max_marginals(self, table: Floats, lengths: Ints, threads: int) -> Floats:
        """See `Structure`."""
        best_with, values = self._run(_core.projective_max_marginals, table, lengths, threads)
        self._require_trees(values)
        return best_with

    def rivals(self, part: int) -> NDArray[np.int64]:
        """See `Structure`; only of arcs."""
        return Trees(self.size, self.single_root).rivals(part)

    def indicators(self, structures: Ints, lengths: Ints) -> Floats:
        """See `Structure`; only of arcs."""
        return Trees(self.size, self.single_root).indicators(structures, lengths)

    def k_best(self, table: Floats, k: int, lengths: Ints, threads: int) -> list[Ints]:
        """Return the k best trees of each item, or as many as there are: heads of shape (k', n + 1)."""
        heads, values = self._run(_core.projective_k_best, table, lengths, threads, k)
        self._require_trees(values[:, 0])
        return [rows[value > -np.inf] for rows, value in zip(heads, values, strict=True)]

    def sample(self, table: Floats, count: int, seed: int, lengths: Ints, threads: int) -> Ints:
        """Draw trees: heads of shape (batch, count, n + 1)."""
        heads, log_z = self._run(_core.projective_sample, table, lengths, threads, seed, count)
        self._require_trees(log_z)
        return heads


@dataclass(frozen=True)
class Chains:
    """Chains of n = `size` words; the table holds scores of k labels, (n, k), then those of pairs, (n − 1, k, k)."""

    size: int
    labels: int

    def _split(self, table: Floats) -> tuple[Floats, Floats]:
        count, n, k = len(table), self.size, self.labels
        return table[:, : n * k].reshape(count, n, k), table[:, n * k :].reshape(count, n - 1, k, k)

    def _join(self, unary: Floats, pairs: Floats) -> Floats:
        count = len(unary)
        return np.concatenate([unary.reshape(count, -1), pairs.reshape(count, -1)], axis=1)

    def _spread(
        self, run: Callable[[_Flat], list[tuple[Any, ...]]], arrays: tuple[Floats, ...], lengths: Ints, threads: int
    ) -> list[tuple[Any, ...]]:
        """Run the batch in as many pieces as there are threads; the engine leaves the global lock."""
        count = max(1, min(threads, len(lengths)))
        cuts = np.array_split(np.arange(len(lengths)), count)
        pieces = [_Flat.make(self, tuple(a[cut] for a in arrays), lengths[cut]) for cut in cuts]
        if count == 1:
            return run(pieces[0])
        with ThreadPoolExecutor(count) as pool:
            return [item for found in pool.map(run, pieces) for item in found]

    def log_partition(self, table: Floats, lengths: Ints, threads: int) -> Floats:
        """See `Structure`."""
        return self.marginals(table, lengths, threads)[0]

    def marginals(self, table: Floats, lengths: Ints, threads: int) -> tuple[Floats, Floats]:
        """See `Structure`."""

        def run(flat: _Flat) -> list[tuple[Any, ...]]:
            sums = flat.factor.marginals(flat.arrays[0], flat.arrays[1])
            flat.require(sums.log_partition)
            return [(sums.log_partition, flat.unpack(sums.marginals, sums.part_marginals))]

        found = self._spread(run, self._split(table), lengths, threads)
        return np.concatenate([log_z for log_z, _ in found]), np.concatenate([mu for _, mu in found])

    def products(self, table: Floats, direction: Floats, lengths: Ints, threads: int) -> Floats:
        """See `Structure`."""

        def run(flat: _Flat) -> list[tuple[Any, ...]]:
            q, scores, grad_q, grad_scores = flat.arrays
            return [(flat.unpack(*flat.factor.marginals_vjp(q, grad_q, grad_scores, scores)),)]

        arrays = (*self._split(table), *self._split(direction))
        return np.concatenate([found for (found,) in self._spread(run, arrays, lengths, threads)])

    def best(self, table: Floats, lengths: Ints, threads: int) -> Ints:
        """See `Structure`."""

        def run(flat: _Flat) -> list[tuple[Any, ...]]:
            found = flat.factor.argmax(flat.arrays[0], flat.arrays[1])
            flat.require(found.value)
            labels = np.full(flat.words.shape, -1, np.int32)
            labels[flat.words] = found.states
            return [(labels,)]

        found = self._spread(run, self._split(table), lengths, threads)
        return np.concatenate([labels for (labels,) in found]).astype(np.int32)

    def max_marginals(self, table: Floats, lengths: Ints, threads: int) -> Floats:
        """See `Structure`; only of labels, pairs get −inf."""

        def run(flat: _Flat) -> list[tuple[Any, ...]]:
            best = flat.factor.max_marginals(flat.arrays[0], flat.arrays[1])
            values = np.full((*flat.words.shape, self.labels), -np.inf)
            values[flat.words] = best.reshape(-1, flat.width)[:, : self.labels]
            return [(values,)]

        unary, pairs = self._split(table)
        found = self._spread(run, (unary, pairs), lengths, threads)
        return self._join(np.concatenate([values for (values,) in found]), np.full_like(pairs, -np.inf))

    def rivals(self, part: int) -> NDArray[np.int64]:
        """See `Structure`; only of labels."""
        word, label = divmod(part, self.labels)
        return np.delete(np.arange(self.labels) + word * self.labels, label)

    def indicators(self, structures: Ints, lengths: Ints) -> Floats:
        """See `Structure`."""
        unary = (structures[:, :, None] == np.arange(self.labels)).astype(np.float64)
        return self._join(unary, unary[:, :-1, :, None] * unary[:, 1:, None, :])

    def k_best(self, table: Floats, k: int, lengths: Ints, threads: int) -> list[Ints]:
        """Return the k best labellings of each item, or as many as there are: shape (k', n)."""
        unary, pairs = self._split(table)
        return [_k_best_labels(u[:n], p[: n - 1], k, self.size) for u, p, n in zip(unary, pairs, lengths, strict=True)]

    def sample(self, table: Floats, count: int, seed: int, lengths: Ints, threads: int) -> Ints:
        """Draw labellings, word after word, each given the one before: shape (batch, count, n)."""
        _, marginals = self.marginals(table, lengths, threads)
        unary, pairs = self._split(marginals)
        random = np.random.default_rng(seed)
        labels = np.full((len(table), count, self.size), -1, np.int32)
        items = np.arange(len(table))[:, None]
        p = np.broadcast_to(unary[:, None, 0], (len(table), count, self.labels))
        for i in range(self.size):
            sums = np.cumsum(p, axis=-1)
            drawn = (sums <= random.random((len(table), count, 1)) * sums[..., -1:]).sum(-1)
            # Rounding must not choose a label of probability zero.
            drawn = np.minimum(drawn, self.labels - 1 - np.argmax(p[..., ::-1] > 0, axis=-1))
            labels[..., i] = np.where(i < lengths[:, None], drawn, -1)
            if i + 1 < self.size:
                p = pairs[items, i, drawn]
        return labels


def _k_best_labels(unary: Floats, pairs: Floats, k: int, size: int) -> Ints:
    """Viterbi with the k best prefixes for every label."""
    num_labels = unary.shape[1]
    values = np.full((num_labels, k), -np.inf)  # of the best prefixes that end in each label
    values[:, 0] = unary[0]
    back = []
    for scores, table in zip(unary[1:], pairs, strict=True):
        ways = (values[:, :, None] + table[:, None, :]).reshape(-1, num_labels).T  # [label, (label before, rank)]
        order = np.argsort(-ways, axis=1, kind="stable")[:, :k]
        order = np.pad(order, [(0, 0), (0, k - order.shape[1])])
        values = np.take_along_axis(ways, order, axis=1) + scores[:, None]
        values[:, ways.shape[1] :] = -np.inf
        back.append(order)
    ends = np.argsort(-values.reshape(-1), kind="stable")[:k]
    ends = ends[values.reshape(-1)[ends] > -np.inf]
    found = np.full((len(ends), size), -1, np.int32)
    for row, end in zip(found, ends.tolist(), strict=True):
        label, rank = divmod(end, k)
        row[len(unary) - 1] = label
        for i in range(len(unary) - 2, -1, -1):
            label, rank = divmod(int(back[i][label, rank]), k)
            row[i] = label
    return found


@dataclass(frozen=True)
class _Flat:
    """Chains without their padding, as the factor family takes them.

    Variables with two states have one coordinate, their log-odds; a third state that is never used avoids a special
    case.
    """

    structure: Chains
    factor: Sequence
    words: NDArray[np.bool_]
    arrays: tuple[Floats, ...]
    width: int

    @classmethod
    def make(cls, structure: Chains, tables: tuple[Floats, ...], lengths: Ints) -> _Flat:
        k = structure.labels
        width = max(k, 3)
        words = np.arange(structure.size) < lengths[:, None]
        arrays = []
        for i, table in enumerate(tables):
            unary = table.ndim == 3
            rows = np.ascontiguousarray(table[words] if unary else table[words[:, 1:]])
            if width > k:
                fill = -np.inf if unary and i < 2 else 0.0
                rows = np.pad(rows, [(0, 0)] + [(0, width - k)] * (rows.ndim - 1), constant_values=fill)
            arrays.append(rows.reshape(-1))
        ends = np.cumsum(lengths)
        factor = _sequence(tuple(np.split(np.arange(int(lengths.sum())), ends[:-1])), width, arrays[1])
        return cls(structure, factor, words, tuple(arrays), width)

    def unpack(self, marginals: Floats, part_marginals: Floats) -> Floats:
        k, width = self.structure.labels, self.width
        unary = np.zeros((*self.words.shape, k))
        unary[self.words] = marginals.reshape(-1, width)[:, :k]
        pairs = np.zeros((len(unary), max(self.structure.size - 1, 0), k, k))
        pairs[self.words[:, 1:]] = part_marginals.reshape(-1, width, width)[:, :k, :k]
        return self.structure._join(unary, pairs)

    def require(self, values: Floats) -> None:
        if not np.all(values > -np.inf):
            raise InvalidInputError(
                f"item {int(np.argmin(values > -np.inf))} of the chains: no labelling is possible. Allow more labels."
            )


def _sequence(words: tuple[Any, ...], width: int, scores: Floats) -> Sequence:
    from ramify.variables import VariableArray

    return Sequence([VariableArray(numbers, np.full(len(numbers), width)) for numbers in words], scores)


_KINDS = {"Trees": Trees, "ProjectiveTrees": ProjectiveTrees, "Chains": Chains}


def name_of(structure: Any) -> str:
    """Return a text that says which structure it is, since operators of PyTorch take no objects."""
    values = ",".join(str(value) for value in vars(structure).values())
    return f"{type(structure).__name__},{values}"


def from_name(name: str) -> Any:
    """Return the structure of a text."""
    kind, *values = name.split(",")
    read = {"True": True, "False": False}
    return _KINDS[kind](*(read.get(value, int(value) if value.isdecimal() else value) for value in values))
