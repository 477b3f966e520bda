"""Label n-grams, heads of consecutive words, and the sequences of modifiers that a head takes."""

from __future__ import annotations

from enum import Enum
from typing import Any, ClassVar

import numpy as np

from ramify._core import factors as _core
from ramify.errors import InvalidInputError
from ramify.factors.base import Factor, _Formulated, check_scores
from ramify.factors.slots import Slots
from ramify.factors.tables import _flat

__all__ = [
    "CompressionTree",
    "ConsecutiveSiblings",
    "GatedSiblings",
    "GrandSiblings",
    "GrandTriSiblings",
    "HeadBigram",
    "SecondOrderSequence",
    "Sequence",
    "SiblingFormulation",
    "TriSiblings",
]


def _scores(who: str, group: Any, scores: Any) -> Any:
    """Scores of all parts; None stands for zeros."""
    num_parts = int(group.part_offsets()[-1])
    if scores is None:
        return np.zeros(num_parts)
    return check_scores(_flat(scores), num_parts, f"{who} expects scores").copy()


class _Chain(Factor):
    """What chains of labels share."""

    _make: ClassVar[Any]  # (offsets, numbers of states) -> group

    def __init__(self, variables: Any, scores: Any) -> None:
        who = type(self).__name__
        slots = Slots.read(who, variables)
        group = self._make(slots.offsets, slots.num_states)
        super().__init__(group, slots, _scores(who, group, scores))


class Sequence(_Chain):
    """Scores of neighbouring states along a chain: one table per pair of neighbours (forward-backward).

    Parameters
    ----------
    variables : shape (n,), (factors, n) or list of arrays; any numbers of states
    scores : array with, for i = 1 ... n - 1, the table [state of i - 1, state of i]
        For equal numbers of states shape (n - 1, k, k), with leading (factors,); or a list of arrays.

    Notes
    -----
    O(n k**2). A first-order label model in the sense of Smith & Eisner (2008), section 5.3, is this factor alone.
    """

    _make = staticmethod(_core.make_sequence)


class SecondOrderSequence(_Chain):
    """Scores of three neighbouring states along a chain (TRIGRAM of Smith & Eisner 2008).

    Parameters
    ----------
    variables : shape (n,), (factors, n) or list of arrays; any numbers of states
    scores : flat array (or list of arrays)
        First the table of the first two variables, then for i = 2 ... n - 1 the table of i - 2, i - 1, i.

    Notes
    -----
    O(n k**3).
    """

    _make = staticmethod(_core.make_second_order_sequence)


class HeadBigram(Factor):
    """Scores of the heads of consecutive words; each word has exactly one head.

    Parameters
    ----------
    arcs : list with one integer array (or VariableArray) per word, in order: the arcs from its candidate heads
        One factor; a list of such lists makes several.
    scores : list of arrays, for words 2 ... n the table [head of the word before, head of the word]; or flat

    Notes
    -----
    O(n K**2) with K candidates. Martins, Almeida & Smith (2013), section 3, "sequential head bigram model".
    """

    def __init__(self, arcs: Any, scores: Any) -> None:
        try:
            factors = [list(arcs)] if np.ndim(arcs[0][0]) == 0 else [list(words) for words in arcs]
        except (IndexError, KeyError, TypeError) as error:
            raise InvalidInputError(f"HeadBigram expects a list with one array of arcs per word: {error}.") from None
        words = [Slots.read("HeadBigram", words, binary=True) for words in factors]
        lengths = np.concatenate([s.lengths for s in words])
        slots = Slots(
            np.concatenate([s.variables for s in words]),
            np.concatenate([s.num_states for s in words]),
            np.cumsum([0] + [s.variables.size for s in words], dtype=np.int64),
        )
        slots._check("HeadBigram", True, 1)
        word_offsets = np.cumsum([0] + [s.num_factors for s in words], dtype=np.int64)
        group = _core.make_head_bigram(word_offsets, lengths.astype(np.int32))
        own = {"num_heads": lengths, "word_offsets": word_offsets}
        super().__init__(group, slots, _scores("HeadBigram", group, scores), **own)

    @classmethod
    def _rebuild(cls, variables: Any, scores: Any, **own: Any) -> Factor:
        counts = np.split(own["num_heads"], own["word_offsets"][1:-1])
        if len(counts) != len(variables):
            raise InvalidInputError("HeadBigram expects words for every factor.")
        words = [_split(row, np.cumsum(c)[:-1]) for row, c in zip(variables, counts, strict=True)]
        return cls(words, scores)


