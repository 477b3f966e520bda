"""The best cuts of a tree by dynamic programming, also with a budget.

If a unit is deleted, all units below it are deleted, too. Scores belong to cuts, at units whose head stays, and to
units that stay: Almeida & Martins (2013, Eq. 8) score the first, and a price of words or concepts the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["best_cuts", "best_cuts_within", "cut_score"]


def cut_score(heads: NDArray[np.int64], cuts: Floats, stays: Floats, kept: NDArray[np.bool_]) -> float:
    """Return the score of a choice, −inf if a unit stays without its head.

    Parameters
    ----------
    heads, cuts, stays : see `best_cuts`
    kept : (units,)
    """
    above = np.append(kept, True)[heads]
    if np.any(kept & ~above):
        return -np.inf
    return float(cuts[above & ~kept].sum() + stays[kept].sum())


def best_cuts(heads: NDArray[np.int64], cuts: Floats, stays: Floats) -> NDArray[np.bool_]:
    """Return (units,) which units stay in the best choice; ties are cut. O(units).

    Parameters
    ----------
    heads : (units,) head of each unit, before it; −1 for the root
    cuts : (units,) score if the unit goes and its head stays
    stays : (units,) score if the unit stays
    """
    values = stays.astype(np.float64).tolist()
    costs, above = cuts.tolist(), heads.tolist()
    for u in range(len(values) - 1, -1, -1):
        if above[u] >= 0:
            values[above[u]] += max(values[u], costs[u])
    kept = np.zeros(len(values), bool)
    for u, head in enumerate(above):
        kept[u] = (head < 0 or kept[head]) and values[u] > costs[u]
    return kept


def best_cuts_within(
    heads: NDArray[np.int64],
    cuts: Floats,
    stays: Floats,
    lengths: NDArray[np.int64],
    most: int,
    least: int = 0,
) -> NDArray[np.bool_] | None:
    """Return (units,) the best choice whose length is in bounds, or None if there is none. O(units · most).

    Units are read backwards, each after all below it, so that a choice for a unit and all that follow is either to keep
    it and choose for the next one, or to cut it and jump behind its subtree.

    Parameters
    ----------
    heads, cuts, stays : see `best_cuts`; units come in the order of a walk through the tree
    lengths : (units,) of each unit
    most, least : bounds of the sum of lengths, both included
    """
    n = len(heads)
    after = _behind(heads)
    width = max(most, 0) + 1
    # table[u][b]: best score of units u and later, with b words used by those before; the root of a walk is at 0.
    table = np.full((n + 1, width), -np.inf)
    table[n, max(least, 0) :] = 0.0
    for u in range(n - 1, -1, -1):
        cut = cuts[u] + table[after[u]]
        length = int(lengths[u])
        keep = np.full(width, -np.inf)
        if length < width:
            keep[: width - length] = stays[u] + table[u + 1, length:]
        table[u] = np.maximum(cut, keep)
    if table[0, 0] == -np.inf:
        return None
    kept = np.zeros(n, bool)
    u = used = 0
    while u < n:
        length = int(lengths[u])
        stay = stays[u] + table[u + 1, used + length] if used + length < width else -np.inf
        if stay > cuts[u] + table[after[u], used]:
            kept[u] = True
            used += length
            u += 1
        else:
            u = int(after[u])
    return kept


def _behind(heads: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (units,) the first unit behind the subtree of each."""
    n = len(heads)
    sizes = np.ones(n, np.int64)
    for u in range(n - 1, -1, -1):
        if heads[u] >= 0:
            sizes[heads[u]] += sizes[u]
    return np.arange(n) + sizes
