"""Distributions over trees against enumeration, and their gradients against finite differences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from oracles.projective import projective_trees, tree_parts
from oracles.trees import all_trees
from ramify.errors import InvalidInputError, UnsupportedError

torch = pytest.importorskip("torch", reason="ramify.torch needs PyTorch: pip install 'ramify[neural]'")
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

from ramify.torch import (  # noqa: E402
    Grandparents,
    GrandSiblings,
    NonprojectiveTrees,
    ProjectiveTrees,
    Siblings,
    TriSiblings,
)

pytestmark = pytest.mark.engine

KINDS = [NonprojectiveTrees, ProjectiveTrees]


def legal_trees(kind, n, single_root):
    return all_trees(n, single_root) if kind is NonprojectiveTrees else np.array(projective_trees(n, single_root))


def enumerated(kind, scores, single_root):
    """Trees of one sentence, and the score of each."""
    n = len(scores) - 1
    trees = legal_trees(kind, n, single_root)
    return trees, scores[trees[:, 1:], np.arange(1, n + 1)].sum(1)


def random_scores(*shape, seed=0, scale=1.0):
    return scale * torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_equals_enumeration(kind, single_root):
    scores = random_scores(5, 5)
    trees, values = enumerated(kind, scores.numpy(), single_root)
    log_z = np.logaddexp.reduce(values)
    p = np.exp(values - log_z)
    found = kind(scores, single_root=single_root)
    assert found.log_partition().item() == pytest.approx(log_z)
    marginals = np.zeros((5, 5))
    for tree, share in zip(trees, p, strict=True):
        marginals[tree[1:], range(1, 5)] += share
    assert np.allclose(found.marginals(), marginals)
    assert found.entropy().item() == pytest.approx(-(p * np.log(p)).sum())
    best, value = found.argmax()
    assert best.tolist() == trees[values.argmax()].tolist()
    assert value.item() == pytest.approx(values.max())
    with_arc = found.max_marginals()
    for h, m in itertools.product(range(5), range(1, 5)):
        having = values[trees[:, m] == h]
        assert with_arc[h, m].item() == pytest.approx(having.max() if having.size else -math.inf)


@pytest.mark.parametrize("kind", KINDS)
def test_k_best_ends_where_there_are_no_more(kind):
    scores = random_scores(3, 3)
    trees, values = enumerated(kind, scores.numpy(), False)
    found, ranked = kind(scores).k_best(len(trees) + 2)
    assert np.allclose(ranked[:-2], np.sort(values)[::-1])
    assert {tuple(row) for row in found[:-2].tolist()} == {tuple(row) for row in trees.tolist()}
    assert found[-2:].tolist() == [[-1] * 3] * 2
    assert ranked[-2:].tolist() == [-math.inf] * 2


@pytest.mark.parametrize("kind", KINDS)
def test_samples_follow_the_distribution(kind):
    scores = random_scores(2, 4, 4)
    trees = kind(scores, lengths=[3, 2])
    drawn = trees.sample(3000, seed=1)
    assert drawn.shape == (2, 3000, 4)
    assert torch.equal(drawn, trees.sample(3000, seed=1))
    assert (drawn[1, :, 3] == -1).all()
    counts = torch.stack([(drawn == h).double().mean(1) for h in range(4)], 1)
    assert torch.allclose(counts[..., 1:], trees.marginals()[..., 1:], atol=0.05)
    torch.manual_seed(5)
    once = trees.sample(2)
    torch.manual_seed(5)
    assert torch.equal(once, trees.sample(2))


@pytest.mark.parametrize("kind", KINDS)
def test_log_prob(kind):
    scores = random_scores(2, 4, 4)
    found = kind(scores, lengths=[3, 2], single_root=True)
    structures, values = found.k_best(2)
    assert torch.allclose(found.score(structures), values)
    assert torch.allclose(found.log_prob(structures), values - found.log_partition()[:, None])
    assert torch.allclose(found.log_prob(structures[:, 0]), values[:, 0] - found.log_partition())


@pytest.mark.parametrize("kind", KINDS)
def test_batch_is_its_items(kind):
    items = [random_scores(n + 1, n + 1, seed=n) for n in (4, 1, 3)]
    padded = torch.full((3, 5, 5), 7.0, dtype=torch.float64)
    for row, item in zip(padded, items, strict=True):
        row[: len(item), : len(item)] = item
    batch, listed = kind(padded, lengths=torch.tensor([4, 1, 3])), kind(items)
    for i, item in enumerate(items):
        one = kind(item)
        for both in (batch, listed):
            assert torch.allclose(both.log_partition()[i], one.log_partition())
            assert torch.allclose(both.entropy()[i], one.entropy())
            assert both.argmax()[0][i, : len(item)].tolist() == one.argmax()[0].tolist()
        assert torch.allclose(listed.marginals()[i], one.marginals())
        assert torch.allclose(batch.marginals()[i, : len(item), : len(item)], one.marginals())
    assert batch.marginals()[1, 2:].abs().max() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_mask_prunes(kind):
    scores, mask = random_scores(4, 4), torch.ones(4, 4, dtype=torch.bool)
    mask[0, 2] = mask[3, 1] = False
    pruned = scores.masked_fill(~mask, -torch.inf)
    assert kind(scores, mask=mask).log_partition() == kind(pruned).log_partition()
    assert torch.equal(
        kind([scores, scores[:2, :2]], mask=[mask, mask[:2, :2]]).marginals()[0], kind(pruned).marginals()
    )


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_gradients(kind, single_root):
    scores = random_scores(2, 4, 4).requires_grad_()

    def make(s):
        return kind(s, lengths=[3, 2], single_root=single_root)

    assert gradcheck(lambda s: make(s).log_partition(), scores)
    assert gradgradcheck(lambda s: make(s).log_partition(), scores)
    for function in ("marginals", "entropy"):
        assert gradcheck(lambda s, f=function: getattr(make(s), f)(), scores)
    assert gradcheck(lambda s: make(s).argmax()[1], scores)
    assert gradcheck(lambda s: make(s).k_best(2)[1], scores)
    assert gradcheck(lambda s: torch.where(make(s).max_marginals() > -1e9, make(s).max_marginals(), 0), scores)


def test_third_derivatives_are_refused():
    scores = random_scores(3, 3).requires_grad_()
    (grad,) = torch.autograd.grad(NonprojectiveTrees(scores).entropy(), scores, create_graph=True)
    with pytest.raises(UnsupportedError, match="the first derivative of marginals"):
        grad.sum().backward()


@pytest.mark.parametrize("kind", KINDS)
def test_large_scores(kind):
    scores = random_scores(12, 12, scale=1e3).float().requires_grad_()
    found = kind(scores)
    total = found.log_partition() + found.entropy() + found.marginals().sum()
    total.backward()
    assert torch.isfinite(total)
    assert torch.isfinite(scores.grad).all()
    assert found.marginals()[:, 1:].sum(0).tolist() == pytest.approx([1.0] * 11, abs=1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_types(dtype):
    scores = random_scores(4, 4).to(dtype).requires_grad_()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        log_z = NonprojectiveTrees(scores).log_partition()
    log_z.backward()
    assert log_z.dtype == torch.float32
    assert scores.grad.dtype == dtype
    assert log_z.item() == pytest.approx(NonprojectiveTrees(scores.detach().double()).log_partition().item(), rel=1e-5)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled(backend):
    def loss(scores, heads):
        trees = NonprojectiveTrees(scores, single_root=True)
        return (trees.entropy() - trees.log_prob(heads)).sum()

    scores, heads = random_scores(2, 4, 4), torch.tensor([[-1, 0, 1, 1], [-1, 2, 0, 2]])
    grads = []
    for function in (loss, torch.compile(loss, backend=backend, fullgraph=True)):
        given = scores.clone().requires_grad_()
        function(given, heads).backward()
        grads.append(given.grad)
    assert torch.allclose(*grads)


LARGER = [(Siblings, ["sibling"]), (Grandparents, ["grand"]), (GrandSiblings, ["grandsib", "sibling", "grand"])]
LARGER += [(GrandSiblings, ["grandsib"]), (TriSiblings, ["trisib", "grandsib", "sibling", "grand"])]
LARGER += [(TriSiblings, ["trisib"])]


def larger_parts(kind, names, n, seed=0, lead=()):
    axes = kind.twin.axes
    shapes = [("arc", 2), *((name, axes[name]) for name in names)]
    return kind(**{name: random_scores(*lead, *[n + 1] * a, seed=seed + i) for i, (name, a) in enumerate(shapes)})


@pytest.mark.parametrize(("kind", "names"), LARGER)
def test_larger_parts_equal_enumeration(kind, names):
    parts, n = larger_parts(kind, names, 3), 3
    trees = projective_trees(n)
    listed = [tree_parts(tree, kind is TriSiblings) for tree in trees]
    given = ["arc", *names]
    values = np.array(
        [sum(getattr(parts, name)[cell].item() for name in given for cell in cells[name]) for cells in listed]
    )
    found = ProjectiveTrees(parts)
    assert found.log_partition().item() == pytest.approx(np.logaddexp.reduce(values))
    p = np.exp(values - np.logaddexp.reduce(values))
    marginals = found.marginals()
    for name in given:
        expected = torch.zeros_like(getattr(parts, name))
        for cells, share in zip(listed, p, strict=True):
            for cell in cells[name]:
                expected[cell] += share
        assert torch.allclose(getattr(marginals, name), expected)
    best, value = found.argmax()
    assert best.tolist() == list(trees[values.argmax()])
    assert value.item() == pytest.approx(values.max())
    with_arc = found.max_marginals()
    assert with_arc[0, 1].item() == pytest.approx(max(v for t, v in zip(trees, values, strict=True) if t[1] == 0))


@pytest.mark.parametrize(("kind", "names"), LARGER[:3])
def test_gradients_of_larger_parts(kind, names):
    parts = larger_parts(kind, names, 2, lead=(2,))
    tensors = [getattr(parts, name).requires_grad_() for name in ["arc", *names]]

    def make(*given):
        return ProjectiveTrees(kind(**dict(zip(["arc", *names], given, strict=True))), lengths=[2, 1])

    assert gradcheck(lambda *t: make(*t).log_partition(), tensors)
    assert gradcheck(lambda *t: make(*t).entropy(), tensors)
    assert gradcheck(lambda *t: make(*t).argmax()[1], tensors)
    assert gradcheck(lambda *t: getattr(make(*t).marginals(), names[0]), tensors)


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        (np.zeros((3, 3)), {}, "as a tensor or a list of tensors; got ndarray"),
        (torch.zeros(3), {}, "with 2 axes, or 3 for a batch"),
        (torch.zeros(3, 3, dtype=torch.int64), {}, "float scores"),
        (torch.zeros(2, 3), {}, "square matrices"),
        (torch.zeros(1, 1), {}, "at least one word"),
        (torch.zeros(3, 3), {"lengths": [2]}, "only with a batch"),
        (torch.zeros(2, 3, 3), {"lengths": [2]}, "lengths as 2 integers"),
        (torch.zeros(2, 3, 3), {"lengths": [2, 3]}, "lengths in 1…2; got 2 to 3"),
        ([torch.zeros(3, 3)], {"lengths": [2]}, "a list have lengths of their own"),
        ([], {}, "at least one tensor"),
        ([torch.zeros(1, 1)], {}, "at least one word in each item"),
        (torch.zeros(3, 3), {"mask": torch.ones(3, 3)}, "mask as booleans"),
    ],
)
def test_bad_input(scores, options, message):
    with pytest.raises(InvalidInputError, match=message):
        NonprojectiveTrees(scores, **options)


def test_bad_parts():
    with pytest.raises(InvalidInputError, match="sibling of shape"):
        ProjectiveTrees(Siblings(torch.zeros(3, 3), torch.zeros(3, 3, 2)))
    with pytest.raises(InvalidInputError, match="no mask with larger parts"):
        ProjectiveTrees(Siblings(torch.zeros(3, 3), torch.zeros(3, 3, 3)), mask=torch.ones(3, 3, dtype=torch.bool))


@pytest.mark.parametrize("kind", KINDS)
def test_no_tree(kind):
    scores = torch.zeros(2, 3, 3)
    scores[1, :, 2] = -torch.inf
    with pytest.raises(InvalidInputError, match="item 1"):
        kind(scores).marginals()
    with pytest.raises(InvalidInputError, match="item 1"):
        kind(scores).argmax()


def test_bad_structures():
    found = NonprojectiveTrees(torch.zeros(3, 3))
    with pytest.raises(InvalidInputError, match="expects structures of shape"):
        found.score(torch.zeros(4, dtype=torch.int64))
    with pytest.raises(InvalidInputError, match="expects k to be a whole number"):
        found.k_best(0)
    with pytest.raises(InvalidInputError, match="num_samples"):
        found.sample(-1)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU: the same numbers on a GPU cannot be compared")
@pytest.mark.parametrize("kind", KINDS)
def test_gpu(kind):
    scores = random_scores(2, 5, 5)
    there = kind(scores.cuda(), lengths=[4, 2])
    here = kind(scores, lengths=[4, 2])
    assert there.marginals().device.type == "cuda"
    assert torch.allclose(there.marginals().cpu(), here.marginals(), atol=1e-5)
    assert torch.equal(there.argmax()[0].cpu(), here.argmax()[0])
