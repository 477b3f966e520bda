"""Every function at every order against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.projective import Enumeration, projective_trees
from ramify import trees
from ramify.errors import InvalidInputError
from ramify.trees import projective

pytestmark = pytest.mark.engine

AXES = {
    "arc": {"arc": 2},
    "sibling": {"arc": 2, "sibling": 3},
    "grand": {"arc": 2, "grand": 3},
    "grandsib": {"arc": 2, "sibling": 3, "grand": 3, "grandsib": 4},
    "trisib": {"arc": 2, "sibling": 3, "grand": 3, "grandsib": 4, "trisib": 4},
}
CLASSES = {
    "arc": projective.ArcParts,
    "sibling": projective.SiblingParts,
    "grand": projective.GrandparentParts,
    "grandsib": projective.GrandSiblingParts,
    "trisib": projective.TriSiblingParts,
}
ORDERS = list(AXES)
CASES = [  # words, scale of the scores, share of pruned arcs, integer scores (ties)
    (1, 1.0, 0.0, False),
    (2, 1.0, 0.0, False),
    (3, 1.0, 0.2, False),
    (4, 1.0, 0.0, True),
    (4, 1e3, 0.2, False),
    (4, 1e4, 0.1, True),
    (5, 1.0, 0.0, False),
    (5, 30.0, 0.3, False),
    (5, 1e4, 0.0, False),
]


def draw_tables(order, n, rng, scale=1.0, pruned=0.0, integers=False):
    tables = {}
    for kind, axes in AXES[order].items():
        table = rng.normal(size=(n + 1,) * axes) * scale
        tables[kind] = np.round(table / scale) * scale if integers else table
        prune = pruned if kind == "arc" else pruned / 4
        tables[kind][rng.random(table.shape) < prune] = -np.inf
    return tables


def as_scores(order, tables):
    return tables["arc"] if order == "arc" else CLASSES[order](**tables)


def as_tables(order, parts):
    return {"arc": parts} if order == "arc" else {kind: getattr(parts, kind) for kind in AXES[order]}


def enumerate_trees(order, tables, single_root=False):
    return Enumeration(tables, single_root, outermost=order == "trisib")


def cases():
    for order in ORDERS:
        for i, case in enumerate(CASES):
            for single_root in (False, True):
                yield pytest.param(order, case, single_root, i, id=f"{order}-{case[0]}-{case[1]:g}-{single_root}-{i}")
    yield pytest.param("arc", (6, 1.0, 0.1, False), False, 99, id="arc-6")
    yield pytest.param("grandsib", (6, 1.0, 0.0, False), True, 98, id="grandsib-6")
    yield pytest.param("trisib", (6, 1.0, 0.0, False), False, 97, id="trisib-6")


@pytest.mark.parametrize(("order", "case", "single_root", "seed"), list(cases()))
def test_everything_equals_enumeration(order, case, single_root, seed):
    n, scale, pruned, integers = case
    tables = draw_tables(order, n, np.random.default_rng(seed), scale, pruned, integers)
    truth = enumerate_trees(order, tables, single_root)
    scores = as_scores(order, tables)
    tolerance = {"rtol": 1e-9, "atol": 1e-9 * scale}
    if truth.best == -np.inf:
        with pytest.raises(InvalidInputError, match="allow at least one projective tree"):
            projective.max_arborescence(scores, single_root=single_root)
        return

    heads, value = projective.max_arborescence(scores, single_root=single_root)
    np.testing.assert_allclose(value, truth.best, **tolerance)
    np.testing.assert_allclose(projective.score(scores, heads, single_root=single_root), truth.best, **tolerance)
    np.testing.assert_allclose(projective.log_partition(scores, single_root=single_root), truth.log_z, **tolerance)

    mu, log_z = projective.marginals(scores, single_root=single_root)
    np.testing.assert_allclose(log_z, truth.log_z, **tolerance)
    for kind, expected in truth.marginals().items():
        np.testing.assert_allclose(as_tables(order, mu)[kind], expected, rtol=1e-7, atol=1e-12, err_msg=kind)

    best_with = projective.max_marginals(scores, single_root=single_root)
    best_without = projective.max_marginals(scores, without=True, single_root=single_root)
    for kind, expected in truth.max_marginals().items():
        np.testing.assert_allclose(as_tables(order, best_with)[kind], expected, **tolerance, err_msg=kind)
    np.testing.assert_allclose(best_without, truth.best_without(), **tolerance)

    expected_scores = truth.sorted_scores()
    k = len(expected_scores) + 3
    trees, values = projective.k_best(scores, k, single_root=single_root)
    np.testing.assert_allclose(values, expected_scores, **tolerance)
    assert len({tuple(t) for t in trees}) == len(expected_scores)
    by_tree = dict(zip(truth.trees, truth.scores, strict=True))
    np.testing.assert_allclose(values, [by_tree[tuple(t)] for t in trees], **tolerance)

    entropy = projective.entropy(scores, single_root=single_root)
    np.testing.assert_allclose(entropy, truth.entropy(), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_infeasible_scores_are_a_clear_result(order):
    tables = draw_tables(order, 3, np.random.default_rng(0))
    tables["arc"][:, 2] = -np.inf
    scores = as_scores(order, tables)
    assert projective.log_partition(scores) == -np.inf
    zeros = as_scores(order, {k: np.zeros_like(v) for k, v in tables.items()})
    grad = projective.marginals_vjp(scores, zeros)
    assert all((table == 0).all() for table in as_tables(order, grad).values())
    for function in (
        projective.max_arborescence,
        projective.marginals,
        projective.max_marginals,
        projective.entropy,
        projective.sample,
        lambda s: projective.k_best(s, 3),
    ):
        with pytest.raises(InvalidInputError, match="allow at least one projective tree"):
            function(scores)
    for p, q in ((scores, zeros), (zeros, scores)):
        with pytest.raises(InvalidInputError, match="allow at least one projective tree"):
            projective.kl_divergence(p, q)


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("order", ORDERS)
def test_vjp_is_the_covariance_times_the_vector(order, single_root):
    rng = np.random.default_rng(5)
    tables = draw_tables(order, 4, rng, 2.0, 0.1)
    direction = draw_tables(order, 4, rng)
    grad = projective.marginals_vjp(as_scores(order, tables), as_scores(order, direction), single_root=single_root)
    truth = enumerate_trees(order, tables, single_root)
    along = np.array([sum(direction[k][i] for k in direction for i in parts[k]) for parts in truth.parts])
    centred = truth.p * (along - truth.p @ along)
    for kind, got in as_tables(order, grad).items():
        expected = np.zeros_like(got)
        for weight, parts in zip(centred, truth.parts, strict=True):
            for index in parts[kind]:
                expected[index] += weight
        np.testing.assert_allclose(got, expected, atol=1e-12, err_msg=kind)


@pytest.mark.parametrize("order", ORDERS)
def test_derivatives_are_finite_differences(order):
    rng = np.random.default_rng(6)
    tables = draw_tables(order, 6, rng)
    direction = draw_tables(order, 6, rng)

    def moved(step):
        return as_scores(order, {k: tables[k] + step * direction[k] for k in tables})

    mu, _ = projective.marginals(moved(0.0))
    slope = sum((table * direction[k]).sum() for k, table in as_tables(order, mu).items())
    step = 1e-5
    difference = (projective.log_partition(moved(step)) - projective.log_partition(moved(-step))) / (2 * step)
    np.testing.assert_allclose(slope, difference, rtol=1e-7)
    above, below = (as_tables(order, projective.marginals(moved(s))[0]) for s in (step, -step))
    vjp = as_tables(order, projective.marginals_vjp(moved(0.0), as_scores(order, direction)))
    for kind, got in vjp.items():
        np.testing.assert_allclose(got, (above[kind] - below[kind]) / (2 * step), atol=2e-9, err_msg=kind)


@pytest.mark.parametrize("order", ORDERS)
def test_kl_equals_enumeration(order):
    rng = np.random.default_rng(7)
    for scale in (1.0, 1e3):
        p, q = (draw_tables(order, 4, rng, scale) for _ in range(2))
        first, second = (enumerate_trees(order, t) for t in (p, q))
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = np.where(
                first.p > 0, first.p * ((first.scores - first.log_z) - (second.scores - second.log_z)), 0
            )
        got = projective.kl_divergence(as_scores(order, p), as_scores(order, q))
        np.testing.assert_allclose(got, expected.sum(), rtol=1e-8)
        assert projective.kl_divergence(as_scores(order, p), as_scores(order, p)) == 0.0
    q["arc"][0, 1] = -np.inf
    p["arc"][:] = 0.0
    assert projective.kl_divergence(p["arc"], q["arc"]) == np.inf


@pytest.mark.parametrize("order", ORDERS)
def test_samples_follow_the_distribution(order):
    tables = draw_tables(order, 3, np.random.default_rng(8), 1.0, 0.1)
    truth = enumerate_trees(order, tables, single_root=False)
    num = 20_000
    drawn = projective.sample(as_scores(order, tables), num, seed=3)
    counts = dict.fromkeys(truth.trees, 0)
    for heads in map(tuple, drawn.tolist()):
        counts[heads] += 1
    observed = np.array(list(counts.values()))
    # 5 standard deviations; the seed is fixed, so this cannot flicker.
    allowed = 5 * np.sqrt(num * truth.p * (1 - truth.p)) + 1e-9
    assert (np.abs(observed - num * truth.p) <= allowed).all()
    assert (observed[truth.p == 0] == 0).all()
    np.testing.assert_array_equal(drawn, projective.sample(as_scores(order, tables), num, seed=3))


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("order", ORDERS[1:])
def test_higher_orders_without_higher_scores_are_first_order(order, single_root):
    rng = np.random.default_rng(9)
    tables = {k: np.zeros((21,) * axes) for k, axes in AXES[order].items()}
    tables["arc"] = rng.normal(size=(21, 21)) * 3
    tables["arc"][rng.random((21, 21)) < 0.3] = -np.inf
    first, first_z = projective.marginals(tables["arc"], single_root=single_root)
    higher, higher_z = projective.marginals(as_scores(order, tables), single_root=single_root)
    assert higher_z == pytest.approx(first_z, rel=1e-12)
    np.testing.assert_allclose(higher.arc, first, rtol=1e-9, atol=1e-15)
    heads, value = projective.max_arborescence(tables["arc"], single_root=single_root)
    higher_heads, higher_value = projective.max_arborescence(as_scores(order, tables), single_root=single_root)
    np.testing.assert_array_equal(higher_heads, heads)
    assert higher_value == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("single_root", [False, True])
def test_counts_of_trees(order, single_root):
    for n in range(7):
        zeros = as_scores(order, {k: np.zeros((n + 1,) * axes) for k, axes in AXES[order].items()})
        count = np.exp(projective.log_partition(zeros, single_root=single_root))
        assert count == pytest.approx(len(projective_trees(n, single_root)), rel=1e-12)


def test_counts_of_trees_in_closed_form():
    # Multi-root trees over n words: binomial(3n, n) / (2n + 1), the ternary trees.
    for n in range(1, 40):
        expected = np.prod([(2 * n + i) / i for i in range(1, n + 1)]) / (2 * n + 1)
        assert np.exp(projective.log_partition(np.zeros((n + 1, n + 1)))) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("order", ORDERS)
def test_batch_is_a_loop(order):
    rng = np.random.default_rng(10)
    lengths = np.array([4, 0, 5, 1, 3])
    sentences = [draw_tables(order, 5, rng, 2.0) for _ in lengths]
    batch = as_scores(order, {k: np.stack([s[k] for s in sentences]) for k in sentences[0]})
    options = {"lengths": lengths, "num_threads": 3, "single_root": True}
    heads, values = projective.max_arborescence(batch, **options)
    mu, log_z = projective.marginals(batch, **options)
    grad = projective.marginals_vjp(batch, batch_like(batch, order, rng), **options)
    best_with = projective.max_marginals(batch, **options)
    best_without = projective.max_marginals(batch, without=True, **options)
    ranked = projective.k_best(batch, 4, **options)
    rng = np.random.default_rng(11)
    for b, n in enumerate(lengths):
        cut = {k: np.ascontiguousarray(t[(slice(n + 1),) * t.ndim]) for k, t in sentences[b].items()}
        one = as_scores(order, cut)
        corner = (slice(n + 1),) * 2
        expected_heads, expected_value = projective.max_arborescence(one, single_root=True)
        np.testing.assert_array_equal(heads[b, : n + 1], expected_heads)
        assert (heads[b, n + 1 :] == -1).all()
        assert values[b] == expected_value
        expected_mu, expected_z = projective.marginals(one, single_root=True)
        assert log_z[b] == pytest.approx(expected_z, rel=1e-12)
        np.testing.assert_allclose(
            as_tables(order, mu)["arc"][b][corner], as_tables(order, expected_mu)["arc"], atol=1e-13
        )
        assert as_tables(order, mu)["arc"][b].sum() == pytest.approx(n if np.isfinite(expected_z) else 0)
        assert as_tables(order, grad)["arc"][b].shape == (6, 6)
        with_ = projective.max_marginals(one, single_root=True)
        without = projective.max_marginals(one, without=True, single_root=True)
        np.testing.assert_array_equal(as_tables(order, best_with)["arc"][b][corner], as_tables(order, with_)["arc"])
        if n:
            np.testing.assert_array_equal(best_without[b][corner], without)
        np.testing.assert_array_equal(ranked[b][1], projective.k_best(one, 4, single_root=True)[1])


def batch_like(batch, order, rng):
    tables = {k: rng.normal(size=np.shape(v)) for k, v in as_tables(order, batch).items()}
    return as_scores(order, tables)


def test_batch_of_samples_and_entropies():
    rng = np.random.default_rng(12)
    scores = rng.normal(size=(4, 6, 6))
    lengths = [5, 2, 4, 3]
    one, many = (projective.sample(scores, 7, seed=5, lengths=lengths, num_threads=t) for t in (1, 3))
    np.testing.assert_array_equal(one, many)
    assert one.shape == (4, 7, 6)
    assert not np.array_equal(one[0, :, 1:3], one[2, :, 1:3])
    entropies = projective.entropy(scores, lengths=lengths)
    divergences = projective.kl_divergence(scores, scores[::-1], lengths=lengths)
    for b, n in enumerate(lengths):
        cut, other = scores[b, : n + 1, : n + 1], scores[::-1][b, : n + 1, : n + 1]
        assert entropies[b] == pytest.approx(projective.entropy(cut))
        assert divergences[b] == pytest.approx(projective.kl_divergence(cut, other))
        assert all(projective.is_tree(heads[: n + 1]) for heads in one[b])


@pytest.mark.parametrize("scale", [1.0, 5.0, 50.0, 1e3, 1e4])
@pytest.mark.parametrize("n", [7, 8, 40])
def test_first_order_agrees_with_the_sibling_recursion_at_all_scales(n, scale):
    rng = np.random.default_rng(13)
    scores = rng.normal(size=(n + 1, n + 1)) * scale
    scores[rng.random(scores.shape) < 0.2] = -np.inf
    mu, log_z = projective.marginals(scores)
    other, other_z = projective.marginals(projective.SiblingParts(scores, np.zeros((n + 1,) * 3)))
    assert log_z == pytest.approx(other_z, rel=1e-12)
    # Relative, also for tiny marginals: a message of belief propagation is their logarithm.
    np.testing.assert_allclose(mu, other.arc, rtol=1e-9 * max(scale, 1.0), atol=1e-280)


def test_mbr_maximises_expected_heads():
    rng = np.random.default_rng(14)
    mu, _ = projective.marginals(rng.normal(size=(6, 6)) * 2)
    heads, value = projective.mbr(mu)
    expected = Enumeration({"arc": mu})
    assert value == pytest.approx(expected.best)
    assert tuple(heads) == expected.trees[int(np.argmax(expected.scores))]
    parts = projective.SiblingParts(mu, np.zeros((6, 6, 6)))
    np.testing.assert_array_equal(projective.mbr(parts)[0], heads)


def test_empty_sentence():
    for single_root in (False, True):
        heads, value = projective.max_arborescence(np.zeros((1, 1)), single_root=single_root)
        assert heads.tolist() == [-1]
        assert value == 0.0
        assert projective.log_partition(np.zeros((1, 1)), single_root=single_root) == 0.0
        assert projective.entropy(np.zeros((1, 1)), single_root=single_root) == 0.0
        assert projective.sample(np.zeros((1, 1)), 2, seed=0).shape == (2, 1)


def test_ignored_entries_may_hold_anything():
    rng = np.random.default_rng(15)
    scores = rng.normal(size=(5, 5))
    dirty = scores.copy()
    dirty[:, 0] = np.nan
    np.fill_diagonal(dirty, np.inf)
    for function in (
        projective.log_partition,
        projective.entropy,
        lambda s: projective.marginals(s)[0].tolist(),
    ):
        assert function(dirty) == function(scores)
    np.testing.assert_array_equal(projective.max_arborescence(dirty)[0], projective.max_arborescence(scores)[0])
    np.testing.assert_array_equal(projective.max_marginals(dirty), projective.max_marginals(scores))


def test_score_of_illegal_heads():
    scores = np.zeros((4, 4))
    assert projective.score(scores, [-1, 0, 1, 1]) == 0.0
    with pytest.raises(InvalidInputError, match="lead every word to the root"):
        projective.score(scores, [-1, 2, 1, 0])
    assert projective.score(np.zeros((5, 5)), [-1, 3, 0, 2, 2]) == -np.inf
    assert projective.score(scores, [-1, 0, 0, 0]) == 0.0
    assert projective.score(scores, [-1, 0, 0, 0], single_root=True) == -np.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: projective.marginals(np.zeros((3, 4))), r"marginals expects scores of shape \(n\+1, n\+1\)"),
        (lambda: projective.marginals(np.zeros((0, 0))), "n >= 0"),
        (lambda: projective.marginals([["a", "b"], ["c", "d"]]), "array of numbers"),
        (lambda: projective.marginals(np.full((3, 3), np.nan)), r"not NaN; got nan for the arc \(0, 1\)"),
        (lambda: projective.log_partition(np.full((3, 3), np.inf)), "or -inf for a pruned arc, and not NaN; got inf"),
        (lambda: projective.marginals(np.zeros((3, 3)), lengths=[2]), "lengths only with a batch"),
        (lambda: projective.marginals(np.zeros((2, 3, 3)), lengths=[2]), "lengths as 2 integers"),
        (lambda: projective.marginals(np.zeros((2, 3, 3)), lengths=[2, 3]), "lengths between 0 and 2"),
        (lambda: projective.marginals(np.zeros((2, 3, 3)), lengths=[-1, 2]), "lengths between 0 and 2"),
        (lambda: projective.marginals(np.zeros((3, 3)), num_threads=0), "num_threads"),
        (lambda: projective.k_best(np.zeros((3, 3)), 0), "k_best expects k to be a whole number, 1 or more"),
        (lambda: projective.sample(np.zeros((3, 3)), -1, seed=1), "num_samples"),
        (lambda: projective.sample(np.zeros((3, 3)), seed=-1), "seed"),
        (
            lambda: projective.sample(np.zeros((3, 3)), seed=2**64),
            "seed to be a whole number, 0 to 1844674407370955",
        ),
        (lambda: projective.marginals_vjp(np.zeros((3, 3)), np.zeros((4, 4))), "grad_marginals like scores"),
        (
            lambda: projective.marginals_vjp(np.zeros((3, 3)), np.full((3, 3), np.inf)),
            "finite grad_marginals",
        ),
        (lambda: projective.kl_divergence(np.zeros((3, 3)), np.zeros((4, 4))), "other_scores like scores"),
        (lambda: projective.score(np.zeros((3, 3)), [0, 1]), "heads of shape"),
        (
            lambda: projective.SiblingParts(np.zeros((3, 3)), np.zeros((3, 3))),
            r"sibling of shape \(3, 3, 3\)",
        ),
        (
            lambda: projective.marginals(projective.SiblingParts(np.zeros((3, 3)), np.full((3, 3, 3), np.nan))),
            "sibling has another entry",
        ),
        (lambda: projective.entropy(np.full((3, 3), 1e17)), r"within ±1e\+12, .*got 1e\+17 for the arc \(0, 1\)"),
        (lambda: projective.log_partition(np.full((3, 3), -1e13)), r"within ±1e\+12"),
        (
            lambda: projective.marginals(
                projective.TriSiblingParts(np.zeros((200, 200)), np.broadcast_to(0.0, (200,) * 4))
            ),
            "needs a dense table",
        ),
    ],
)
def test_malformed_input_is_named(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()


@pytest.mark.parametrize("single_root", [False, True])
def test_equals_the_matrix_tree_theorem_where_every_tree_is_projective(single_root):
    """Arcs between neighbours cross nothing, nor do arcs from the root: two unrelated algorithms, one answer."""
    n = 50
    scores = np.full((n + 1, n + 1), -np.inf)
    rng = np.random.default_rng(4)
    scores[0, 1:] = rng.normal(size=n)
    for m in range(1, n):
        scores[m, m + 1], scores[m + 1, m] = 3 * rng.normal(size=2)
    mu, log_z = projective.marginals(scores, single_root=single_root)
    mu_any, log_z_any = trees.marginals(scores, single_root=single_root)
    assert log_z == pytest.approx(log_z_any, rel=1e-12)
    np.testing.assert_allclose(mu, mu_any, atol=1e-10)
    heads, value = projective.max_arborescence(scores, single_root=single_root)
    heads_any, value_any = trees.max_arborescence(scores, single_root=single_root)
    assert value == pytest.approx(value_any)
    np.testing.assert_array_equal(heads, heads_any)


def test_arc_lists_give_one_number_per_arc():
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(6, 6))
    heads, modifiers = np.nonzero(rng.random((6, 6)) < 0.8)
    keep = (modifiers > 0) & (heads != modifiers)
    heads, modifiers = heads[keep], modifiers[keep]
    arcs = trees.ArcList(heads, modifiers, scores[heads, modifiers], 5)
    dense = arcs.to_matrix()
    for function in (lambda s: projective.marginals(s)[0], projective.max_marginals):
        np.testing.assert_array_equal(function(arcs), function(dense)[heads, modifiers])
    np.testing.assert_array_equal(
        projective.max_marginals(arcs, without=True), projective.max_marginals(dense, without=True)[heads, modifiers]
    )
    np.testing.assert_array_equal(projective.max_arborescence(arcs)[0], projective.max_arborescence(dense)[0])
    assert projective.entropy(arcs) == projective.entropy(dense)
