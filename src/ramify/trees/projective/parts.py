"""One number per part of a projective tree: scores on the way in, marginals on the way out.

The parts of a tree beyond its arcs describe neighbouring modifiers. On each side of a head ``h``, its modifiers going
outwards are c₁, c₂, …, cₖ. Then ``(h, s, m)`` is a sibling part for every two neighbours s = cᵢ, m = cᵢ₊₁, and the ends
have parts too: ``(h, h, c₁)`` says that c₁ is the first, ``(h, cₖ, h)`` that cₖ is the last. A side without modifiers
has no parts. Parts with a grandparent ``g``, the head of h, write ``g = 0`` where h = 0 is the root.

Entries that no tree can use (column 0 of the arcs, their diagonal, …) are ignored.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ramify import _core
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    Floats = NDArray[np.float64]

__all__ = ["ArcParts", "GrandSiblingParts", "GrandparentParts", "Parts", "SiblingParts", "TriSiblingParts"]

#: Largest dense table of parts that is built, in bytes.
MAX_TABLE_BYTES = 2**31


def _without_diagonal(table: Floats) -> Floats:
    """Return a copy of table (…, N, N) with zeros on the diagonal of its last two axes."""
    result = np.array(table)
    diagonal = np.arange(result.shape[-1])
    result[..., diagonal, diagonal] = 0.0
    return result


def _stops(table: Floats) -> Floats:
    """From table (batch, h, …, m) take the entries m = h: (batch, h, …)."""
    return np.moveaxis(np.diagonal(table, axis1=1, axis2=-1), -1, 1)


@dataclass(frozen=True, eq=False)
class Parts:
    """What all kinds of parts share. Every array may have a leading batch axis, all or none of them.

    Attributes
    ----------
    arc : (n+1, n+1), indexed [head, modifier]
    """

    arc: ArrayLike

    order: ClassVar[_core.ProjectiveOrder]
    axes: ClassVar[dict[str, int]] = {"arc": 2}
    num_tables: ClassVar[int] = 1

    def __post_init__(self) -> None:
        name = type(self).__name__
        self._check_memory(np.shape(self.arc))
        shape: tuple[int, ...] | None = None
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None:
                continue
            try:
                array = np.ascontiguousarray(value, dtype=np.float64)
            except (TypeError, ValueError) as error:
                raise InvalidInputError(f"{name} expects {field.name} as an array of numbers; {error}.") from None
            shape = self._check_shape(field.name, array, shape)
            object.__setattr__(self, field.name, array)

    def _check_memory(self, arc_shape: tuple[int, ...]) -> None:
        """Refuse what would fill the memory, before anything is copied."""
        size = arc_shape[-1] if arc_shape else 0
        batch = arc_shape[0] if len(arc_shape) == 3 else 1
        needed = 8 * batch * self.num_tables * size ** max(self.axes.values())
        if needed > MAX_TABLE_BYTES:
            raise InvalidInputError(
                f"{type(self).__name__} needs a dense table of {needed / 2**30:.1f} GiB for n = {size - 1}; the limit"
                f" is {MAX_TABLE_BYTES / 2**30:.0f} GiB. Split the batch, or use parts of lower order."
            )

    def _check_shape(self, field: str, array: Floats, arc_shape: tuple[int, ...] | None) -> tuple[int, ...]:
        name = type(self).__name__
        axes = self.axes[field]
        if arc_shape is None:
            if array.ndim not in (2, 3) or array.shape[-1] != array.shape[-2] or array.shape[-1] == 0:
                raise InvalidInputError(
                    f"{name} expects {field} of shape (n+1, n+1) or (batch, n+1, n+1), n >= 0; got {array.shape}."
                )
            arc_shape = array.shape
        expected = arc_shape[:-2] + arc_shape[-1:] * axes
        if array.shape != expected:
            raise InvalidInputError(f"{name} expects {field} of shape {expected}, to fit arc; got {array.shape}.")
        return arc_shape

    @property
    def batched(self) -> bool:
        """Whether the arrays have a leading batch axis."""
        return np.ndim(self.arc) == 3

    @property
    def size(self) -> int:
        """N + 1."""
        return int(np.shape(self.arc)[-1])

    def table(self) -> Floats:
        """Return the engine's table, (batch, parts), with what is of lower order folded in."""
        batch = self if self.batched else self._map(lambda a: a[None])
        return np.ascontiguousarray(batch._fold()).reshape(len(np.asarray(batch.arc)), -1)

    def unfold(self, table: Floats, add: Callable[..., Floats] = np.sum) -> Self:
        """Turn an engine table of marginals or max-marginals into parts like these; add sums or maximises an axis."""
        parts = self._unfold(table, self.size, add)
        return parts if self.batched else parts._map(lambda a: a[0])

    def _map(self, function: Callable[[Floats], Floats]) -> Self:
        values: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        mapped: dict[str, Any] = {k: None if v is None else function(v) for k, v in values.items()}
        return type(self)(**mapped)

    def _get(self, field: str) -> Floats:
        value = getattr(self, field)
        if value is not None:
            return np.asarray(value)
        shape = np.shape(self.arc)
        return np.zeros(shape[:-2] + shape[-1:] * self.axes[field])

    def _fold(self) -> Floats:
        raise AssertionError

    @classmethod
    def _unfold(cls, table: Floats, size: int, add: Callable[..., Floats]) -> Self:
        raise AssertionError

    def tree_parts(self, heads: NDArray[np.int32]) -> dict[str, list[tuple[int, ...]]]:
        """List the parts of the tree heads (n+1,), by field."""
        n = len(heads) - 1
        parts: dict[str, list[tuple[int, ...]]] = {field: [] for field in self.axes}
        for h in range(n + 1):
            g = max(int(heads[h]), 0) if h else 0
            modifiers = [m for m in range(1, n + 1) if heads[m] == h]
            for side in ([m for m in modifiers if m > h], [m for m in reversed(modifiers) if m < h]):
                if side:
                    self._list_side(parts, g, h, side)
        return parts

    def _list_side(self, parts: dict[str, list[tuple[int, ...]]], g: int, h: int, side: list[int]) -> None:
        parts["arc"] += [(h, m) for m in side]


