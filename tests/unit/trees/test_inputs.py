from __future__ import annotations

import numpy as np
import pytest

from ramify import trees
from ramify.errors import InvalidInputError
from unit.trees.cases import random_scores

pytestmark = pytest.mark.engine

FUNCTIONS = {
    "max_arborescence": trees.max_arborescence,
    "log_partition": trees.log_partition,
    "marginals": trees.marginals,
    "messages": trees.messages,
    "max_marginals": trees.max_marginals,
    "without": lambda scores, **options: trees.max_marginals(scores, without=True, **options),
    "vjp": lambda scores, **options: trees.marginals_vjp(scores, _vector(scores), **options),
    "entropy": trees.entropy,
    "kl_divergence": lambda scores, **options: trees.kl_divergence(scores, _half(scores), **options),
}
each = pytest.mark.parametrize("name", FUNCTIONS)


def _vector(scores):
    shape = scores.scores.shape if isinstance(scores, trees.ArcList) else np.shape(scores)
    return np.linspace(-1.0, 1.0, int(np.prod(shape))).reshape(shape)


def _half(scores):
    if isinstance(scores, trees.ArcList):
        return trees.ArcList(scores.heads, scores.modifiers, scores.scores / 2, scores.num_words)
    return np.asarray(scores) / 2


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


@each
@pytest.mark.parametrize("single_root", [False, True])
def test_a_batch_is_a_loop(name, single_root):
    batch = np.stack([random_scores("plain", 7, seed, single_root) for seed in range(5)])
    together = as_tuple(FUNCTIONS[name](batch, single_root=single_root))
    for threads in (2, 3):
        for a, b in zip(
            together,
            as_tuple(FUNCTIONS[name](batch, single_root=single_root, num_threads=threads)),
            strict=True,
        ):
            np.testing.assert_array_equal(a, b)
    for i, scores in enumerate(batch):
        # The same direction for the item as it had in the batch.
        if name == "vjp":
            alone = (trees.marginals_vjp(scores, _vector(batch)[i], single_root=single_root),)
        else:
            alone = as_tuple(FUNCTIONS[name](scores, single_root=single_root))
        for a, b in zip(together, alone, strict=True):
            np.testing.assert_array_equal(a[i], b)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "vjp"])
def test_padding_is_not_read(name):
    short = random_scores("plain", 3, 0, False)
    padded = np.full((2, 7, 7), np.nan)
    padded[0, :4, :4] = short
    padded[1] = random_scores("plain", 6, 1, False)
    result = as_tuple(FUNCTIONS[name](padded, lengths=[3, 6]))
    alone = as_tuple(FUNCTIONS[name](short))
    for a, b in zip(result, alone, strict=True):
        inner = tuple(slice(0, s) for s in np.shape(b))
        np.testing.assert_array_equal(a[0][inner], b)
        assert not np.isnan(a).any()


def test_vjp_with_padding():
    short = random_scores("plain", 3, 0, False)
    padded = np.full((1, 7, 7), np.nan)
    padded[0, :4, :4] = short
    vector = np.ones((1, 7, 7))
    vector[0, :4, :4] = np.arange(16.0).reshape(4, 4)
    got = trees.marginals_vjp(padded, vector, lengths=[3])
    np.testing.assert_array_equal(got[0, :4, :4], trees.marginals_vjp(short, vector[0, :4, :4]))
    assert (got[0, 4:] == 0).all()


@each
@pytest.mark.parametrize("single_root", [False, True])
def test_an_arc_list_is_a_sparse_matrix(name, single_root):
    scores = np.nan_to_num(random_scores("pruned", 5, 0, single_root), nan=-np.inf, neginf=-np.inf)
    heads, modifiers = np.nonzero(scores > -np.inf)
    arcs = trees.ArcList(heads, modifiers, scores[heads, modifiers], 5)
    if name == "vjp":
        vector = np.zeros(scores.shape)
        vector[heads, modifiers] = _vector(arcs)
        dense = (trees.marginals_vjp(scores, vector, single_root=single_root),)
    else:
        dense = as_tuple(FUNCTIONS[name](scores, single_root=single_root))
    sparse = as_tuple(FUNCTIONS[name](arcs, single_root=single_root))
    for a, b in zip(sparse, dense, strict=True):
        expected = np.asarray(b)[heads, modifiers] if np.ndim(b) == 2 else b
        np.testing.assert_allclose(a, expected, rtol=1e-14)


