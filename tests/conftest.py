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