class ArcParts(Parts):
    """Arcs alone: first order (Eisner 1996). Functions take the bare array as well."""

    order = _core.ProjectiveOrder.ARC

    def _fold(self) -> Floats:
        return np.asarray(self.arc)

    @classmethod
    def _unfold(cls, table: Floats, size: int, add: Callable[..., Floats]) -> Self:
        del add
        return cls(table.reshape(-1, size, size))


@dataclass(frozen=True, eq=False)
class SiblingParts(Parts):
    """Arcs and neighbouring siblings: second order (Eisner 1996; McDonald & Pereira 2006). O(n³).

    Attributes
    ----------
    arc : (n+1, n+1), indexed [head, modifier]
    sibling : (n+1, n+1, n+1), indexed [h, s, m]: m follows s, going outwards from h; s = h: m is the first;
        m = h: s is the last
    """

    sibling: ArrayLike

    order = _core.ProjectiveOrder.SIBLING
    axes: ClassVar[dict[str, int]] = {"arc": 2, "sibling": 3}

    def _fold(self) -> Floats:
        return self._get("sibling") + _without_diagonal(self._get("arc"))[:, :, None, :]

    @classmethod
    def _unfold(cls, table: Floats, size: int, add: Callable[..., Floats]) -> Self:
        sibling = table.reshape(-1, size, size, size)
        return cls(_clear_stops(add(sibling, axis=2), add), sibling)

    def _list_side(self, parts: dict[str, list[tuple[int, ...]]], g: int, h: int, side: list[int]) -> None:
        super()._list_side(parts, g, h, side)
        parts["sibling"] += [(h, s, m) for s, m in zip([h, *side], [*side, h], strict=True)]


@dataclass(frozen=True, eq=False)
class GrandparentParts(Parts):
    """Arcs and grandparents: second order (Koo & Collins 2010, model 0). O(n⁴).

    Attributes
    ----------
    arc : (n+1, n+1), indexed [head, modifier]
    grand : (n+1, n+1, n+1), indexed [g, h, m]: g is the head of h, h of m; [0, 0, m] for the modifiers of the root
    """

    grand: ArrayLike

    order = _core.ProjectiveOrder.GRAND
    axes: ClassVar[dict[str, int]] = {"arc": 2, "grand": 3}

    def _fold(self) -> Floats:
        return self._get("grand") + self._get("arc")[:, None, :, :]

    @classmethod
    def _unfold(cls, table: Floats, size: int, add: Callable[..., Floats]) -> Self:
        grand = table.reshape(-1, size, size, size)
        return cls(add(grand, axis=1), grand)

    def _list_side(self, parts: dict[str, list[tuple[int, ...]]], g: int, h: int, side: list[int]) -> None:
        super()._list_side(parts, g, h, side)
        parts["grand"] += [(g, h, m) for m in side]


