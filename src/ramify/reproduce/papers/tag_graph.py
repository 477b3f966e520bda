"""Tags and heads of a sentence as one factor graph (Smith & Eisner 2008, section 3.4): TAG, TRIGRAM, LINK, TAGLINK."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify import trees
from ramify.factors import SecondOrderSequence, Table, Tag, TagLink, Tree
from ramify.graph import FactorGraph
from ramify.inference import BeliefPropagation
from ramify.variables import VariableArray

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ramify.data import Sentence
    from ramify.graph import Method

__all__ = ["METHOD", "NUM_BUCKETS", "WIDTH", "SentenceModel", "TagDictionary"]

NUM_BUCKETS = 1 << 18  # one more weight is always 0, for parts and columns without a feature
WIDTH = 7  # features a part at most
METHOD = BeliefPropagation(max_iterations=10, tolerance=1e-3)
_RARE = 2  # a form seen less often has the open tags besides its own
_ROOT = 255  # its tag


class TagDictionary:
    """The tags that a form may have: those it was seen with; a rare form has those of other rare forms besides.

    Parameters
    ----------
    sentences : with tags
    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        pairs = Counter((word.form.lower(), word.upos) for s in sentences for word in s)
        counts: Counter[str] = Counter()
        for (form, _), count in pairs.items():
            counts[form] += count
        frequency: Counter[str] = Counter()
        rare: Counter[str] = Counter()
        for (form, tag), count in pairs.items():
            frequency[tag] += count
            rare[tag] += counts[form] < _RARE
        self.tags = [tag for tag, _ in frequency.most_common()]
        self._open = [t for t, tag in enumerate(self.tags) if rare[tag] >= 0.02 * rare.total()]
        self._seen: dict[str, set[int]] = {}
        for form, tag in pairs:
            known = set(self._open) if counts[form] < _RARE else set()
            self._seen.setdefault(form, known).add(self.tags.index(tag))

    def candidates(self, form: str) -> list[int]:
        """Return at least two tags, as numbers in increasing order."""
        found = set(self._seen.get(form.lower(), self._open))
        found.update(list({0, 1} - found)[: 2 - len(found)] if len(found) < 2 else [])
        return sorted(found)