class SiblingFormulation(Enum):
    """How `ConsecutiveSiblings.constraints` says which modifiers are neighbours."""

    AUTOMATON = "automaton"
    """A path through the automaton: the convex hull."""
    DYNAMIC = "dynamic"
    """Whether a modifier is between two others, from one place to the next: a relaxation (Martins, Smith & Xing 2009,
    section 3.3)."""


class ConsecutiveSiblings(_Formulated):
    """Scores of consecutive modifiers of one head on one side, with start and stop (CHILDSEQ).

    Parameters
    ----------
    arcs : shape (n,), (factors, n) or list of arrays: arcs of the head, in order away from it
    scores : array with the pairs (m, s), 0 <= m < s <= n + 1, in lexicographic order (or list of arrays)
        0 is the start, n + 1 the stop, j the j-th arc.

    Notes
    -----
    O(n**2). Smith & Eisner (2008), section 5.3; one factor there is two here, left and right.
    """

    formulations = SiblingFormulation

    def __init__(self, arcs: Any, scores: Any) -> None:
        slots = Slots.read("ConsecutiveSiblings", arcs, binary=True)
        group = _core.make_consecutive_siblings(slots.offsets)
        super().__init__(group, slots, _scores("ConsecutiveSiblings", group, scores))

    def _rows(self, factor: int, formulation: SiblingFormulation) -> Any:
        if formulation is SiblingFormulation.AUTOMATON:
            return self._group.constraints(factor)
        return _core.dynamic_sibling_constraints(int(self._slots.lengths[factor]))


class _GrandAutomaton(Factor):
    """What the automata that know the head's own head share."""

    _make: ClassVar[Any]  # (offsets, numbers of arcs into the head) -> group

    def __init__(self, incoming: Any, arcs: Any, scores: Any) -> None:
        name = type(self).__name__
        single = len(arcs) == 0 or np.ndim(arcs[0]) == 0
        pairs = [(incoming, arcs)] if single else list(zip(incoming, arcs, strict=True))
        rows = [(_indexes(name, g), _indexes(name, a)) for g, a in pairs]
        heads = Slots.read(name, [g for g, _ in rows], at_least=0)
        both = [np.concatenate(row) for row in rows]
        slots = Slots.read(name, both, binary=True)
        if np.any(slots.lengths == heads.lengths):
            raise InvalidInputError(f"{name} expects at least one arc of the head; got none.")
        group = self._make(slots.offsets, heads.lengths.astype(np.int32))
        super().__init__(group, slots, _scores(name, group, scores), num_incoming=heads.lengths)

    @classmethod
    def _rebuild(cls, variables: Any, scores: Any, **own: Any) -> Factor:
        rows = [np.asarray(row) for row in variables]
        heads = [row[:g] for row, g in zip(rows, own["num_incoming"], strict=True)]
        return cls(heads, [row[g:] for row, g in zip(rows, own["num_incoming"], strict=True)], scores)


class GrandSiblings(_GrandAutomaton):
    """Scores of consecutive modifiers of one head on one side, together with the head's own head.

    Parameters
    ----------
    incoming : arcs into the head, exactly one of which is on; shape (g,) or list of arrays
        Empty for the root, which has no head.
    arcs : arcs of the head, in order away from it; shape (n,) or list of arrays
    scores : array of shape (max(g, 1), (n + 2)(n + 1) / 2) (or list of arrays)
        For each incoming arc the pairs (m, s) as in `ConsecutiveSiblings`; scores of grandparents and of siblings
        alone are added into them.

    Notes
    -----
    O(g n**2). Martins, Almeida & Smith (2013), section 3.
    """

    _make = staticmethod(_core.make_grand_siblings)


class GrandTriSiblings(_GrandAutomaton):
    """Scores of three consecutive modifiers of one head on one side, together with the head's own head.

    Parameters
    ----------
    incoming, arcs : as those of `GrandSiblings`
    scores : array of shape (max(g, 1), 1 + (n + 2)(n + 1) n / 6) (or list of arrays)
        For each incoming arc first the score of no modifier at all, then the triples as in `TriSiblings`.

    Notes
    -----
    O(g n**3). One factor where Martins, Almeida & Smith (2013), section 3, have two that must agree: a tighter
    relaxation.
    """

    _make = staticmethod(_core.make_grand_tri_siblings)


