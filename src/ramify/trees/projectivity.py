"""Shape of a given tree: is it one, is it projective, how far is it from projective.

``heads`` is an integer array (n+1,): heads[m] is the head of word m = 1…n, 0 is the root, and heads[0] is not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ramify import _core
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "closest_projective",
    "crossing_arcs",
    "gap_degree",
    "is_projective",
    "is_tree",
    "nonprojective_arcs",
    "projectivize",
]


def _as_heads(who: str, heads: ArrayLike) -> NDArray[np.int32]:
    array = np.asarray(heads)
    if array.ndim != 1 or array.size == 0 or not np.issubdtype(array.dtype, np.integer):
        raise InvalidInputError(
            f"{who} expects heads as integers of shape (n+1,), n >= 0; got {array.dtype} of shape {array.shape}."
        )
    # Clipped, so that what does not fit into 32 bits stays out of range instead of wrapping around.
    return np.ascontiguousarray(array.clip(-1, array.size), dtype=np.int32)


def _as_tree(who: str, heads: ArrayLike) -> NDArray[np.int32]:
    array = _as_heads(who, heads)
    if not _core.is_tree(array, False):
        raise InvalidInputError(
            f"{who} expects a tree, every word reaching the root 0 through its heads; got {array.tolist()}."
            " Test with is_tree first."
        )
    return array


def is_tree(heads: ArrayLike, *, single_root: bool = False) -> bool:
    """Say whether every word has a head in 0…n and reaches the root; with single_root, whether just one hangs from it.

    Parameters
    ----------
    heads : (n+1,) integers
    single_root : exactly one word is a modifier of the root; a sentence without words passes
    """
    return bool(_core.is_tree(_as_heads("is_tree", heads), bool(single_root)))


def is_projective(heads: ArrayLike) -> bool:
    """Say whether the tree heads (n+1,) is projective: no arc passes over a word that its head does not dominate."""
    return not _core.nonprojective_arcs(_as_tree("is_projective", heads)).any()


def nonprojective_arcs(heads: ArrayLike) -> NDArray[np.bool_]:
    """Mark the words whose arc passes over some word that the arc's head does not dominate.

    Parameters
    ----------
    heads : (n+1,) integers, a tree

    Returns
    -------
    mask : bool (n+1,), True at m for a non-projective arc (heads[m], m); arcs from the root never are, for the root
        dominates everything
    """
    return _core.nonprojective_arcs(_as_tree("nonprojective_arcs", heads)).view(np.bool_)


def crossing_arcs(heads: ArrayLike) -> NDArray[np.bool_]:
    """Mark the words whose arc crosses another arc, with the root drawn left of the first word.

    Parameters
    ----------
    heads : (n+1,) integers; they must be a tree

    Returns
    -------
    mask : bool (n+1,), True at m if the arc (heads[m], m) crosses another. A tree is projective just if none does.
    """
    return _core.crossing_arcs(_as_tree("crossing_arcs", heads)).view(np.bool_)


def gap_degree(heads: ArrayLike) -> int:
    """Count the gaps in the most interrupted yield of a word (Kuhlmann & Nivre 2006); 0 for projective trees.

    Parameters
    ----------
    heads : (n+1,) integers, a tree
    """
    return int(_core.gap_degree(_as_tree("gap_degree", heads)))


def projectivize(heads: ArrayLike) -> NDArray[np.int32]:
    """Lift arcs until the tree is projective: the shortest non-projective one first, the leftmost of several.

    Lifting replaces a word's head by that head's head (Nivre & Nilsson 2005), so every new head is an ancestor of the
    old one. See :func:`closest_projective` for the fewest changed heads.

    Parameters
    ----------
    heads : (n+1,) integers, a tree

    Returns
    -------
    heads : int32 (n+1,), heads[0] = −1
    """
    lifted, _ = _core.projectivize(_as_tree("projectivize", heads))
    lifted[0] = -1
    return lifted


def closest_projective(heads: ArrayLike) -> NDArray[np.int32]:
    """Find a projective tree that shares the most arcs with this one: the smallest loss of right heads.

    Among several, one with the most heads that are ancestors of the old heads, as lifting would choose. A tree with a
    single root keeps it single.

    Parameters
    ----------
    heads : as those of :func:`projectivize`, which returns its result in the same form
    """
    tree = _as_tree("closest_projective", heads)
    size = len(tree)
    scores = np.zeros((size, size))
    for m in range(1, size):
        h = int(tree[m])
        scores[h, m] = 1.0
        while h != 0:
            h = int(tree[h])
            scores[h, m] = 0.5 / size
    lengths = np.array([size - 1], dtype=np.int32)
    single_root = bool(np.count_nonzero(tree[1:] == 0) == 1)
    arc = _core.ProjectiveOrder.ARC
    best, _ = _core.projective_best_trees(arc, scores.reshape(1, -1), lengths, size, single_root, 1)
    result: NDArray[np.int32] = best[0]
    return result
