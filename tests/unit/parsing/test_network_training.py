"""Training of networks for parsers: the run, its events, its interruptions, and what needs no PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="networks are trained with PyTorch: pip install 'ramify[neural]'")

from ramify import Parser  # noqa: E402
from ramify.data import read  # noqa: E402
from ramify.errors import InvalidInputError  # noqa: E402
from ramify.learn.progress import EpochDone, Step  # noqa: E402
from ramify.parsing import Config, train  # noqa: E402
from support.models import check_resuming, stop_after  # noqa: E402
from support.networks import SMALL  # noqa: E402
from support.processes import printed_without  # noqa: E402

TINY = SMALL | {
    "training.epochs": 3,
    "fitting.batch": 150,
    "fitting.rate": 0.01,
    "fitting.device": "cpu",
    "inference.temperature": 1.0,
}


@pytest.fixture(scope="module")
def few(sample):
    return list(read(sample))[:60]


def tiny(**more):
    return Config.preset("neural").override(TINY | more)


def test_interrupted_training_goes_on_bit_by_bit(few, tmp_path):
    def run(**more):
        train(tiny(), few, few[:10], **more)

    check_resuming(run, tmp_path, [stop_after(2, stage="network"), stop_after(4, stage="network")])


def test_networks_learn_and_their_models_say_so(few, tmp_path):
    events = []
    options = {"training.epochs": 15, "network.hidden": 24, "network.arc-size": 24, "inference.temperature": 0.0}
    options |= {"fitting.rate": 0.02, "fitting.dropout": 0.1, "fitting.recurrent-dropout": 0, "model.parts": ""}
    options |= {"network.rank": 0, "fitting.word-dropout": 0.1, "fitting.average": 0.9}
    parser = Parser(train(tiny(**options), few, few[:12], output=tmp_path / "model", progress=events.append))
    epochs = [event for event in events if isinstance(event, EpochDone)]
    assert epochs[-1].scores["LAS"] > epochs[0].scores["LAS"] + 0.1
    assert {event.stage for event in events if isinstance(event, Step)} == {"network", "calibration", "scores on dev"}
    assert 0.2 < parser.facts["scores"]["las"] <= 1.0
    assert "trained on a machine with" in parser.card
    assert "2 layers of 2 x 24" in parser.card
    again = Parser.load(tmp_path / "model")
    for a, b in zip(parser.parse(few), again.parse(few), strict=True):
        np.testing.assert_array_equal(a.heads, b.heads)


def test_parsing_needs_no_torch(few, tmp_path):
    train(tiny(**{"training.epochs": 1}), few, output=tmp_path / "model.zip")
    printed = printed_without(
        "torch",
        "from ramify import Parser; from ramify.data import Sentence",
        f"parser = Parser.load({str(tmp_path / 'model.zip')!r})",
        "print(len(parser.parse(Sentence(['It', 'works'], upos=['PRON', 'VERB']), k=2, marginals=True).heads))",
    )
    assert printed == "2\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model.parts": "sibling"}, r"model\.parts expects 'any-sibling' and 'grand'"),
        ({"network.rank": 0}, r"network\.rank expects 1 or more"),
        ({"network.word-size": 0, "network.character-size": 0, "network.tag-size": 0}, "network expects an input"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options, message, few):
    with pytest.raises(InvalidInputError, match=message):
        train(tiny(**options), few)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_named(few):
    with pytest.raises(InvalidInputError, match=r"fitting\.device = 'cuda' expects a GPU"):
        train(tiny(**{"fitting.device": "cuda"}), few)
