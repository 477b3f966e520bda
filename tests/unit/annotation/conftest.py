from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import ramify
from ramify.annotation import Session

SAMPLE = Path(__file__).parents[2] / "data" / "ewt-sample-200.conllu"


@pytest.fixture(scope="session")
def english():
    return ramify.load("en")


@pytest.fixture
def sample(tmp_path):
    return Path(shutil.copy(SAMPLE, tmp_path / "sample.conllu"))


@pytest.fixture
def open_session(english):
    opened = []

    def make(path, **options):
        opened.append(Session(path, english.parser, **options))
        return opened[-1]

    yield make
    for session in opened:
        session.scan.close()
        session.document.close()


@pytest.fixture
def session(open_session, sample):
    return open_session(sample)
