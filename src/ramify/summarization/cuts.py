"""Which units of a sentence a summary may delete: those whose absence a reader does not notice.

A compressor learns from its training pairs which cuts are grammatical. The training data of a summarizer only show
which cuts help the content, so that more rules are needed: arguments that look like adjuncts are never cut, and
neither are conditions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify.compression.grammar import Word
    from ramify.compression.units import Units

__all__ = ["safe_units"]

_SAID = frozenset(
    [
        "say",
        "report",
        "announce",
        "tell",
        "note",
        "state",
        "argue",
        "claim",
        "observe",
        "show",
        "find",
        "demonstrate",
        "believe",
        "think",
    ]
)
_CONDITIONS = frozenset(["if", "unless", "whether", "although", "than", "as", "so"])
_DEGREES = frozenset(
    [
        "more",
        "most",
        "less",
        "least",
        "very",
        "too",
        "so",
        "as",
        "even",
        "only",
        "just",
        "about",
        "up",
        "down",
        "out",
        "not",
        "never",
        "well",
        "far",
    ]
)
_FREE = frozenset(["acl:relcl", "parataxis", "discourse", "vocative", "obl:tmod", "nmod:tmod"])


def safe_units(units: Units) -> Units:
    """Return the units of a sentence; those that should not be cut are joined to their heads.

    Parameters
    ----------
    units : of a sentence
    """
    words = units.words
    children: list[list[int]] = [[] for _ in words]
    for i, word in enumerate(words):
        if word.head >= 0:
            children[word.head].append(i)
    place = np.full(len(units), -1, np.int64)
    kept: list[int] = []
    for u, head in enumerate(units.heads.tolist()):
        if head < 0 or _can_go(words, int(units.tops[u]), children):
            place[u] = len(kept)
            kept.append(u)
        else:
            place[u] = place[head]
    if len(kept) == len(units):
        return units
    heads = np.array([-1 if units.heads[u] < 0 else place[units.heads[u]] for u in kept], np.int64)
    unit = np.append(place, -1)[units.unit]
    lengths = np.bincount(place, units.lengths, len(kept)).astype(np.int64)
    characters = np.bincount(place, units.characters, len(kept)).astype(np.int64)
    return replace(units, unit=unit, heads=heads, tops=units.tops[kept], lengths=lengths, characters=characters)


def _can_go(words: Sequence[Word], i: int, children: Sequence[Sequence[int]]) -> bool:
    word = words[i]
    label = word.label
    if label in _FREE:
        return True
    if label == "report":
        return word.lemma in _SAID
    relation = word.relation
    small = {words[k].lemma for k in children[i] if words[k].relation in ("case", "mark", "advmod")}
    if relation == "appos":
        return _is_set_off(words, i, children)
    if relation == "advcl":
        return not small & _CONDITIONS and _is_set_off(words, i, children)
    if relation == "obl":
        return _is_set_off(words, i, children) or (_has_complement(words, word.head, children) and i > word.head)
    if relation == "nmod":
        return not small & {"of", "between", "to", "than", "as"} and bool(small)
    if relation == "acl":
        return _is_set_off(words, i, children)
    if relation == "advmod":
        return word.lemma not in _DEGREES and (word.form.endswith("ly") or _is_set_off(words, i, children))
    if relation == "conj":
        head = words[word.head]
        around = {words[k].lemma for k in children[word.head]}
        return head.upos == word.upos and not around & {"both", "either", "neither", "between", "not"}
    return False


def _is_set_off(words: Sequence[Word], i: int, children: Sequence[Sequence[int]]) -> bool:
    """Tell whether punctuation, or an end of the sentence, stands on both sides of the subtree of a word."""
    inside = {i}
    stack = [i]
    while stack:
        for k in children[stack.pop()]:
            if k not in inside:
                inside.add(k)
                stack.append(k)
    solid = [k for k in inside if not words[k].is_punctuation]
    first, last = min(solid), max(solid)
    if any(k not in inside and not words[k].is_punctuation for k in range(first, last + 1)):
        return False
    before = first == 0 or words[first - 1].is_punctuation
    after = last == len(words) - 1 or words[last + 1].is_punctuation
    return before and after


def _has_complement(words: Sequence[Word], head: int, children: Sequence[Sequence[int]]) -> bool:
    return head >= 0 and any(words[k].relation in ("obj", "cop", "xcomp", "ccomp") for k in children[head])
