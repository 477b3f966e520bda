"""Scores for every joint state of a few variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import factors as _core
from ramify.errors import InvalidInputError
from ramify.factors.base import Factor, check_scores
from ramify.factors.slots import Slots
from ramify.variables import VariableArray

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Pair", "Table", "Tag", "TagLink"]


def _flat(scores: Any) -> Any:
    if isinstance(scores, (list, tuple)) and any(np.ndim(row) for row in scores):
        return np.concatenate([np.ravel(row) for row in scores])
    return np.ravel(scores)


class Pair(Factor):
    """A score for two binary variables that are both on; thousands at once.

    Parameters
    ----------
    first, second : integer arrays or VariableArrays of shape (factors,), or single indexes
    scores : array of shape (factors,), or one number for all

    Notes
    -----
    A 2 x 2 table ``t`` equals ``Pair`` with score ``t[1, 1] - t[1, 0] - t[0, 1] + t[0, 0]`` up to scores of the single
    variables; where all four numbers shall be parts, use `Table`. Constant time: Martins et al. (2011), section 4.
    """

    def __init__(self, first: Any, second: Any, scores: ArrayLike) -> None:
        ends = [x if isinstance(x, VariableArray) else VariableArray(x) for x in (first, second)]
        if ends[0].shape != ends[1].shape or len(ends[0].shape) > 1:
            raise InvalidInputError(
                f"Pair expects two arrays of the same length; got shapes {ends[0].shape} and {ends[1].shape}."
            )
        both = VariableArray(
            np.stack([np.atleast_1d(x.indexes) for x in ends], axis=1),
            np.stack([np.atleast_1d(x.num_states) for x in ends], axis=1),
        )
        slots = Slots.read("Pair", both, binary=True, at_least=2)
        values = np.broadcast_to(scores, (slots.num_factors,)) if np.size(scores) == 1 else scores
        checked = check_scores(values, slots.num_factors, "Pair expects scores").copy()
        super().__init__(_core.make_pair(slots.num_factors), slots, checked)

    @classmethod
    def _rebuild(cls, variables: Any, scores: Any, **own: Any) -> Factor:
        return cls(variables[:, 0], variables[:, 1], scores)


class Table(Factor):
    """A score for every joint state of a few variables, of any number of states; -inf forbids one.

    Parameters
    ----------
    variables : shape (n,), (factors, n) or list of arrays
    scores : array with one number per joint state, the last variable varying fastest
        Shape (k_1, ..., k_n) for one factor, (factors, k_1, ..., k_n) for several, or a list of arrays.
    """

    def __init__(self, variables: Any, scores: Any) -> None:
        slots = Slots.read("Table", variables)
        group = _core.make_table("Table", slots.offsets, slots.num_states)
        num_parts = int(group.part_offsets()[-1])
        super().__init__(group, slots, check_scores(_flat(scores), num_parts, "Table expects scores").copy())


class Tag(Factor):
    """Scores of the states of single variables, such as a word's tags (TAG of Smith & Eisner 2008, section 3.4).

    Parameters
    ----------
    variables : VariableArray or integer array of shape (factors,)
    scores : array of shape (factors, k), or list of arrays of length k
    """

    def __init__(self, variables: Any, scores: Any) -> None:
        array = variables if isinstance(variables, VariableArray) else VariableArray(variables)
        slots = Slots.read("Tag", array[:, None] if len(array.shape) == 1 else array)
        group = _core.make_table("Tag", slots.offsets, slots.num_states)
        num_parts = int(group.part_offsets()[-1])
        super().__init__(group, slots, check_scores(_flat(scores), num_parts, "Tag expects scores").copy())

    @classmethod
    def _rebuild(cls, variables: Any, scores: Any, **own: Any) -> Factor:
        return cls(variables[:, 0], scores)


class TagLink(Factor):
    """Scores of (head's tag, modifier's tag) when an arc is on (TAGLINK of Smith & Eisner 2008, section 3.4).

    Parameters
    ----------
    arcs : binary variables, shape (factors,)
    head_tags, modifier_tags : VariableArrays of shape (factors,)
    scores : array of shape (factors, k_head, k_modifier), or list of arrays
    """

    def __init__(self, arcs: Any, head_tags: Any, modifier_tags: Any, scores: Any) -> None:
        ends = [x if isinstance(x, VariableArray) else VariableArray(x) for x in (arcs, head_tags, modifier_tags)]
        if len({x.shape for x in ends}) != 1 or len(ends[0].shape) > 1:
            raise InvalidInputError(
                f"TagLink expects three arrays of the same length; got shapes {[x.shape for x in ends]}."
            )
        if np.any(ends[0].num_states != 2):
            raise InvalidInputError("TagLink expects binary variables as arcs; got one with more states.")
        together = VariableArray(
            np.stack([np.atleast_1d(x.indexes) for x in ends], axis=1),
            np.stack([np.atleast_1d(x.num_states) for x in ends], axis=1),
        )
        slots = Slots.read("TagLink", together, at_least=3)
        group = _core.make_tag_link(slots.num_factors, slots.num_states)
        num_parts = int(group.part_offsets()[-1])
        super().__init__(group, slots, check_scores(_flat(scores), num_parts, "TagLink expects scores").copy())

    @classmethod
    def _rebuild(cls, variables: Any, scores: Any, **own: Any) -> Factor:
        return cls(variables[:, 0], variables[:, 1], variables[:, 2], scores)