@each
@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros((3, 4)), r"shape \(n \+ 1, n \+ 1\)"),
        (np.zeros(3), r"got \(3,\)"),
        (np.zeros((1, 1)), "at least one word"),
        (np.array([[0.0, np.nan], [0.0, 0.0]]), r"got nan at \[0, 1\]"),
        (np.array([[0.0, np.inf], [0.0, 0.0]]), r"got inf at \[0, 1\]"),
        (np.array([[0.0, 1e13], [0.0, 0.0]]), "within"),
    ],
)
def test_malformed_scores_are_named(name, scores, message):
    with pytest.raises(InvalidInputError, match=message):
        FUNCTIONS[name](scores)


def test_scores_that_are_no_numbers():
    with pytest.raises(InvalidInputError, match="array of numbers"):
        trees.marginals([["a", "b"], ["c", "d"]])


# Minus infinity is the answer of log_partition: test_sums.
raising = pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "log_partition"])


@raising
def test_unreachable_words_are_named(name):
    scores = np.zeros((5, 5))
    scores[:3, 3:] = -np.inf
    with pytest.raises(InvalidInputError, match="words 3, 4"):
        FUNCTIONS[name](scores)
    batch = np.stack([np.zeros((5, 5)), scores])
    with pytest.raises(InvalidInputError, match="item 1: no tree"):
        FUNCTIONS[name](batch)


@raising
def test_a_missing_single_root_is_named(name):
    scores = np.full((4, 4), -np.inf)
    scores[0, 1] = scores[0, 2] = scores[1, 3] = 0.0
    with pytest.raises(InvalidInputError, match=r"single root arc exists.*word 2 "):
        FUNCTIONS[name](scores, single_root=True)


@pytest.mark.parametrize("lengths", [[3], [3.0, 3.0], [0, 3], [3, 7]])
def test_malformed_lengths(lengths):
    with pytest.raises(InvalidInputError, match="lengths must"):
        trees.marginals(np.zeros((2, 7, 7)), lengths=lengths)


def test_lengths_without_a_batch():
    with pytest.raises(InvalidInputError, match="belong to a batch"):
        trees.marginals(np.zeros((7, 7)), lengths=[3])
    with pytest.raises(InvalidInputError, match="belong to a batch"):
        trees.marginals(trees.ArcList([0], [1], [0.0], 1), lengths=[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [1, 2], [0.0], 2), "one shape"),
        (([0], [1], [0.0], 0), "at least one word"),
        (([0], [0], [0.0], 2), r"arc 0 = \(0, 0\)"),
        (([3], [1], [0.0], 2), r"arc 0 = \(3, 1\)"),
        (([1], [1], [0.0], 2), r"arc 0 = \(1, 1\)"),
        (([0, 0], [1, 1], [0.0, 1.0], 2), "duplicates"),
        (([0], [1], [np.nan], 2), r"nan for arc \(0, 1\)"),
    ],
)
def test_malformed_arc_lists(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        trees.ArcList(*arguments)


def test_arc_list_without_a_tree():
    with pytest.raises(InvalidInputError, match="word 2"):
        trees.max_arborescence(trees.ArcList([0], [1], [0.0], 2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: trees.k_best(np.zeros((3, 3)), 0), "k >= 1"),
        (lambda: trees.score(np.zeros((2, 3, 3)), [-1, 0, 0]), "one matrix"),
        (lambda: trees.sample(np.zeros((3, 3)), -1, 0), "num_samples >= 0"),
        (lambda: trees.sample(np.zeros((3, 3)), 1, -1), "seed"),
        (lambda: trees.marginals_vjp(np.zeros((3, 3)), np.zeros(3)), "shape of the marginals"),
        (lambda: trees.marginals_vjp(np.zeros((3, 3)), np.full((3, 3), np.nan)), "finite"),
        (lambda: trees.kl_divergence(np.zeros((3, 3)), np.zeros((4, 4))), "one shape"),
        (lambda: trees.score(np.zeros((3, 3)), [-1, 2, 1]), "cycle"),
        (lambda: trees.score(np.zeros((3, 3)), [-1, 0]), "integers of shape"),
        (lambda: trees.score(np.zeros((3, 3)), [-1, 0, 3]), "lie in"),
    ],
)
def test_malformed_arguments(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()


def test_no_samples_is_an_empty_array():
    assert trees.sample(np.zeros((3, 3)), 0, 0).shape == (0, 3)
