"""Features of a cut: the arc, the words at its ends, the subtree below it, and its position in the sentence.

The first are those of Almeida & Martins (2013, section 3.5), in terms of UD; those of words and of places follow the
surface features of Martins & Smith (2009, section 3.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ramify.compression.grammar import Word
    from ramify.compression.units import Units

__all__ = ["cut_features"]

_TEMPORAL = frozenset([
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "today", "yesterday", "tomorrow",
    "tonight", "morning", "afternoon", "evening", "night", "noon", "midnight", "week", "weekend", "month", "year",
    "day", "hour", "minute", "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december", "spring", "summer", "autumn", "fall", "winter",
])  # fmt: skip
_FUNCTION = frozenset(["ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ", "ADV"])
_BINS = (0, 1, 2, 3, 4, 6, 9, 13, 20, 30)


def cut_features(units: Units) -> list[list[str]]:
    """Return for each unit the names of what is true of its cut."""
    inside = _words_below(units)
    return [list(_of_arc(units, u, inside[u])) for u in range(len(units))]


def _of_arc(units: Units, u: int, below: Sequence[int]) -> Iterator[str]:
    words = units.words
    top = units.tops[u]
    word = words[top]
    label = word.label
    head = words[word.head] if word.head >= 0 else None
    tag, tag_above = word.upos, head.upos if head else "ROOT"
    yield "bias"
    yield f"l={label}"
    yield f"l,h={label},{tag_above}"
    yield f"l,m={label},{tag}"
    yield f"l,h,m={label},{tag_above},{tag}"
    yield f"l,above={label},{head.label if head else 'ROOT'}"
    if tag in _FUNCTION and tag_above == "VERB":
        yield f"function={tag}"
    if any(words[i].is_negation for i in below):
        yield f"negation={label}"
    temporal = word.lemma in _TEMPORAL
    if temporal:
        yield f"temporal={label}"
        if any(words[i].relation == "case" for i in below):
            yield "temporal-case"
    yield from _of_words(words, label, word, head, below)
    yield from _of_places(units, u, label, below)


def _of_words(words: Sequence[Word], label: str, word: Word, head: Word | None, below: Sequence[int]) -> Iterator[str]:
    yield f"l,w={label},{word.lemma}"
    if head:
        yield f"l,hw={label},{head.lemma}"
        yield f"hw,w={head.lemma},{word.lemma}"
    first, last = words[below[0]], words[below[-1]]
    yield f"l,first={label},{first.lemma}"
    yield f"l,firsttag={label},{first.upos}"
    yield f"l,lasttag={label},{last.upos}"
    if head and first is not word:
        yield f"l,first,h={label},{first.lemma},{head.lemma}"
    for kind, found in (
        ("name", any(words[i].upos == "PROPN" for i in below)),
        ("number", any(words[i].upos == "NUM" for i in below)),
        ("subject", any(words[i].relation == "nsubj" for i in below)),
        ("capital", word.form[:1].isupper()),
    ):
        if found:
            yield f"{kind}={label}"


def _of_places(units: Units, u: int, label: str, below: Sequence[int]) -> Iterator[str]:
    words, top = units.words, int(units.tops[u])
    word = words[top]
    side = "right" if top > word.head else "left"
    share = len(below) / len(words)
    yield f"l,side={label},{side}"
    yield f"l,size={label},{_bin(len(below))}"
    yield f"share={int(10 * share)}"
    yield f"l,share={label},{int(5 * share)}"
    yield f"l,place={label},{int(5 * below[0] / len(words))}"
    if word.head >= 0:
        yield f"l,far={label},{_bin(abs(top - word.head))}"
    yield f"l,depth={label},{_bin(_depth(units, u))}"
    before = words[below[0] - 1] if below[0] else None
    after = words[below[-1] + 1] if below[-1] + 1 < len(words) else None
    yield f"l,before={label},{before.form if before and before.is_punctuation else before.upos if before else '^'}"
    yield f"l,after={label},{after.form if after and after.is_punctuation else after.upos if after else '$'}"
    siblings = np.flatnonzero(units.heads == units.heads[u])
    yield f"l,sibling={label},{_bin(int(np.count_nonzero(siblings < u)))},{_bin(int(np.count_nonzero(siblings > u)))}"
    yield f"l,length={label},{_bin(len(words) // 2)}"
    for v in siblings:
        if v != u:
            other = words[units.tops[v]]
            yield f"l,with={label},{other.label},{'before' if units.tops[v] < top else 'after'}"


def _words_below(units: Units) -> list[list[int]]:
    """Return for each unit the words in it and in those below it, in their order."""
    found: list[list[int]] = [[] for _ in range(len(units))]
    for i, u in enumerate(units.unit.tolist()):
        if u >= 0:
            found[u].append(i)
    for u in range(len(units) - 1, -1, -1):
        if units.heads[u] >= 0:
            found[units.heads[u]] += found[u]
    return [sorted(words) for words in found]


def _depth(units: Units, u: int) -> int:
    depth = 0
    while units.heads[u] >= 0:
        u, depth = int(units.heads[u]), depth + 1
    return depth


def _bin(number: int) -> int:
    return max(limit for limit in _BINS if limit <= number)
