"""Parsers whose networks read a pretrained encoder: training, resuming, files, and equal scores in both run-times."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="encoders need PyTorch: pip install 'ramify[encoders]'")
pytest.importorskip("transformers", reason="encoders need transformers: pip install 'ramify[encoders]'")

from ramify import Parser  # noqa: E402
from ramify.data import read  # noqa: E402
from ramify.errors import InterruptedTrainingError, InvalidInputError, ModelError  # noqa: E402
from ramify.neural.batches import Corpus  # noqa: E402
from ramify.neural.encoder import FrozenEncoding, open_state  # noqa: E402
from ramify.parsing import Config, train  # noqa: E402
from ramify.parsing.network_training import example_of  # noqa: E402
from ramify.parsing.saliency import network_of  # noqa: E402
from support.encoders import make_encoder  # noqa: E402
from support.models import check_resuming, stop_after  # noqa: E402
from support.networks import OWN_TAGS, SMALL  # noqa: E402
from support.processes import printed_without  # noqa: E402

TINY = SMALL | {
    "training.epochs": 2,
    "fitting.batch": 150,
    "fitting.rate": 0.01,
    "fitting.device": "cpu",
    "inference.temperature": 1.0,
    "encoder.rate": 0.01,
}


@pytest.fixture(scope="module")
def few(sample):
    return list(read(sample))[:30]


@pytest.fixture
def folder(tmp_path_factory):
    return make_encoder(tmp_path_factory.mktemp("encoder"))


def tiny(folder, **more):
    return Config.preset("neural").override(TINY | {"encoder.path": str(folder)} | more)


@pytest.mark.parametrize("options", [{}, {"network.word-size": 0, **OWN_TAGS}], ids=["joined", "alone, own tags"])
def test_frozen_encoders_stay_in_their_folder(options, few, folder, tmp_path):
    train(tiny(folder, **options), few, output=tmp_path / "model.zip")
    parser = Parser.load(tmp_path / "model.zip")
    assert f"encoder:  name {folder.name}, kind bert; frozen, read from {folder}; licence: apache-2.0" in parser.card
    assert parser.parse(few[0], k=2, marginals=True).marginals is not None
    # The engine has the scores of PyTorch, from the same weights.
    state = parser._state
    encoding = FrozenEncoding(open_state(state.network.encoder, state.config.encoder))
    batch = Corpus([example_of(few[1])], state.network.vocabulary, "cpu", encoding).batch([0])
    with torch.no_grad():
        expected = network_of(state.config.network, state.network)(batch).arcs[0].numpy()
    (said,) = parser._model.reader.read([few[1]._core], 1)
    np.testing.assert_allclose(said.arcs, expected, atol=2e-3 * max(1, np.abs(expected).max()))
    shutil.rmtree(folder)
    with pytest.raises(ModelError, match=r"encoder\.path expects a local folder; there is none"):
        Parser.load(tmp_path / "model.zip")


def test_fine_tuned_encoders_are_part_of_the_model(few, folder, tmp_path):
    options = {"encoder.frozen": False, "model.parts": "", "network.rank": 0}
    state = train(tiny(folder, **options), few, few[:5], output=tmp_path / "model.zip")
    before = open_state(state.network.encoder, state.config.encoder)
    shutil.rmtree(folder)
    parser = Parser.load(tmp_path / "model.zip")
    assert "fine-tuned, part of the model" in parser.card
    for a, b in zip(parser.parse(few[:9]), Parser(state).parse(few[:9]), strict=True):
        np.testing.assert_array_equal(a.heads, b.heads)
    original = make_encoder(tmp_path / "again")
    from ramify.neural.encoder import open_folder
    from ramify.neural.options import Encoder

    untouched, _ = open_folder(Encoder(path=str(original)))
    assert np.abs(before.vectors([["cat"]])[0] - untouched.vectors([["cat"]])[0]).max() > 0.01  # it has learned


@pytest.mark.parametrize("frozen", [True, False])
def test_interrupted_training_goes_on_bit_by_bit(frozen, few, folder, tmp_path):
    def run(**more):
        train(tiny(folder, **{"encoder.frozen": frozen}), few, **more)

    check_resuming(run, tmp_path, [stop_after(2, stage="network")])


def test_training_does_not_resume_with_another_encoder(few, folder, tmp_path):
    with pytest.raises(InterruptedTrainingError):
        train(tiny(folder), few, output=tmp_path / "model.zip", progress=stop_after(2, stage="network"))
    make_encoder(folder, seed=1)
    with pytest.raises(ModelError, match=r"the files in encoder\.path have changed"):
        train(tiny(folder), few, output=tmp_path / "model.zip", resume=True)


def test_a_missing_library_is_named(few, folder, tmp_path):
    train(tiny(folder, **{"training.epochs": 1}), few, output=tmp_path / "model.zip")
    printed = printed_without(
        "transformers",
        "import ramify",
        f"try: ramify.load({str(tmp_path / 'model.zip')!r})",
        "except ramify.errors.MissingExtraError as error: print(error)",
    )
    assert "'transformers'; install it with: pip install 'ramify[encoders]'" in printed


def test_saliency_and_features_are_refused(few, folder, tmp_path):
    parser = Parser(train(tiny(folder, **{"training.epochs": 1}), few))
    with pytest.raises(InvalidInputError, match="explain expects a network without a pretrained encoder"):
        parser.explain(few[0], 1, saliency=True)
    with pytest.raises(InvalidInputError, match=r"encoder\.path expects model\.scorer = 'neural'"):
        train(Config.preset("first").override({"encoder.path": str(folder)}), few)
