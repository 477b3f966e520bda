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
def treebanks() -> Path:
    """Folder of the full treebanks; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("RAMIFY_TREEBANKS", ROOT.parent / "shared" / "data" / "treebanks"))
    if not folder.is_dir():
        pytest.skip("needs full treebanks: set RAMIFY_TREEBANKS to a folder of CoNLL-U files")
    return folder
