"""Trees over candidate arcs, and pairs of arcs that cross."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ramify._core import factors as _core
from ramify.arrays import as_int32
from ramify.errors import InvalidInputError
from ramify.factors.base import Factor, _Formulated, check_scores
from ramify.factors.slots import Slots

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ramify.factors.results import FactorConstraints

__all__ = ["NoCross", "ProjectiveTree", "Tree", "TreeFormulation"]


MOST_WORDS = 16383


class TreeFormulation(Enum):
    """How `Tree.constraints` says that the arcs form a tree (Martins, Smith & Xing 2009, section 3)."""

    MULTI_COMMODITY = "multi-commodity"
    """A unit of flow to every word: exact, words times arcs auxiliary variables."""
    SINGLE_COMMODITY = "single-commodity"
    """One flow that every word takes a unit of: a relaxation, one auxiliary variable per arc."""
    CUTS = "cuts"
    """One head per word, and rows against cycles added while solving: exact; for the methods `LP` and `ILP` only."""


class _Arcs(Factor):
    """Arcs, heads and modifiers as flat, checked arrays."""

    _make: ClassVar[Any]

    def __init__(
        self, arcs: Any, heads: ArrayLike, modifiers: ArrayLike, num_words: Any, *, single_root: bool = False
    ) -> None:
        who = type(self).__name__
        slots = Slots.read(who, arcs, binary=True)
        head = _per_slot(who, "heads", heads, slots)
        modifier = _per_slot(who, "modifiers", modifiers, slots)
        counts = slots.per_factor(who, "num_words", num_words)
        words = np.repeat(counts, slots.lengths)
        bad = (head < 0) | (head > words) | (modifier < 1) | (modifier > words) | (head == modifier)
        if counts.size and counts.max() > MOST_WORDS:
            raise InvalidInputError(
                f"{who} expects at most {MOST_WORDS} words, whose scores take two gigabytes; got {counts.max()}."
            )
        if bad.any():
            at = int(bad.argmax())
            raise InvalidInputError(
                f"{who} expects arcs from heads 0 to num_words to other words 1 to num_words; got "
                f"({head[at]}, {modifier[at]}) with {words[at]} words."
            )
        factor = np.repeat(np.arange(slots.num_factors), slots.lengths)
        keys = np.stack([factor, head, modifier])
        if np.unique(keys, axis=1).shape[1] != keys.shape[1]:
            raise InvalidInputError(f"{who} expects each arc once per factor; some (head, modifier) comes twice.")
        group = type(self)._make(slots.offsets, head, modifier, counts, bool(single_root))
        own = {"single_root": bool(single_root), "heads": head, "modifiers": modifier, "num_words": counts}
        super().__init__(group, slots, np.zeros(0), **own)

    @classmethod
    def _adopted(cls, arguments: dict[str, NDArray[np.int32]], slots: Slots) -> dict[str, Any]:
        return {"single_root": bool(arguments.pop("single_root")[0])} | arguments

    @classmethod
    def _rebuild(cls, variables: Any, scores: Any, **own: Any) -> Factor:
        return cls(variables, own["heads"], own["modifiers"], own["num_words"], single_root=bool(own["single_root"]))

    def arcs(self, factor: int = 0) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
        """Heads and modifiers of one factor's arcs, each of shape (num_arcs,), and its number of words.

        Parameters
        ----------
        factor : index within the group
        """
        factor = self._index(factor)
        begin, end = self._slots.offsets[factor : factor + 2]
        own = self._own_arguments
        return own["heads"][begin:end], own["modifiers"][begin:end], int(own["num_words"][factor])

    @property
    def single_root(self) -> bool:
        """Whether exactly one word hangs from the root."""
        return bool(self._own_arguments["single_root"])


class Tree(_Arcs, _Formulated):
    """The arcs that are on form an arborescence: one head per word, no cycle, root 0.

    Parameters
    ----------
    arcs : binary variables, shape (a,), (factors, a) or list of arrays: the candidate arcs
    heads, modifiers : integers in the same shape; words are 1 ... num_words, 0 is the root
    num_words : int or integer array of shape (factors,)
    single_root : bool
        Exactly one word hangs from the root.

    Notes
    -----
    Marginals by the matrix-tree theorem and all max-marginals in O(n**3), argmax in O(n**2). Smith & Eisner (2008),
    section 5.3.
    """

    _make = staticmethod(_core.make_tree)

    formulations = TreeFormulation

    def constraints(self, factor: int = 0, formulation: Enum | str | None = None) -> FactorConstraints:
        """Rows of one factor's polytope, as `Factor.constraints` gives them."""
        if formulation in (TreeFormulation.CUTS, TreeFormulation.CUTS.value):
            raise InvalidInputError(
                "Tree.constraints expects a formulation with all its rows; cuts are found while LP or ILP solve."
            )
        return super().constraints(factor, formulation)

    def _rows(self, factor: int, formulation: TreeFormulation) -> Any:
        if formulation is TreeFormulation.MULTI_COMMODITY:
            return self._group.constraints(factor)
        make = {
            TreeFormulation.SINGLE_COMMODITY: _core.single_commodity_constraints,
            TreeFormulation.CUTS: _core.one_head_constraints,
        }
        return make[formulation](*self.arcs(factor), self.single_root)


