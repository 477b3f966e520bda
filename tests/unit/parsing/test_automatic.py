"""The preset auto keeps the better of two parsers, also after an interruption."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="networks are trained with PyTorch: pip install 'ramify[neural]'")

from ramify import Parser  # noqa: E402
from ramify.data import read  # noqa: E402
from ramify.errors import InterruptedTrainingError, InvalidInputError  # noqa: E402
from ramify.parsing import Config, train  # noqa: E402
from ramify.parsing.automatic import candidates  # noqa: E402
from ramify.pipeline import PipelineConfig  # noqa: E402
from support.models import stop_after  # noqa: E402
from support.networks import SMALL  # noqa: E402

TINY = {key: value for key, value in SMALL.items() if not key.startswith("model.")}
TINY |= {"network.rank": 0, "training.epochs": 1, "fitting.device": "cpu", "inference.temperature": 1.0}


@pytest.fixture(scope="module")
def few(sample):
    return list(read(sample))[:60]


def tiny(**more):
    return Config.preset("auto").override(TINY | more)


def test_options_reach_both_candidates():
    second, neural = candidates(tiny()).values()
    assert (second.training.epochs, neural.training.epochs) == (1, 1)
    assert (second.is_neural, neural.is_neural, neural.network.hidden) == (False, True, 8)
    assert second.model.parts == Config.preset("second").model.parts
    assert list(candidates(Config.preset("auto")).values()) == [Config.preset("second"), Config.preset("neural")]


def test_the_better_parser_is_kept(few, tmp_path):
    state = train(tiny(), few, few[:10], output=tmp_path / "model")
    parser = Parser.load(tmp_path / "model")
    scores = {name: train(each, few, few[:10]).facts["scores"]["las"] for name, each in candidates(tiny()).items()}
    assert state.facts["chosen"] == scores
    assert scores["second"] > scores["neural"]  # which has seen each word once
    assert not parser.config.is_neural
    assert f"preset second (LAS {100 * scores['second']:.2f}) rather than neural" in parser.card
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_an_interrupted_run_goes_on(few, tmp_path):
    with pytest.raises(InterruptedTrainingError):
        train(tiny(), few, few[:10], output=tmp_path / "model", progress=stop_after(1, stage="network"))
    assert {path.name for path in tmp_path.iterdir()} == {"model.second", "model.neural"}
    resumed = train(tiny(), few, few[:10], output=tmp_path / "model", resume=True)
    assert resumed.facts["chosen"] == train(tiny(), few, few[:10]).facts["chosen"]


def test_what_auto_needs(few):
    with pytest.raises(InvalidInputError, match="preset auto chooses a parser by its scores on dev data"):
        train(tiny(), few)
    with pytest.raises(InvalidInputError, match="pipeline expects another preset than 'auto'"):
        PipelineConfig.preset("auto")
    assert "auto" not in PipelineConfig.preset_names()
