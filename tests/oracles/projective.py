"""All projective trees of a short sentence, by trying every assignment of heads; knows nothing but legality."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np


@cache
def projective_trees(n: int, single_root: bool = False) -> tuple[tuple[int, ...], ...]:
    """Every projective tree over n words as a tuple of heads, heads[0] = -1."""
    assignments = itertools.product(range(n + 1), repeat=n)
    return tuple((-1, *heads) for heads in assignments if legal((-1, *heads), single_root))


def ancestors(heads: tuple[int, ...], m: int) -> list[int] | None:
    """Heads above m up to the root 0; None if there is a cycle."""
    above = []
    while m != 0:
        m = heads[m]
        if m in above:
            return None
        above.append(m)
    return above


def legal(heads: tuple[int, ...], single_root: bool) -> bool:
    n = len(heads) - 1
    if single_root and n > 0 and heads[1:].count(0) != 1:
        return False
    if any(heads[m] == m or ancestors(heads, m) is None for m in range(1, n + 1)):
        return False
    return not any(nonprojective(heads, m) for m in range(1, n + 1))


def nonprojective(heads: tuple[int, ...], m: int) -> bool:
    h = heads[m]
    between = range(min(h, m) + 1, max(h, m))
    return any(h not in ancestors(heads, k) for k in between)


@cache
def tree_parts(heads: tuple[int, ...], outermost: bool = False) -> dict[str, list[tuple[int, ...]]]:
    """Parts of a tree by kind, read off word by word; outermost: grandparents see only the last modifier of a side."""
    n = len(heads) - 1
    parts = {kind: [] for kind in ("arc", "sibling", "grand", "grandsib", "trisib")}
    for h in range(n + 1):
        g = heads[h] if h else 0
        for outwards in (range(h + 1, n + 1), range(h - 1, 0, -1)):
            inner, before = h, h
            side = [m for m in outwards if heads[m] == h]
            for m in side:
                parts["arc"].append((h, m))
                parts["sibling"].append((h, inner, m))
                parts["trisib"].append((h, before, inner, m))
                if not outermost or m == side[-1]:
                    parts["grand"].append((g, h, m))
                    parts["grandsib"].append((g, h, inner, m))
                before, inner = inner, m
            if side:
                parts["sibling"].append((h, inner, h))
                parts["trisib"].append((h, before, inner, h))
                if not outermost:
                    parts["grandsib"].append((g, h, inner, h))
    return parts


class Enumeration:
    """The distribution over projective trees that tables of scores define: tables maps a kind of part to an array."""

    def __init__(self, tables: dict[str, np.ndarray], single_root: bool = False, outermost: bool = False) -> None:
        self.tables = tables
        n = tables["arc"].shape[0] - 1
        self.trees = projective_trees(n, single_root)
        self.parts = [tree_parts(t, outermost) for t in self.trees]
        self.scores = np.array([self._score(p) for p in self.parts], dtype=float).reshape(-1)
        top = self.scores.max(initial=-np.inf)
        self.best = top
        self.log_z = -np.inf if top == -np.inf else top + np.log(np.exp(self.scores - top).sum())
        self.p = np.exp(self.scores - self.log_z) if top > -np.inf else np.zeros(len(self.trees))

    def _score(self, parts: dict[str, list[tuple[int, ...]]]) -> float:
        return sum(table[index] for kind, table in self.tables.items() for index in parts[kind])

    def marginals(self) -> dict[str, np.ndarray]:
        result = {kind: np.zeros_like(table) for kind, table in self.tables.items()}
        for p, parts in zip(self.p, self.parts, strict=True):
            for kind, table in result.items():
                for index in parts[kind]:
                    table[index] += p
        return result

    def max_marginals(self) -> dict[str, np.ndarray]:
        result = {kind: np.full_like(table, -np.inf) for kind, table in self.tables.items()}
        for score, parts in zip(self.scores, self.parts, strict=True):
            for kind, table in result.items():
                for index in parts[kind]:
                    table[index] = max(table[index], score)
        return result

    def best_without(self) -> np.ndarray:
        result = np.full_like(self.tables["arc"], -np.inf)
        for score, parts in zip(self.scores, self.parts, strict=True):
            without = np.ones_like(result, dtype=bool)
            for index in parts["arc"]:
                without[index] = False
            result[without] = np.maximum(result[without], score)
        return result

    def entropy(self) -> float:
        p = self.p[self.p > 0]
        return float(-(p * np.log(p)).sum())

    def sorted_scores(self) -> np.ndarray:
        return np.sort(self.scores[self.scores > -np.inf])[::-1]
