"""Proximal operators against cvxpy, which knows nothing of them but the penalty."""

import cvxpy
import numpy as np
import pytest

from ramify.errors import InvalidInputError
from ramify.learn import proximal

SCALES = ["one", "log2", "sqrt"]


def solve(weights, penalty):
    """argmin of penalty(v) + |v - w|² / 2, and its value."""
    v = cvxpy.Variable(len(weights))
    problem = cvxpy.Problem(cvxpy.Minimize(penalty(v) + cvxpy.sum_squares(v - weights) / 2))
    problem.solve(solver=cvxpy.CLARABEL)
    return v.value, problem.value


def expect_minimum(got, weights, penalty):
    """The function is strongly convex: who comes as low as the solver is as near to the only minimum."""
    best, value = solve(weights, penalty)
    np.testing.assert_allclose(got, best, atol=3e-4)
    mine = penalty(cvxpy.Constant(got)).value + ((got - weights) ** 2).sum() / 2
    assert mine <= value + 1e-7


def d(groups, scale):
    sizes = np.array([len(group) for group in groups], float)
    return {"one": np.ones_like(sizes), "log2": np.log2(np.maximum(sizes, 2)), "sqrt": np.sqrt(sizes)}[scale]


def norms(v, groups, factors):
    return sum(factor * cvxpy.norm(v[list(group)], 2) for group, factor in zip(groups, factors, strict=True))


def random_groups(rng, size, number):
    """A partition of some of the weights."""
    cuts = np.sort(rng.choice(np.arange(1, size), number, replace=False))
    return [part for part in np.split(rng.permutation(size), cuts)[:-1] if part.size]


def random_tree(rng, size):
    """Nested groups: halves of halves, here and there without one."""
    groups, todo = [], [rng.permutation(size)]
    while todo:
        group = todo.pop()
        if rng.random() < 0.8:
            groups.append(group)
        if group.size > 1:
            todo += np.split(group, [rng.integers(1, group.size)])
    return [groups[i] for i in rng.permutation(len(groups))]


@pytest.mark.parametrize("seed", range(3))
def test_single_weights(seed):
    rng = np.random.default_rng(seed)
    w, (a, b) = rng.normal(size=12), rng.random(2)
    expect_minimum(proximal.l1(w, a), w, lambda v: a * cvxpy.norm1(v))
    expect_minimum(proximal.l2(w, a), w, lambda v: a / 2 * cvxpy.sum_squares(v))
    expect_minimum(proximal.elastic_net(w, a, b), w, lambda v: a * cvxpy.norm1(v) + b / 2 * cvxpy.sum_squares(v))
    table = w.reshape(3, 4)
    np.testing.assert_array_equal(proximal.elastic_net(table, a, b), proximal.elastic_net(w, a, b).reshape(3, 4))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(3))
def test_groups(seed, scale):
    rng = np.random.default_rng(seed)
    w, groups = rng.normal(size=20), random_groups(rng, 20, 6)
    a, b = rng.random(2)
    expect_minimum(proximal.group_lasso(w, groups, a, scale), w, lambda v: a * norms(v, groups, d(groups, scale)))
    expect_minimum(
        proximal.sparse_group_lasso(w, groups, a, b, scale),
        w,
        lambda v: a * norms(v, groups, d(groups, scale)) + b * cvxpy.norm1(v),
    )


def test_given_weights():
    rng = np.random.default_rng(4)
    w, groups = rng.normal(size=12), random_groups(rng, 12, 4)
    given = rng.random(4) + 0.1
    expect_minimum(proximal.group_lasso(w, groups, 1.0, given), w, lambda v: norms(v, groups, given))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(4))
def test_nested_groups(seed, scale):
    rng = np.random.default_rng(seed)
    w, groups, strength = rng.normal(size=14), random_tree(rng, 14), 0.3 * rng.random()
    got = proximal.nested(w, groups, strength, scale)
    expect_minimum(got, w, lambda v: strength * norms(v, groups, d(groups, scale)))
    # The sets of training take the same steps.
    np.testing.assert_allclose(proximal.overlapping(w, groups, strength, scale), got)