def _mix(template: int, *columns: Any) -> NDArray[np.int64]:
    """Hash whole numbers, position by position of arrays that fit together, into a bucket."""
    value = np.full(np.broadcast_shapes(*(np.shape(c) for c in columns)), template + 1, dtype=np.uint64)
    for column in columns:
        value = (value ^ np.asarray(column, dtype=np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        value ^= value >> np.uint64(31)
    return np.asarray(value % np.uint64(NUM_BUCKETS), dtype=np.int64)


def _code(text: str) -> int:
    return zlib.crc32(text.encode())


def _rows(*columns: NDArray[np.int64]) -> NDArray[np.int32]:
    """One row of buckets a part, filled up with the bucket that counts nothing."""
    out = np.full((columns[0].size, WIDTH), NUM_BUCKETS, dtype=np.int32)
    for j, column in enumerate(columns):
        out[:, j] = column.ravel()
    return out


@dataclass
class _Words:
    """What features see of a sentence, each of shape (n + 2,): the root, the words, and the end."""

    form: NDArray[np.int64]
    suffix: NDArray[np.int64]
    short: NDArray[np.int64]
    shape: NDArray[np.int64]

    @classmethod
    def of(cls, forms: Sequence[str]) -> _Words:
        padded = ["<root>", *forms, "<end>"]
        shapes = [f"{f[:1].isupper()}{f.isalpha()}{any(map(str.isdigit, f))}{i == 1}" for i, f in enumerate(padded)]
        lower = [form.lower() for form in padded]
        columns = (lower, [f[-3:] for f in lower], [f[-2:] for f in lower], shapes)
        return cls(*(np.array([_code(text) for text in column], dtype=np.int64) for column in columns))


class SentenceModel:
    """The factor graph of a sentence and the features of its parts.

    Parameters
    ----------
    forms : n words
    candidates : their tags, at least two each
    kind : which variables there are: ``"arcs"``, ``"tags"`` or ``"arcs tags"``
    """

    def __init__(self, forms: Sequence[str], candidates: Sequence[Sequence[int]], kind: str) -> None:
        self.num_words = n = len(forms)
        self.candidates = [np.array(c) for c in candidates]
        self.graph = FactorGraph()
        self._words = _Words.of(forms)
        self._part_rows: list[NDArray[np.int32]] = []
        everything = [(h, m) for m in range(1, n + 1) for h in range(n + 1) if h != m] if "arcs" in kind else []
        self.heads, self.modifiers = np.array(everything, dtype=np.int64).reshape(-1, 2).T
        arcs = self.graph.add_variables(len(everything))
        self.links = self._link_rows()
        if "tags" in kind:
            self._tags = self.graph.add_variables(n, [len(c) for c in candidates])
            self._add_tags()
        if "arcs" in kind:
            self.graph.add(Tree(arcs, self.heads, self.modifiers, n, single_root=True))
        if kind == "arcs tags":
            self._add_tag_links(arcs)
        self.parts = np.concatenate([np.zeros((0, WIDTH), dtype=np.int32), *self._part_rows])

    def _direction(self) -> tuple[Any, Any]:
        distance = self.heads - self.modifiers
        return (distance > 0).astype(np.int64), np.sign(distance) + 4 * np.minimum(np.abs(distance), 6) + 64

    def _link_rows(self) -> NDArray[np.int32]:
        w, h, m = self._words, self.heads, self.modifiers
        right, distance = self._direction()
        return _rows(
            _mix(0, w.form[h], w.form[m]),
            _mix(1, w.form[h], right),
            _mix(2, w.form[m], right),
            _mix(3, w.suffix[h], w.suffix[m], right),
            _mix(4, distance),
            _mix(5, w.suffix[m], distance),
            _mix(6, w.suffix[h], distance),
        )

    def _add_tags(self) -> None:
        """TAG, and TRIGRAM where there are two words."""
        w, tags = self._words, self.candidates
        i, t = np.repeat(np.arange(1, self.num_words + 1), [len(c) for c in tags]), np.concatenate(tags)
        of = ((w.form, 0), (w.suffix, 0), (w.short, 0), (w.shape, 0), (w.form, -1), (w.form, 1))
        rows = _rows(*(_mix(10 + k, values[i + by], t) for k, (values, by) in enumerate(of)), _mix(16, t))
        self._add(Tag(self._tags, np.zeros(len(rows))), rows)
        if self.num_words < 2:
            return
        first = (np.array([_ROOT])[:, None, None], tags[0][:, None], tags[1])
        triples = [(a[:, None, None], b[:, None], c) for a, b, c in zip(tags, tags[1:], tags[2:], strict=False)]
        grams = [_rows(_mix(20, *t), _mix(21, *np.broadcast_arrays(*t)[1:])) for t in (first, *triples)]
        rows = np.concatenate(grams)
        self._add(SecondOrderSequence(self._tags, np.zeros(len(rows))), rows)

    def _add_tag_links(self, arcs: Any) -> None:
        """TAGLINK; the root has one tag only, so that its arcs share a table with the modifier's tag alone."""
        inner, roots = np.flatnonzero(self.heads > 0), np.flatnonzero(self.heads == 0)
        if inner.size:
            rows = self._tag_link_rows(inner)
            ends = (self._tags[self.heads[inner] - 1], self._tags[self.modifiers[inner] - 1])
            self._add(TagLink(arcs[inner], *ends, np.zeros(len(rows))), rows)
        own = np.split(self._tag_link_rows(roots), np.cumsum([len(c) for c in self.candidates])[:-1])
        rows = np.concatenate([np.concatenate([np.full_like(r, NUM_BUCKETS), r]) for r in own])  # off scores nothing
        scopes = np.stack([roots, len(self.heads) + self.modifiers[roots] - 1], axis=1)
        states = self.graph.num_states
        self._add(Table([VariableArray(pair, states[pair]) for pair in scopes], np.zeros(len(rows))), rows)

    def _tag_link_rows(self, arcs: NDArray[np.int64]) -> NDArray[np.int32]:
        """Features of all pairs of tags of some arcs, the modifier's tag varying fastest."""
        w, tags = self._words, [np.array([_ROOT]), *self.candidates]
        right, distance = self._direction()
        sizes = [(len(tags[h]), len(tags[m])) for h, m in zip(self.heads[arcs], self.modifiers[arcs], strict=True)]
        above = np.concatenate([np.repeat(tags[self.heads[a]], k) for a, (_, k) in zip(arcs, sizes, strict=True)])
        below = np.concatenate([np.tile(tags[self.modifiers[a]], k) for a, (k, _) in zip(arcs, sizes, strict=True)])
        each = np.repeat(arcs, [k * j for k, j in sizes])
        head, modifier = w.form[self.heads[each]], w.form[self.modifiers[each]]
        return _rows(
            _mix(30, above, below, right[each]),
            _mix(31, above, below, distance[each]),
            _mix(32, above, below, modifier),
            _mix(33, above, below, head),
            _mix(34, above, modifier),
            _mix(35, below, head),
        )

    def _add(self, factor: Any, rows: NDArray[np.int32]) -> None:
        self.graph.add(factor)
        self._part_rows.append(rows)

    def evidence(self, which: Sequence[str], heads: Sequence[int], tags: Sequence[int]) -> dict[int, int]:
        """Return what is known, by variable, where heads and tags (as numbers) of the n words are."""
        known: dict[int, int] = {}
        if "arcs" in which:
            known.update(enumerate((np.array(heads)[self.modifiers - 1] == self.heads).astype(int).tolist()))
        if "tags" in which:
            for i, (own, tag) in enumerate(zip(self.candidates, tags, strict=True)):
                known[len(self.heads) + i] = int(np.flatnonzero(own == tag)[0])
        return known

    def solve(self, weights: NDArray[np.float64], evidence: Mapping[int, int], method: Method = METHOD) -> Any:
        """Return marginals of arcs, shape (arcs,), and of parts, shape (num_parts,), and the log-partition function."""
        scores = np.zeros(self.graph.num_coordinates)
        scores[: len(self.heads)] = weights[self.links].sum(axis=1)
        parts = weights[self.parts].sum(axis=1)
        result = self.graph.solve(method, scores, part_scores=parts, evidence=evidence)
        return result.marginals[: len(self.heads)], result.part_marginals, result.log_partition

    def read(self, arcs: NDArray[np.float64], parts: NDArray[np.float64]) -> tuple[list[int], list[int]]:
        """Return the heads and the tags that are most likely right; none where they are no variables."""
        heads: list[int] = []
        if len(self.heads):
            dense = np.full((self.num_words + 1, self.num_words + 1), -np.inf)
            dense[self.heads, self.modifiers] = arcs
            heads = trees.max_arborescence(dense, single_root=True)[0][1:].tolist()
        if self.graph.num_variables == len(self.heads):
            return heads, []
        ends = np.cumsum([len(c) for c in self.candidates])
        split = np.split(parts[: ends[-1]], ends[:-1])
        return heads, [int(c[np.argmax(p)]) for c, p in zip(self.candidates, split, strict=True)]
