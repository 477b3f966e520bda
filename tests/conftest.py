"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile("ramify", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ramify")


@pytest.fixture(scope="session")
def samples() -> Path:
    """Folder of the small files that are committed with the tests."""
    return ROOT / "tests" / "data"


@pytest.fixture(scope="session")
def sample(samples) -> Path:
    """A treebank of 200 short sentences, to train on."""
    return samples / "ewt-sample-200.conllu"


@pytest.fixture(scope="session")
def parser(sample):
    """A second-order parser that has learned the sample by heart."""
    from ramify import Parser

    options = {"training.epochs": "6", "pruner.bits": "17"}
    return Parser.train(train=sample, dev=sample, preset="second", options=options, licence="CC BY-SA")


@pytest.fixture(scope="session")
def model(parser, tmp_path_factory) -> Path:
    """The same parser as a model directory; not to be changed."""
    path = tmp_path_factory.mktemp("models") / "model"
    parser.save(path)
    return path


@pytest.fixture(scope="session")
def treebanks() -> Path:
    """Folder of the full treebanks; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("RAMIFY_TREEBANKS", ROOT.parent / "shared" / "data" / "treebanks"))
    if not folder.is_dir():
        pytest.skip("needs full treebanks: set RAMIFY_TREEBANKS to a folder of CoNLL-U files")
    return folder


@pytest.fixture(scope="session")
def treebank_folder(sample, tmp_path_factory) -> Path:
    """A folder as Universal Dependencies has them, with the sample as all that is learned from."""
    folder = tmp_path_factory.mktemp("treebanks") / "UD_English-Sample"
    folder.mkdir()
    (folder / "en_sample-ud-train.conllu").write_bytes(sample.read_bytes())
    (folder / "README.md").write_text("# Summary\n\n=== Machine-readable metadata ===\nLicense: CC BY-SA 4.0\n")
    return folder


@pytest.fixture(scope="session")
def pipeline_config():
    """Options of a pipeline that is trained in a second or two."""
    from ramify.parsing import Config
    from ramify.pipeline import PipelineConfig

    options = {f"{name}.training.epochs": "2" for name in ("upos", "xpos", "feats", "lemma")}
    options |= {"segmenter.epochs": "6", "segmenter.bits": "15"}
    options |= {"parser.training.epochs": "2", "parser.pruner.bits": "16"}
    return PipelineConfig(parser=Config.preset("first"), folds=2).override(options)


@pytest.fixture(scope="session")
def pipeline_model(treebank_folder, pipeline_config, tmp_path_factory) -> Path:
    """A small pipeline as a directory; not to be changed."""
    from ramify.pipeline import train

    path = tmp_path_factory.mktemp("pipelines") / "pipeline"
    train(pipeline_config, treebank_folder, output=path)
    return path


@pytest.fixture(scope="session")
def nlp(pipeline_model):
    """The same pipeline."""
    import ramify

    return ramify.load(pipeline_model)
