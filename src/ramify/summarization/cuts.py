"""Which units of a sentence a summary may delete: those whose absence a reader does not notice.

A compressor learns from its training pairs which cuts are grammatical. The training data of a summarizer only show
which cuts help the content, so that more rules are needed: arguments that look like adjuncts are never cut, and
neither are conditions. A sentence whose tree looks wrong is not cut at all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ramify.summarization.surroundings import INDIRECT, SUBJECTS, Surroundings, is_year

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
        "namely",
    ]
)
_FREE = frozenset(["discourse", "vocative", "obl:tmod", "nmod:tmod"])


_PAIRED = frozenset(["both", "either", "neither", "between"])
_COMPARED = ("er", "better", "worse", "more", "less")
_TAKEN = frozenset(["account", "consideration", "advantage", "part", "place"])  # with a verb that they belong to
_RELATIVES = frozenset(["who", "whom", "whose", "which", "that", "where", "when", "why", "what"])
_NOMINAL = frozenset(["obl", "nmod", "appos"])
_NEED_CLAUSE = frozenset(
    ["one", "ones", "those", "that", "anyone", "everyone", "anything", "everything", "something", "what"]
)
_NEAR = 8  # words behind names in which the year of a citation stands


def safe_units(units: Units) -> Units:
    """Return the units of a sentence; those that should not be cut are joined to their heads.

    Parameters
    ----------
    units : of a sentence
    """
    around = Surroundings(units.words)
    if len(units) == 1 or not around.is_sound(int(units.tops[0])):
        return _joined(units, [0])
    kept = [
        u for u, head in enumerate(units.heads.tolist()) if head < 0 or _can_go(int(units.tops[u]), around)
    ]  # fmt: skip
    return units if len(kept) == len(units) else _joined(units, kept)


def _joined(units: Units, kept: Sequence[int]) -> Units:
    number = {u: k for k, u in enumerate(kept)}
    place = np.zeros(len(units), np.int64)
    for u, head in enumerate(units.heads.tolist()):
        place[u] = number[u] if u in number else place[head]
    heads = np.array([-1 if units.heads[u] < 0 else place[units.heads[u]] for u in kept], np.int64)
    unit = np.append(place, -1)[units.unit]
    lengths = np.bincount(place, units.lengths, len(kept)).astype(np.int64)
    characters = np.bincount(place, units.characters, len(kept)).astype(np.int64)
    tops = units.tops[np.array(kept, np.int64)]
    return replace(units, unit=unit, heads=heads, tops=tops, lengths=lengths, characters=characters)


_MODIFIERS = frozenset(["case", "mark", "advmod"])
_OBJECTS = frozenset(["obj", "ccomp", "xcomp"])
_COMPLEMENTS = _OBJECTS | {"cop"}


def _can_go(i: int, around: Surroundings) -> bool:
    words = around.words
    word = words[i]
    inside = around.below(i)
    if around.splits(inside) or around.tears(i, inside):
        return False
    if word.label == "acl:relcl":
        return _is_relative(i, inside, around)
    if word.label in _FREE:
        return True
    if word.label == "report":
        ends_at_verb = max(inside) == i or words[max(inside)].lemma == "that" or words[max(inside)].is_punctuation
        return ends_at_verb and word.lemma in _SAID and not around.lemmas(word.head, _MODIFIERS) & INDIRECT
    relation = word.relation
    if relation in _NOMINAL and (around.has(i, SUBJECTS | {"cop"})):
        return False
    small = around.lemmas(i, _MODIFIERS)
    is_set_off = _is_set_off(words, inside)
    if relation in ("appos", "acl", "parataxis"):
        return is_set_off
    if relation == "advcl":
        return not small & _CONDITIONS and is_set_off
    above = words[word.head]
    is_narrow = above.label == "acl" and min(inside) == word.head + 1  # "models based on words"
    if relation == "obl":
        is_argument = word.lemma in _TAKEN | _RELATIVES or "by" in small or around.is_subject(i)
        is_argument |= is_narrow
        behind_object = around.has(word.head, _COMPLEMENTS) and i > word.head
        return not is_argument and (is_set_off or behind_object)
    if relation == "nmod":
        is_predicate = around.has(i, frozenset(["cop"]))
        return (
            not small & {"of", "between", "to", "than", "as"}
            and bool(small)
            and not (is_predicate or is_narrow or above.lemma in _NEED_CLAUSE)
        )
    if relation == "advmod":
        return word.lemma not in _DEGREES and (word.form.endswith("ly") or is_set_off)
    return relation == "conj" and _is_free_member(i, inside, around)


def _is_relative(i: int, inside: set[int], around: Surroundings) -> bool:
    """Tell whether a clause is surely relative: before the verb of the sentence only with a relative pronoun."""
    words = around.words
    if not around.ends_at_mark(inside) or words[words[i].head].lemma in _NEED_CLAUSE:
        return False
    root = next((k for k, word in enumerate(words) if word.head < 0), -1)
    return i > root or any(words[k].lemma in _RELATIVES for k in inside if k <= i)


def _is_free_member(i: int, inside: set[int], around: Surroundings) -> bool:
    """Tell whether a member of a coordination can go without a trace."""
    words = around.words
    word, head = words[i], words[words[i].head]
    first, last = min(inside), max(inside)
    if not around.ends_at_mark(inside):
        return False
    if any(word.lemma == "respectively" for word in words):
        return False
    if head.upos != word.upos or around.lemmas(word.head, frozenset(["advmod", "cc", "det"])) & {"not", *_PAIRED}:
        return False
    if any(words[k].lemma in _PAIRED for k in range(first)):
        return False
    has_mark = words[first].relation == "cc" or words[first].is_punctuation
    if not has_mark and not (first > 0 and (words[first - 1].is_punctuation or words[first - 1].relation == "cc")):
        return False  # perhaps an object
    if around.has(i, SUBJECTS) and not around.has(word.head, SUBJECTS):
        return False
    if word.upos == "VERB":  # an object may be that of both
        return around.has(i, SUBJECTS) or around.has(word.head, _OBJECTS) or not around.has(i, _OBJECTS)
    if word.upos in ("ADJ", "ADV"):
        return not word.form.lower().endswith(_COMPARED)
    if word.upos == "PROPN" and any(is_year(words[k].form) for k in range(i, min(last + _NEAR, len(words)))):
        return False
    if around.has(i, frozenset(["compound"])) and word.form.endswith("s") and not head.form.endswith("s"):
        return False  # "measure and weight functions"
    members = sum(words[k].relation == "conj" for k in around.children[word.head])
    return not (members == 1 and any(words[k].form == "," for k in range(word.head + 1, i)))


def _is_set_off(words: Sequence[Word], inside: set[int]) -> bool:
    """Tell whether punctuation, or an end of the sentence, stands on both sides of a subtree."""
    solid = [k for k in inside if not words[k].is_punctuation]
    first, last = min(solid), max(solid)
    if any(k not in inside and not words[k].is_punctuation for k in range(first, last + 1)):
        return False
    before = first == 0 or words[first - 1].is_punctuation
    after = last == len(words) - 1 or words[last + 1].is_punctuation
    return before and after
