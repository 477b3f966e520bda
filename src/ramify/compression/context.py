"""Features of the words around a unit and of the path above it, for models that score every case of a word.

Martins & Smith (2009, section 3.2) take the surface features of McDonald (2006): neighbouring words and tags. The path
to the root and the clause that a word stands in take the place of his phrase structures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ramify.compression.grammar import Word
    from ramify.compression.units import Units

__all__ = ["context_features"]

_CLAUSES = frozenset(["root", "ccomp", "xcomp", "advcl", "acl", "csubj", "parataxis", "report", "conj"])
_PLACES = 10


def context_features(units: Units) -> list[list[str]]:
    """Return for each unit the names of what is true of the words around it and above it."""
    words = units.words
    depths = _depths(units)
    return [[*_around(words, int(top)), *_above(words, int(top), depths[u])] for u, top in enumerate(units.tops)]


def _around(words: Sequence[Word], i: int) -> Iterator[str]:
    tags = ["^", "^", *(word.upos for word in words), "$", "$"]
    lemmas = ["^", *(word.lemma for word in words), "$"]
    before2, before, tag, after, after2 = tags[i : i + 5]
    label = words[i].label
    yield f"t={tag}"
    yield f"w={words[i].lemma}"
    yield f"t-1,t={before},{tag}"
    yield f"t,t+1={tag},{after}"
    yield f"t-1,t,t+1={before},{tag},{after}"
    yield f"t-2,t-1,t={before2},{before},{tag}"
    yield f"t,t+1,t+2={tag},{after},{after2}"
    yield f"w-1,t={lemmas[i]},{tag}"
    yield f"t,w+1={tag},{lemmas[i + 2]}"
    yield f"w-1,w={lemmas[i]},{lemmas[i + 1]}"
    yield f"w,w+1={lemmas[i + 1]},{lemmas[i + 2]}"
    place = _PLACES * i // len(words)
    yield f"place={place}"
    yield f"place,t={place},{tag}"
    yield f"place,l={place},{label}"
    yield f"first,l={min(i, 8)},{label}"
    yield f"shape,l={words[i].form[:1].isupper()},{tag},{label}"


def _above(words: Sequence[Word], i: int, depth: int) -> Iterator[str]:
    labels, at = [], i
    clause, clause_depth = "root", 0
    while words[at].head >= 0:
        labels.append(words[at].label)
        at = words[at].head
        if words[at].relation in _CLAUSES and clause_depth == 0:
            clause, clause_depth = words[at].label, len(labels)
    root = words[at]
    label = words[i].label
    path = ">".join(labels[:3])
    yield f"path={path}"
    yield f"path,t={path},{words[i].upos}"
    yield f"whole-path={'>'.join(labels)}"
    yield f"clause,l={clause},{label}"
    yield f"clause,l,deep={clause},{label},{min(clause_depth, 3)}"
    yield f"root,l={root.lemma},{label},{min(depth, 2)}"
    yield f"root-tag,l={root.upos},{label},{min(depth, 2)}"
    children = [word.relation for word in words if word.head == words[i].head]
    yield f"l,obj={label},{'obj' in children},{'nsubj' in children}"
    own = {word.relation for word in words if word.head == i}
    yield f"l,own={label},{'nsubj' in own},{'case' in own},{'mark' in own}"


def _depths(units: Units) -> list[int]:
    depths: list[int] = []
    for head in units.heads.tolist():
        depths.append(0 if head < 0 else depths[head] + 1)
    return depths