class ProjectiveTree(_Arcs):
    """The arcs that are on form an arborescence without crossing arcs (Eisner's algorithms).

    Parameters
    ----------
    arcs, heads, modifiers, num_words, single_root : as those of `Tree`

    Notes
    -----
    O(n**3). PTREE of Smith & Eisner (2008), section 5.3.
    """

    _make = staticmethod(_core.make_projective_tree)


class NoCross(Factor):
    """A score for two words whose arcs from their heads cross; each word has exactly one head.

    Parameters
    ----------
    first_arcs, second_arcs : arcs into the two words, shape (a,) or list of arrays
    first_heads, second_heads : integers in the same shapes
    first_word, second_word : ints, or arrays of shape (factors,)
    scores : float or array of shape (factors,), added when the two arcs cross

    Notes
    -----
    O(a log a) by partial sums. NOCROSS of Smith & Eisner (2008), sections 3.4 and 5.3.
    """

    def __init__(
        self,
        first_arcs: Any,
        first_heads: Any,
        first_word: Any,
        second_arcs: Any,
        second_heads: Any,
        second_word: Any,
        scores: ArrayLike,
    ) -> None:
        first = Slots.read("NoCross", first_arcs, binary=True)
        second = Slots.read("NoCross", second_arcs, binary=True)
        if first.num_factors != second.num_factors:
            raise InvalidInputError(
                f"NoCross expects as many first as second words; got {first.num_factors} and {second.num_factors}."
            )
        heads = [_per_slot("NoCross", "heads", h, s) for h, s in ((first_heads, first), (second_heads, second))]
        slots = Slots.read("NoCross", _zip(first.variables, first, second.variables, second), binary=True)
        both_heads = np.concatenate(_zip(heads[0], first, heads[1], second))
        words = [first.per_factor("NoCross", "words", w) for w in (first_word, second_word)]
        if np.any(words[0] == words[1]):
            raise InvalidInputError("NoCross expects two different words; got the same one twice.")
        group = _core.make_no_cross(slots.offsets, both_heads, words[0], words[1], first.lengths.astype(np.int32))
        values = np.broadcast_to(scores, (slots.num_factors,)) if np.size(scores) == 1 else scores
        checked = check_scores(values, slots.num_factors, "NoCross expects scores").copy()
        own = {"heads": both_heads, "first_word": words[0], "second_word": words[1], "num_first": first.lengths}
        super().__init__(group, slots, checked, **own)

    @classmethod
    def _rebuild(cls, variables: Any, scores: Any, **own: Any) -> Factor:
        rows = [np.asarray(row) for row in variables]
        heads = np.split(own["heads"], np.cumsum([row.size for row in rows])[:-1])
        cut = [(row[:k], h[:k], row[k:], h[k:]) for row, h, k in zip(rows, heads, own["num_first"], strict=True)]
        first, first_heads, second, second_heads = (list(column) for column in zip(*cut, strict=True))
        return cls(first, first_heads, own["first_word"], second, second_heads, own["second_word"], scores)


def _per_slot(who: str, name: str, values: Any, slots: Slots) -> NDArray[np.int32]:
    ragged = isinstance(values, (list, tuple)) and any(np.ndim(row) for row in values)
    flat = np.concatenate([np.ravel(row) for row in values]) if ragged else np.ravel(values)
    if flat.size and flat.dtype.kind not in "ui":
        raise InvalidInputError(f"{who} expects {name} as integers; got {flat.dtype}.")
    if slots.num_factors > 1 and flat.size * slots.num_factors == slots.variables.size:
        flat = np.tile(flat, slots.num_factors)
    if flat.size != slots.variables.size:
        raise InvalidInputError(
            f"{who} expects {name} in the shape of the arcs ({slots.variables.size}); got {flat.size}."
        )
    return as_int32(f"{who} expects {name}", flat)


def _zip(first: NDArray[Any], first_slots: Slots, second: NDArray[Any], second_slots: Slots) -> list[NDArray[Any]]:
    """Factor by factor, the first stretch and then the second."""
    parts = [np.split(x, s.offsets[1:-1]) for x, s in ((first, first_slots), (second, second_slots))]
    return [np.concatenate(pair) for pair in zip(*parts, strict=True)]
