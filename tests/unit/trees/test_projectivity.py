"""Shape of given trees against definitions written out longhand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from oracles.projective import ancestors, nonprojective, projective_trees
from ramify.errors import InvalidInputError
from ramify.trees import projectivity

pytestmark = pytest.mark.engine


def all_heads(n):
    return [(-1, *heads) for heads in itertools.product(range(n + 1), repeat=n)]


def is_tree(heads):
    return all(heads[m] != m and ancestors(heads, m) is not None for m in range(1, len(heads)))


TREES = [heads for n in range(6) for heads in all_heads(n) if is_tree(heads)]


def crosses(heads, m, k):
    (a, b), (c, d) = sorted([sorted([heads[m], m]), sorted([heads[k], k])])
    return a < c < b < d


def gaps(heads, m):
    yields = [k for k in range(1, len(heads)) if k == m or m in ancestors(heads, k)]
    return sum(b - a > 1 for a, b in itertools.pairwise(yields))


def test_is_tree_on_all_assignments():
    for n in range(5):
        for heads in all_heads(n):
            assert projectivity.is_tree(heads) == is_tree(heads)
            single = is_tree(heads) and (n == 0 or heads[1:].count(0) == 1)
            assert projectivity.is_tree(heads, single_root=True) == single


@pytest.mark.parametrize("heads", [[0, -1], [0, 2], [0, 2**40], [0, -(2**40)], [0, 1]])
def test_heads_out_of_range_are_no_tree(heads):
    assert not projectivity.is_tree(heads)


def test_all_small_trees():
    for heads in TREES:
        words = range(1, len(heads))
        mask = [False] + [heads[m] != 0 and nonprojective(heads, m) for m in words]
        crossing = [False] + [any(crosses(heads, m, k) for k in words if k != m) for m in words]
        assert projectivity.nonprojective_arcs(heads).tolist() == mask
        assert projectivity.crossing_arcs(heads).tolist() == crossing
        assert projectivity.is_projective(heads) == (not any(mask)) == (not any(crossing))
        assert projectivity.gap_degree(heads) == max((gaps(heads, m) for m in words), default=0)


def test_projectivized_trees_are_projective_lifts():
    for heads in TREES:
        lifted = tuple(projectivity.projectivize(heads).tolist())
        assert lifted in projective_trees(len(heads) - 1)
        assert all(h == old or h in ancestors(heads, old) for h, old in zip(lifted[1:], heads[1:], strict=True))
        if projectivity.is_projective(heads):
            assert lifted == heads


def test_closest_projective_loses_least():
    for heads in TREES:
        n = len(heads) - 1
        single_root = heads[1:].count(0) == 1
        closest = tuple(projectivity.closest_projective(heads).tolist())
        assert closest in projective_trees(n, single_root)

        def shared(tree, heads=heads):
            return sum(a == b for a, b in zip(tree[1:], heads[1:], strict=True))

        assert shared(closest) == max(shared(tree) for tree in projective_trees(n, single_root))
        assert shared(closest) >= shared(projectivity.projectivize(heads)) or not single_root


def test_lifting_by_hand():
    # 1 <- 3 passes over 2, the root's modifier: lifted to 2.
    heads = [-1, 3, 0, 2]
    assert projectivity.nonprojective_arcs(heads).tolist() == [False, True, False, False]
    assert projectivity.projectivize(heads).tolist() == [-1, 2, 0, 2]
    assert projectivity.gap_degree(heads) == 1


@pytest.mark.parametrize(
    "function",
    [
        projectivity.is_projective,
        projectivity.nonprojective_arcs,
        projectivity.crossing_arcs,
        projectivity.gap_degree,
        projectivity.projectivize,
        projectivity.closest_projective,
    ],
)
def test_what_is_no_tree_is_named(function):
    with pytest.raises(InvalidInputError, match="expects a tree"):
        function([-1, 2, 1])
    with pytest.raises(InvalidInputError, match="integers of shape"):
        function(np.zeros((2, 2), dtype=int))
    with pytest.raises(InvalidInputError, match="integers of shape"):
        function([0.0, 1.0])