@dataclass(frozen=True, eq=False)
class GrandSiblingParts(Parts):
    """Neighbouring siblings with their grandparent: third order (Koo & Collins 2010, model 1). O(n⁴).

    Attributes
    ----------
    arc : (n+1, n+1), indexed [head, modifier]
    grandsib : (n+1, n+1, n+1, n+1), indexed [g, h, s, m]: the sibling part (h, s, m), ends included, under g, the
        head of h
    sibling : (n+1, n+1, n+1) as in SiblingParts; None for zeros
    grand : (n+1, n+1, n+1) as in GrandparentParts; None for zeros
    """

    grandsib: ArrayLike
    sibling: ArrayLike | None = None
    grand: ArrayLike | None = None

    order = _core.ProjectiveOrder.GRAND_SIBLING
    axes: ClassVar[dict[str, int]] = {"arc": 2, "grandsib": 4, "sibling": 3, "grand": 3}

    def _fold(self) -> Floats:
        table = self._get("sibling") + _without_diagonal(self._get("arc"))[:, :, None, :]
        grand = _without_diagonal(self._get("grand"))
        return self._get("grandsib") + table[:, None] + grand[:, :, :, None, :]

    @classmethod
    def _unfold(cls, table: Floats, size: int, add: Callable[..., Floats]) -> Self:
        grandsib = table.reshape(-1, size, size, size, size)
        sibling = add(grandsib, axis=1)
        grand = _clear_stops(add(grandsib, axis=3), add)
        return cls(_clear_stops(add(sibling, axis=2), add), grandsib, sibling, grand)

    def _list_side(self, parts: dict[str, list[tuple[int, ...]]], g: int, h: int, side: list[int]) -> None:
        super()._list_side(parts, g, h, side)
        pairs = list(zip([h, *side], [*side, h], strict=True))
        parts["sibling"] += [(h, s, m) for s, m in pairs]
        parts["grandsib"] += [(g, h, s, m) for s, m in pairs]
        parts["grand"] += [(g, h, m) for m in side]


@dataclass(frozen=True, eq=False)
class TriSiblingParts(Parts):
    """Three neighbouring siblings, and grandparents of the outermost: third order (Koo & Collins 2010, model 2). O(n⁴).

    The dynamic program knows the grandparent only once it has seen the last modifier on a side: so here, unlike in
    GrandSiblingParts, ``grandsib`` and ``grand`` score the outermost modifier m of h on each side, and only it.

    Attributes
    ----------
    arc : (n+1, n+1), indexed [head, modifier]
    trisib : (n+1, n+1, n+1, n+1), indexed [h, t, s, m]: neighbours t, s, m, going outwards from h; t = s = h: m is the
        first; t = h: m is the second; m = h: s is the last (and t = h: the only one)
    grandsib : (n+1, n+1, n+1, n+1), indexed [g, h, s, m]: m is the last modifier of h on its side and s the one before
        (s = h: m is the only one); None for zeros
    sibling : (n+1, n+1, n+1) as in SiblingParts; None for zeros
    grand : (n+1, n+1, n+1), indexed [g, h, m], m the last modifier of h on its side; None for zeros
    """

    trisib: ArrayLike
    grandsib: ArrayLike | None = None
    sibling: ArrayLike | None = None
    grand: ArrayLike | None = None

    order = _core.ProjectiveOrder.TRI_SIBLING
    axes: ClassVar[dict[str, int]] = {"arc": 2, "trisib": 4, "grandsib": 4, "sibling": 3, "grand": 3}
    num_tables: ClassVar[int] = 2

    def _fold(self) -> Floats:
        trisib, sibling = self._get("trisib"), self._get("sibling")
        inner = trisib + (sibling + _without_diagonal(self._get("arc"))[:, :, None, :])[:, :, None]
        stops = _stops(trisib) + _stops(sibling)[:, :, None, :]
        last = self._get("grandsib") + self._get("grand")[:, :, :, None, :] + stops[:, None]
        return np.stack([inner, last], axis=1)

    @classmethod
    def _unfold(cls, table: Floats, size: int, add: Callable[..., Floats]) -> Self:
        tables = table.reshape(-1, 2, size, size, size, size)
        trisib, last = np.array(tables[:, 0]), tables[:, 1]
        sibling = add(trisib, axis=2)
        arc = add(sibling, axis=2)
        stops = add(last, axis=1)
        every = np.arange(size)
        # numpy puts the axis of an index pair that is split by slices first.
        trisib[:, every, :, :, every] = np.moveaxis(stops, 1, 0)
        sibling[:, every, :, every] = np.moveaxis(add(stops, axis=2), 1, 0)
        return cls(arc, trisib, last, sibling, add(last, axis=3))

    def _list_side(self, parts: dict[str, list[tuple[int, ...]]], g: int, h: int, side: list[int]) -> None:
        super()._list_side(parts, g, h, side)
        chain = [h, h, *side, h]
        parts["trisib"] += [(h, t, s, m) for t, s, m in zip(chain, chain[1:], chain[2:], strict=False)]
        parts["sibling"] += [(h, s, m) for s, m in zip([h, *side], [*side, h], strict=True)]
        parts["grandsib"].append((g, h, chain[-3], side[-1]))
        parts["grand"].append((g, h, side[-1]))


def _clear_stops(table: Floats, add: Callable[..., Floats]) -> Floats:
    """Empty the entries m = h, which came from last modifiers: 0 among sums, -inf among maxima."""
    diagonal = np.arange(table.shape[-1])
    table[..., diagonal, diagonal] = 0.0 if add is np.sum else -np.inf
    return table
