"""Distributions over labellings against enumeration, and their gradients against finite differences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from ramify.errors import InvalidInputError

torch = pytest.importorskip("torch", reason="ramify.torch needs PyTorch: pip install 'ramify[neural]'")
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

from ramify.torch import Chains  # noqa: E402

pytestmark = pytest.mark.engine


def random_scores(*shape, seed=0, scale=1.0):
    return scale * torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def enumerated(scores, pairs):
    """Labellings of one sentence, and the score of each."""
    n, k = scores.shape
    labellings = np.array(list(itertools.product(range(k), repeat=n)))
    words = np.arange(n)
    values = scores[words, labellings].sum(1) + pairs[words[:-1], labellings[:, :-1], labellings[:, 1:]].sum(1)
    return labellings, values


@pytest.mark.parametrize("k", [2, 3])
def test_equals_enumeration(k):
    scores, pairs = random_scores(4, k), random_scores(3, k, k, seed=1)
    labellings, values = enumerated(scores.numpy(), pairs.numpy())
    log_z = np.logaddexp.reduce(values)
    p = np.exp(values - log_z)
    found = Chains(scores, pairs)
    assert found.log_partition().item() == pytest.approx(log_z)
    assert found.entropy().item() == pytest.approx(-(p * np.log(p)).sum())
    marginals, expected = found.marginals(), np.zeros((4, k))
    np.add.at(expected, (np.arange(4), labellings), p[:, None])
    assert np.allclose(marginals.labels, expected)
    assert marginals.pairs[1, 0, 1].item() == pytest.approx(p[(labellings[:, 1] == 0) & (labellings[:, 2] == 1)].sum())
    best, value = found.argmax()
    assert best.tolist() == labellings[values.argmax()].tolist()
    assert value.item() == pytest.approx(values.max())
    best_with = found.max_marginals()
    for i, label in itertools.product(range(4), range(k)):
        assert best_with[i, label].item() == pytest.approx(values[labellings[:, i] == label].max())
    ranked, scored = found.k_best(len(values) + 1)
    assert np.allclose(scored[:-1], np.sort(values)[::-1])
    assert len({tuple(row) for row in ranked[:-1].tolist()}) == len(values)
    assert scored[-1] == -math.inf
    assert ranked[-1].tolist() == [-1] * 4


def test_batch_is_its_items():
    items, pairs = [random_scores(n, 3, seed=n) for n in (3, 1, 4)], random_scores(3, 3)
    listed = Chains(items, pairs)
    assert listed.k_best(40)[0].shape == (3, 40, 4)
    for i, item in enumerate(items):
        one, n = Chains(item, pairs), len(item)
        assert torch.allclose(listed.log_partition()[i], one.log_partition())
        assert torch.allclose(listed.marginals().labels[i], one.marginals().labels)
        assert torch.allclose(listed.marginals().pairs[i], one.marginals().pairs)
        assert torch.allclose(listed.max_marginals()[i], one.max_marginals())
        assert listed.argmax()[0][i, :n].tolist() == one.argmax()[0].tolist()
        count = 3**n
        assert torch.allclose(listed.k_best(count)[1][i], one.k_best(count)[1])


def test_samples_follow_the_distribution():
    scores = random_scores(2, 3, 2)
    chains = Chains(scores, random_scores(2, 2), lengths=[3, 2])
    drawn = chains.sample(3000, seed=1)
    assert (drawn[1, :, 2] == -1).all()
    assert torch.allclose((drawn == 1).double().mean(1), chains.marginals().labels[..., 1], atol=0.05)
    both = ((drawn[:, :, 0] == 1) & (drawn[:, :, 1] == 0)).double().mean(1)
    assert torch.allclose(both, chains.marginals().pairs[:, 0, 1, 0], atol=0.05)


@pytest.mark.parametrize("k", [2, 3])
def test_gradients(k):
    scores, pairs = random_scores(2, 3, k).requires_grad_(), random_scores(k, k, seed=3).requires_grad_()

    def make(*given):
        return Chains(*given, lengths=[3, 2])

    assert gradcheck(lambda *t: make(*t).log_partition(), (scores, pairs))
    assert gradgradcheck(lambda *t: make(*t).log_partition(), (scores, pairs))
    assert gradcheck(lambda *t: make(*t).entropy(), (scores, pairs))
    assert gradcheck(lambda *t: make(*t).marginals().pairs, (scores, pairs))
    assert gradcheck(lambda *t: make(*t).k_best(2)[1], (scores, pairs))
    assert gradcheck(lambda *t: make(*t).max_marginals()[0], (scores, pairs))


def test_forbidden_labels():
    scores, mask = random_scores(3, 3), torch.ones(3, 3, dtype=torch.bool)
    mask[1, 0] = False
    chains = Chains(scores, random_scores(3, 3), mask=mask)
    assert chains.marginals().labels[1, 0] == 0
    assert not (chains.sample(200, seed=0)[:, 1] == 0).any()
    mask[1] = False
    with pytest.raises(InvalidInputError, match="no labelling is possible"):
        Chains(scores, random_scores(3, 3), mask=mask).marginals()


def test_large_scores():
    scores = random_scores(2, 9, 4, scale=1e3).requires_grad_()
    chains = Chains(scores, random_scores(4, 4, scale=1e3))
    (chains.log_partition() + chains.entropy()).sum().backward()
    assert torch.isfinite(scores.grad).all()


def test_compiled():
    def loss(scores, pairs, labels):
        return -Chains(scores, pairs).log_prob(labels).sum()

    given, labels = [random_scores(2, 3, 3), random_scores(3, 3)], torch.tensor([[0, 1, 2], [2, 2, 0]])
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    assert torch.allclose(loss(*given, labels), compiled(*given, labels))


@pytest.mark.parametrize(
    ("scores", "transitions", "message"),
    [
        (torch.zeros(3, 1), torch.zeros(1, 1), "at least two labels"),
        (torch.zeros(3, 2), torch.zeros(2, 3), "transitions of shape"),
        (torch.zeros(3), torch.zeros(2, 2), "with 2 axes"),
    ],
)
def test_bad_input(scores, transitions, message):
    with pytest.raises(InvalidInputError, match=message):
        Chains(scores, transitions)