@pytest.mark.parametrize("seed", range(4))
def test_overlapping_groups(seed):
    rng = np.random.default_rng(seed)
    w = rng.normal(size=12)
    groups = [rng.choice(12, size=rng.integers(2, 6), replace=False) for _ in range(6)]
    expect_minimum(
        proximal.overlapping(w, groups, 0.3, cycles=400), w, lambda v: 0.3 * norms(v, groups, d(groups, "sqrt"))
    )
    # One cycle is one proximal step for each set.
    step = w
    for one in proximal.disjoint_sets(groups):
        chosen = [groups[g] for g in one]
        assert len(set(np.concatenate(chosen))) == sum(map(len, chosen))
        step, _ = solve(step, lambda v, chosen=chosen: 0.3 * norms(v, chosen, d(chosen, "sqrt")))
    np.testing.assert_allclose(proximal.overlapping(w, groups, 0.3), step, atol=5e-4)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("most", [0, 1, 3, 6])
def test_budgets(most, scale):
    rng = np.random.default_rng(most)
    w, groups = rng.normal(size=20), random_groups(rng, 20, 6)
    got = proximal.budget(w, groups, most, scale)
    assert sum(np.any(got[group] != 0) for group in groups) == most
    ratios = sorted((np.linalg.norm(w[group]) / x for group, x in zip(groups, d(groups, scale), strict=True)))[::-1]
    if most == 6:
        np.testing.assert_array_equal(got, w)
        return
    strength = ratios[0] if most == 0 else (ratios[most - 1] + ratios[most]) / 2
    expect_minimum(got, w, lambda v: strength * norms(v, groups, d(groups, scale)))


def test_ties_do_not_exceed_the_budget():
    assert proximal.budget([2.0, 1.0, 1.0], [[0], [1], [2]], 2, "one").tolist() == [1.0, 0.0, 0.0]
    assert not proximal.budget([1.0, 1.0], [[0], [1]], 1).any()
    for seed in range(50):  # norms that rounding could tell apart
        values = np.random.default_rng(seed).normal(size=7)
        left = proximal.budget(np.tile(values, 3), np.arange(21).reshape(3, 7), 2, "log2")
        assert not left.any()


def test_coarse_to_fine():
    """A template goes only with a template that it contains, and then all that contain that one go."""
    names = ["p", "q", "w", "pq", "pw", "pqw"]
    groups = proximal.coarse_to_fine([frozenset(name) for name in names])
    assert groups[:4] == [[0, 3, 4, 5], [1, 3, 5], [2, 4, 5], [3, 5]]
    assert sorted(g for one in proximal.disjoint_sets(groups) for g in one) == list(range(6))
    seen = set()
    for strength in np.linspace(0.1, 2.0, 20):
        left = proximal.overlapping([3.0, 1.0, 2.0, 1.0, 2.0, 1.0], groups, strength) != 0
        seen.add(tuple(left.tolist()))
        gone = [group for group in groups if not left[group].any()]
        assert set(np.flatnonzero(~left).tolist()) == {member for group in gone for member in group}
    assert len(seen) > 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: proximal.l1([1.0], -1.0), "l1 expects strengths of at least 0; got -1.0"),
        (lambda: proximal.l1(["a"], 1.0), "l1 expects weights as an array of numbers"),
        (lambda: proximal.l2([np.inf], 1.0), "l2 expects finite weights"),
        (lambda: proximal.group_lasso([[1.0]], [[0]], 1.0), "expects weights of one dimension"),
        (lambda: proximal.group_lasso([1.0], [[1]], 1.0), "indices from 0 to 0; group 0 has others"),
        (lambda: proximal.group_lasso([1.0, 2.0], [[0], [0, 1]], 1.0), "groups that do not overlap"),
        (lambda: proximal.group_lasso([1.0], [[0]], 1.0, "cube"), "scale to be one of 'one', 'log2', 'sqrt'"),
        (lambda: proximal.group_lasso([1.0], [[0]], 1.0, [0.0]), "one number above 0 for each of the 1 groups"),
        (lambda: proximal.nested([1.0, 2, 3], [[0, 1], [1, 2]], 1.0), "groups 0 and 1 share some weights"),
        (lambda: proximal.budget([1.0], [[0]], -1), "at least 0 groups; got -1"),
    ],
)
def test_wrong_input(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()
