"""Updates of networks: they learn, they can go on where they stopped, and bad weights are refused."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="networks are trained with PyTorch: pip install 'ramify[neural]'")

from oracles.trees import all_trees  # noqa: E402
from ramify.data import read  # noqa: E402
from ramify.neural.batches import Corpus  # noqa: E402
from ramify.neural.fitting import Fitter, evaluate, fill, loss_of  # noqa: E402
from ramify.neural.network import Scorer  # noqa: E402
from ramify.neural.options import Fitting, Network  # noqa: E402
from ramify.neural.vocabulary import Vocabulary  # noqa: E402
from support.networks import example_of  # noqa: E402

OPTIONS = Network(
    word_size=8, character_size=4, character_hidden=4, tag_size=8, hidden=12, arc_size=10, label_size=6, rank=4
)


@pytest.fixture(scope="module")
def examples(sample):
    return [example_of(sentence) for sentence in list(read(sample))[:30]]


@pytest.fixture(scope="module")
def names(examples):
    return Vocabulary.collect(examples)


def fitter(names, seed=3, options=OPTIONS, **more):
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    usual = {"rate": 0.02, "dropout": 0.1, "word_dropout": 0.1, "recurrent_dropout": 0.1, "average": 0.9}
    return Fitter(Scorer(options, names), Fitting(**usual | more), seed)


def test_it_learns(examples, names):
    corpus = Corpus(examples, names)
    training = fitter(names)
    before = evaluate(training.averaged, corpus)
    for step in range(60):
        training.update(corpus.batch(list(range(step % 2, 30, 2))), step / 60)
    after = evaluate(training.averaged, corpus)
    assert after["uas"] > before["uas"] + 40
    assert after["las"] > before["las"] + 15


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_training_goes_on_bit_by_bit(examples, names, precision):
    corpus = Corpus(examples, names)
    whole, first, second = (fitter(names, precision=precision) for _ in range(3))
    for step in range(4):
        whole.update(corpus.batch([step, step + 1]), step / 4)
    for step in range(2):
        first.update(corpus.batch([step, step + 1]), step / 4)
    second.restore(first.state())
    for step in range(2, 4):
        second.update(corpus.batch([step, step + 1]), step / 4)
    for name, array in whole.state().items():
        np.testing.assert_array_equal(array, second.state()[name], err_msg=name)


def test_the_loss_of_trees_is_that_of_enumeration(examples, names):
    short = [example for example in examples if len(example.forms) == 4][:1]
    model = Scorer(Network(**vars(OPTIONS) | {"rank": 0}), names).eval()
    batch = Corpus(short, names).batch([0])
    with torch.no_grad():
        scores = model(batch)
        labels = loss_of(model, batch, Fitting()) - loss_of_heads(scores, batch)
        found = loss_of(model, batch, Fitting(loss="tree")) - labels
    arcs = scores.arcs[0].numpy().astype(np.float64)
    totals = [sum(arcs[h, m] for m, h in enumerate(heads) if m) for heads in all_trees(4, True)]
    gold = sum(arcs[h, m] for m, h in enumerate(short[0].heads, 1))
    assert float(found) == pytest.approx((np.log(np.exp(totals).sum()) - gold) / 4, rel=1e-4)


def loss_of_heads(scores, batch):
    arcs = scores.arcs[0].numpy().astype(np.float64)
    np.fill_diagonal(arcs, -np.inf)
    rows = [np.log(np.exp(arcs[:, m]).sum()) - arcs[int(batch.heads[0, m]), m] for m in range(1, len(arcs))]
    return np.mean(rows)


def test_weights_of_another_network_are_refused(names):
    with pytest.raises(ValueError, match=r"expected .* weights of 32 bits, found 3"):
        fill(Scorer(OPTIONS, names), np.zeros(3, np.float32))


def test_unknown_heads_teach_nothing(examples, names):
    partial = [example._replace(heads=[-1] * (len(example.heads) - 1) + [0]) for example in examples[:3]]
    batch = Corpus(partial, names).batch([0, 1, 2])
    assert int((batch.heads >= 0).sum()) == 3
    loss = loss_of(Scorer(OPTIONS, names), batch, Fitting())
    assert torch.isfinite(loss)