class GatedSiblings(Factor):
    """Scores of consecutive modifiers of one head on one side that count only where one arc into the head is on.

    Parameters
    ----------
    variables : shape (1 + n,), (factors, 1 + n) or list of arrays
        The arc into the head, then the arcs of the head in order away from it.
    scores : array of shape ((n + 2)(n + 1) / 2,) (or list of arrays): pairs (m, s) as in `ConsecutiveSiblings`

    Notes
    -----
    O(n**2). One such factor per arc into the head scores what `GrandSiblings` scores, without repeating that exactly
    one of them is on: belief propagation would count that twice.
    """

    def __init__(self, variables: Any, scores: Any) -> None:
        slots = Slots.read("GatedSiblings", variables, binary=True)
        if np.any(slots.lengths < 2):
            raise InvalidInputError("GatedSiblings expects an arc into the head and at least one of it; got fewer.")
        group = _core.make_gated_siblings(slots.offsets)
        super().__init__(group, slots, _scores("GatedSiblings", group, scores))


class TriSiblings(Factor):
    """Scores of three consecutive modifiers of one head on one side, with start and stop.

    Parameters
    ----------
    arcs : shape (n,), (factors, n) or list of arrays: arcs of the head, in order away from it
    scores : array with the triples (l, m, s), 0 <= l < m < s <= n + 1, in lexicographic order (or list of arrays)
        0 is the start, n + 1 the stop. A head without modifiers scores 0.

    Notes
    -----
    O(n**3). Martins, Almeida & Smith (2013), section 3.
    """

    def __init__(self, arcs: Any, scores: Any) -> None:
        slots = Slots.read("TriSiblings", arcs, binary=True)
        group = _core.make_tri_siblings(slots.offsets)
        super().__init__(group, slots, _scores("TriSiblings", group, scores))


class CompressionTree(Factor):
    """A word stays only if its head stays; scores for cutting an arc whose head stays.

    Parameters
    ----------
    words : shape (n,), (factors, n) or list of arrays: on = the word stays
    heads : integers in the same shape: position of each word's head within the factor, -1 for the root
    scores : array with one number per word, added when the word goes but its head stays (or is the root)

    Notes
    -----
    O(n d) for trees of depth d. Almeida & Martins (2013), section 3.2, Eq. 8.
    """

    def __init__(self, words: Any, heads: Any, scores: Any) -> None:
        slots = Slots.read("CompressionTree", words, binary=True)
        ragged = isinstance(heads, (list, tuple)) and any(np.ndim(row) for row in heads)
        flat = np.concatenate([np.ravel(row) for row in heads]) if ragged else np.ravel(heads)
        if flat.size != slots.variables.size or flat.dtype.kind not in "ui":
            raise InvalidInputError(
                f"CompressionTree expects one integer head per word ({slots.variables.size}); got {flat.size} of "
                f"{flat.dtype}."
            )
        for begin, end in zip(slots.offsets[:-1], slots.offsets[1:], strict=True):
            _check_forest(flat[begin:end])
        group = _core.make_compression_tree(slots.offsets, flat.astype(np.int32))
        own = {"heads": flat.astype(np.int32)}
        super().__init__(group, slots, _scores("CompressionTree", group, scores), **own)

    @classmethod
    def _rebuild(cls, variables: Any, scores: Any, **own: Any) -> Factor:
        return cls(variables, own["heads"], scores)


def _indexes(who: str, row: Any) -> Any:
    array = np.asarray(row)
    if array.size and array.dtype.kind not in "ui":
        raise InvalidInputError(f"{who} expects variables as integer indexes; got {array.dtype}.")
    return np.atleast_1d(array).astype(np.int64)


def _split(row: Any, ends: Any) -> list[Any]:
    return np.split(np.asarray(row), ends)


def _check_forest(heads: Any) -> None:
    n = len(heads)
    if heads.min() < -1 or heads.max() >= n:
        raise InvalidInputError(f"CompressionTree expects heads from -1 to {n - 1}; got {heads.tolist()}.")
    at = np.arange(n)
    for _ in range(n):
        at = np.where(at >= 0, heads[at], -1)
    if np.any(at >= 0):
        raise InvalidInputError(f"CompressionTree expects heads without a cycle; got {heads.tolist()}.")
