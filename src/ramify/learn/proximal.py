"""Proximal operators of the penalties that choose features, for arrays of any weights.

Each returns the minimizer v of ``penalty(v) + |v - weights|² / 2``. The groups are index arrays into the weights;
weights in no group stay as they are. The notation follows Martins et al. (2011), *Structured Sparsity in Structured
Prediction*, sections 3 and 4, whose d is called `scale` here.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import learn as _core
from ramify.arrays import as_numbers
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Vector = NDArray[np.float64]
    Groups = Sequence[ArrayLike]

__all__ = [
    "budget",
    "coarse_to_fine",
    "disjoint_sets",
    "elastic_net",
    "group_lasso",
    "group_weights",
    "l1",
    "l2",
    "nested",
    "overlapping",
    "sparse_group_lasso",
]

_SIZES = {"one": _core.GroupSize.ONE, "log2": _core.GroupSize.LOG2, "sqrt": _core.GroupSize.SQRT}


def l1(weights: ArrayLike, strength: float) -> Vector:
    """Return the proximal operator of ``strength · Σ |w|``, which is soft thresholding (equation 13).

    Examples
    --------
    >>> l1([3.0, -1.0, 0.5], 1.0)
    array([ 2., -0.,  0.])
    """
    array = _vector("l1", weights)
    shrunk: Vector = _core.soft_threshold(array.ravel(), _strength("l1", strength))
    return shrunk.reshape(array.shape)


def l2(weights: ArrayLike, strength: float) -> Vector:
    """Return the proximal operator of ``strength / 2 · Σ w²``, which shrinks all weights by the same factor."""
    return _vector("l2", weights) / (1.0 + _strength("l2", strength))


def elastic_net(weights: ArrayLike, strength: float, ridge: float) -> Vector:
    """Return the proximal operator of ``strength · Σ |w| + ridge / 2 · Σ w²`` (Zou & Hastie 2005).

    Parameters
    ----------
    weights : of any shape
    strength, ridge : of the two penalties
    """
    return l2(l1(weights, strength), ridge)


def group_weights(sizes: ArrayLike, scale: str | ArrayLike = "sqrt") -> Vector:
    """Return the number d by which the norm of each group is multiplied in the penalty.

    Parameters
    ----------
    sizes : numbers of features of the groups, shape (groups,)
    scale : ``"one"``, ``"log2"`` or ``"sqrt"`` of the size; or the numbers themselves

    Examples
    --------
    >>> group_weights([4, 16], "log2")
    array([2., 4.])
    """
    counts = as_numbers("group_weights expects sizes", sizes)
    if isinstance(scale, str):
        if scale not in _SIZES:
            names = ", ".join(map(repr, _SIZES))
            raise InvalidInputError(f"group_weights expects scale to be one of {names}, or numbers; got {scale!r}.")
        weights: Vector = _core.group_weights(_SIZES[scale], counts)
        return weights
    given = as_numbers("group_weights expects scale", scale)
    if given.shape != counts.shape or not np.isfinite(given).all() or np.any(given <= 0):
        raise InvalidInputError(f"group_weights expects one number above 0 for each of the {counts.size} groups.")
    return given


def group_lasso(weights: ArrayLike, groups: Groups, strength: float, scale: str | ArrayLike = "sqrt") -> Vector:
    """Return the proximal operator of ``strength · Σ d·|w of a group|``, for groups that do not overlap (equation 14).

    Parameters
    ----------
    weights : shape (n,)
    groups : indices of the weights of each group
    strength : of the penalty
    scale : see `group_weights`

    Examples
    --------
    >>> group_lasso([3.0, 4.0, 1.0], [[0, 1], [2]], 1.0, "one")
    array([2.4, 3.2, 0. ])
    """
    array, members = _flat("group_lasso", weights), _members("group_lasso", groups, weights)
    _expect_disjoint("group_lasso", members)
    return _shrunk(array, members, _strength("group_lasso", strength) * group_weights(_sizes(members), scale))


def sparse_group_lasso(
    weights: ArrayLike, groups: Groups, strength: float, within: float, scale: str | ArrayLike = "sqrt"
) -> Vector:
    """Return the proximal operator of the group lasso plus ``within · Σ |w|`` (equation 9; Friedman et al. 2010).

    Parameters
    ----------
    weights, groups, strength, scale : see `group_lasso`
    within : strength of the penalty of single weights
    """
    return group_lasso(l1(_flat("sparse_group_lasso", weights), within), groups, strength, scale)


def nested(weights: ArrayLike, groups: Groups, strength: float, scale: str | ArrayLike = "sqrt") -> Vector:
    """Return the proximal operator of the group lasso for groups that contain one another, or do not overlap.

    One pass from the smallest groups to the largest is exact (Jenatton et al. 2010).

    Parameters
    ----------
    weights, groups, strength, scale : see `group_lasso`; the order of the groups does not matter

    Examples
    --------
    >>> nested([3.0, 1.0], [[0, 1], [1]], 1.0, "one")
    array([2., 0.])
    """
    array, members = _flat("nested", weights), _members("nested", groups, weights)
    sets = [set(group.tolist()) for group in members]
    for a, one in enumerate(sets):
        for b, other in enumerate(sets[:a]):
            if not (one.isdisjoint(other) or one <= other or other <= one):
                raise InvalidInputError(
                    f"nested expects groups that contain one another or do not overlap; groups {b} and {a} share some "
                    "weights and not others. Use overlapping for them."
                )
    thresholds = _strength("nested", strength) * group_weights(_sizes(members), scale)
    for g in np.argsort(_sizes(members), kind="stable"):
        array = _shrunk(array, [members[g]], thresholds[g : g + 1])
    return array


def overlapping(
    weights: ArrayLike, groups: Groups, strength: float, scale: str | ArrayLike = "sqrt", *, cycles: int = 1
) -> Vector:
    """Return the group lasso's proximal operator for any groups, or the sequence of steps that stands for it.

    One cycle is what training does (Martins et al. 2011, section 4): the groups are divided into sets without overlaps,
    whose proximal steps follow one another. More cycles come closer to the proximal operator of the sum (Dykstra's
    algorithm for proximal operators, which is coordinate ascent on the dual problem; Bauschke & Combettes 2008).

    Parameters
    ----------
    weights, groups, strength, scale : see `group_lasso`
    cycles : passes over the sets

    Examples
    --------
    >>> overlapping([3.0, 1.0, 2.0], [[0, 1], [1, 2]], 1.0, "one").round(3)
    array([2.051, 0.36 , 1.054])
    >>> overlapping([3.0, 1.0, 2.0], [[0, 1], [1, 2]], 1.0, "one", cycles=50).round(3)
    array([2.021, 0.425, 1.071])
    """
    array, members = _flat("overlapping", weights), _members("overlapping", groups, weights)
    thresholds = _strength("overlapping", strength) * group_weights(_sizes(members), scale)
    sets = [([members[g] for g in one], thresholds[one]) for one in disjoint_sets(members)]
    taken = [np.zeros_like(array) for _ in sets]
    for _ in range(cycles):
        for s, (chosen, shares) in enumerate(sets):
            before = array + taken[s]
            array = _shrunk(before, chosen, shares)
            taken[s] = before - array
    return array


def budget(weights: ArrayLike, groups: Groups, most: int, scale: str | ArrayLike = "sqrt") -> Vector:
    """Return the group lasso's proximal operator of the strength that leaves at most so many groups.

    This is budget-driven shrinkage (section 4): the strength lies between ``|w of a group| / d`` of the last group that
    stays and that of the first one that goes. If no more groups have weights, nothing changes.

    Parameters
    ----------
    weights, groups, scale : see `group_lasso`
    most : number of groups that may be left

    Examples
    --------
    >>> budget([3.0, 1.0, 2.0], [[0], [1], [2]], 2, "one")
    array([1.5, 0. , 0.5])
    """
    array, members = _flat("budget", weights), _members("budget", groups, weights)
    _expect_disjoint("budget", members)
    if most < 0:
        raise InvalidInputError(f"budget expects at least 0 groups; got {most}.")
    d = group_weights(_sizes(members), scale)
    ratios = _norms(array, members) / d
    threshold = _core.budget_threshold(ratios, most)
    if threshold <= 0:
        return array
    out = _shrunk(array, members, threshold * d)
    for group in itertools.compress(members, ratios <= threshold):
        out[group] = 0.0  # rounding must not keep one of several that are equal at the threshold
    return out


def disjoint_sets(groups: Groups) -> list[list[int]]:
    """Divide groups into sets whose groups do not overlap, smaller groups first (Martins et al. 2011, equation 15).

    Parameters
    ----------
    groups : members of each group

    Returns
    -------
    For each set the numbers of its groups. A set with larger groups comes after one with smaller groups, so that for
    groups that contain one another the steps of the sets, one after the other, are exact.

    Examples
    --------
    >>> disjoint_sets([[0, 2], [1, 2], [2]])
    [[2], [0], [1]]
    """
    members = [np.asarray(group) for group in groups]
    sets: list[tuple[list[int], set[int]]] = []
    for g in np.argsort(_sizes(members), kind="stable").tolist():
        mine = set(members[g].tolist())
        last = max((s for s, (_, taken) in enumerate(sets) if not taken.isdisjoint(mine)), default=-1)
        if last + 1 == len(sets):
            sets.append(([], set()))
        sets[last + 1][0].append(g)
        sets[last + 1][1].update(mine)
    return [numbers for numbers, _ in sets]


def coarse_to_fine(parts: Sequence[frozenset[str]]) -> list[list[int]]:
    """Return groups that let a template in only with all templates that it contains (section 3.1).

    The group of a template has the template itself and all that contain it: if the group goes, all of them go.

    Parameters
    ----------
    parts : what each template is a conjunction of

    Examples
    --------
    >>> coarse_to_fine([frozenset({"p0"}), frozenset({"w0"}), frozenset({"p0", "w0"})])
    [[0, 2], [1, 2], [2]]
    """
    return [[b for b, finer in enumerate(parts) if coarser <= finer] for coarser in parts]


def _sizes(members: Sequence[NDArray[Any]]) -> Vector:
    return np.array([group.size for group in members], np.float64)


def _norms(array: Vector, members: Sequence[NDArray[np.int64]]) -> Vector:
    return np.array([np.linalg.norm(array[group]) for group in members], np.float64)


def _shrunk(array: Vector, members: Sequence[NDArray[np.int64]], thresholds: Vector) -> Vector:
    out: Vector = array.copy()
    for group, factor in zip(members, _core.shrink_factors(_norms(array, members), thresholds), strict=True):
        out[group] *= factor
    return out


def _vector(who: str, weights: ArrayLike) -> Vector:
    array = as_numbers(f"{who} expects weights", weights)
    if not np.isfinite(array).all():
        raise InvalidInputError(f"{who} expects finite weights.")
    return array


def _flat(who: str, weights: ArrayLike) -> Vector:
    array = _vector(who, weights)
    if array.ndim != 1:
        raise InvalidInputError(f"{who} expects weights of one dimension; got shape {array.shape}.")
    return array


def _strength(who: str, strength: float) -> float:
    if not (np.isfinite(strength) and strength >= 0):
        raise InvalidInputError(f"{who} expects strengths of at least 0; got {strength!r}.")
    return float(strength)


def _members(who: str, groups: Groups, weights: ArrayLike) -> list[NDArray[np.int64]]:
    size = np.size(weights)
    members = []
    for number, group in enumerate(groups):
        found = np.asarray(group)
        right = found.ndim == 1 and (found.size == 0 or np.issubdtype(found.dtype, np.integer))
        if not right or np.any(found < 0) or np.any(found >= size) or np.unique(found).size < found.size:
            raise InvalidInputError(
                f"{who} expects groups of different indices from 0 to {size - 1}; group {number} has others."
            )
        members.append(found.astype(np.int64))
    return members


def _expect_disjoint(who: str, members: Sequence[NDArray[np.int64]]) -> None:
    flat = np.concatenate([np.empty(0, np.int64), *members])
    if np.unique(flat).size < flat.size:
        raise InvalidInputError(f"{who} expects groups that do not overlap. Use overlapping or nested for them.")
